// Divergence against its absence: kernels of random flow graphs, irreducible ones too, with calls
// in between, compute the same in full warps as in warps of one lane, where nothing can diverge.
#include "tests/unit/runtime-sim/kernel.h"

#ifdef DRIVEN
enum { KERNELS = 12 };
#else
enum { KERNELS = 120 };
#endif
enum { THREADS = 96, BLOCKS = 12, TEXT = 1 << 16 };

struct text {
    char data[TEXT];
    size_t length;
    uint64_t state;
};

static uint32_t pick(struct text *t, uint32_t count)
{
    t->state = t->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->state >> 33) % count;
}

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->data + t->length, TEXT - t->length, format, list);
    va_end(list);
    assert_true(t->length < TEXT);
}

// A block changes %r1 and goes on to one of two blocks, or to one of a list, by a bit of it; %r2
// counts down and ends it all.
static void put_branch(struct text *t, uint32_t block)
{
    put(t, "shr.u32 %%r4, %%r1, %u; and.b32 %%r4, %%r4, 3;\n", 3 + pick(t, 20));
    switch (pick(t, 4)) {
    case 0:
        put(t, "T%u: .branchtargets B%u, B%u, B%u, B%u;\nbrx.idx %%r4, T%u;\n", block,
            pick(t, BLOCKS), pick(t, BLOCKS), pick(t, BLOCKS), pick(t, BLOCKS), block);
        break;
    case 1:
        put(t, "setp.eq.u32 %%p2, %%r4, 0; @%%p2 bra B%u;\nbra B%u;\n", pick(t, BLOCKS),
            pick(t, BLOCKS));
        break;
    default: // on to the next one
        put(t, "setp.lt.u32 %%p2, %%r4, %u; @%%p2 bra B%u;\n", 1 + pick(t, 3), pick(t, BLOCKS));
        break;
    }
}

static void put_call(struct text *t, uint32_t callee)
{
    put(t,
        "{ .param .b32 a; .param .b32 f; .param .b32 b; st.param.b32 [a], %%r1;\n"
        "st.param.b32 [f], %%r2; call (b), f%u, (a, f); ld.param.b32 %%r1, [b]; }\n",
        callee);
}

static void put_body(struct text *t, uint32_t callees, const char *leave)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        put(t, "B%u:\nmad.lo.u32 %%r1, %%r1, %u, %u;\n", i, 2 * pick(t, 1 << 20) + 1, i);
        put(t, "add.u32 %%r2, %%r2, -1; setp.le.s32 %%p1, %%r2, 0; @%%p1 bra LEAVE;\n");
        if (callees && !pick(t, 4))
            put_call(t, pick(t, callees));
        if (!pick(t, 6))
            put(t, "setp.gt.u32 %%p3, %%r1, 0xe0000000; @%%p3 %s;\n", leave);
        put_branch(t, i);
    }
    put(t, "LEAVE:\n");
}

static void put_kernel(struct text *t)
{
    put(t, HEAD("8.0", "sm_80"));
    for (uint32_t f = 0; f < 2; f++) {
        put(t, ".func (.param .b32 r) f%u(.param .b32 x, .param .b32 y)\n{\n", f);
        put(t, ".reg .pred %%p<4>; .reg .b32 %%r<8>;\nld.param.u32 %%r1, [x]; ld.param.u32 %%r2, "
               "[y];\nmin.s32 %%r2, %%r2, 20; st.param.b32 [r], %%r2;\n");
        put_body(t, f, "ret");
        put(t, "st.param.b32 [r], %%r1; ret;\n}\n");
    }
    put(t, ".entry k(.param .u64 out)\n{\n.reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%x<4>;\n"
           "ld.param.u64 %%x0, [out]; mov.u32 %%r5, %%ctaid.x; mov.u32 %%r6, %%ntid.x;\n"
           "mov.u32 %%r7, %%tid.x; mad.lo.u32 %%r5, %%r5, %%r6, %%r7;\n"
           "mul.wide.u32 %%x1, %%r5, 4; add.u64 %%x2, %%x0, %%x1;\n"
           "mul.lo.u32 %%r1, %%r5, 0x9e3779b1; and.b32 %%r2, %%r5, 63; add.u32 %%r2, %%r2, 10;\n"
           "st.global.u32 [%%x2], %%r1;\n");
    put_body(t, 2, "exit");
    put(t, "st.global.u32 [%%x2], %%r1; ret;\n}\n");
}

static uint64_t run(const char *text, uint32_t grid, uint32_t block, uint32_t *values)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    uint32_t *out = kernel_buffer(&k, THREADS * sizeof *out);
    kernel_succeeds(&k, "k", grid, block);
    memcpy(values, out, THREADS * sizeof *values);
    uint64_t instructions = k.result.thread_instructions;
    kernel_free(&k);
    return instructions;
}

static void test_random_graphs(void **state)
{
    (void)state;
    static struct text text;
    uint32_t alone[THREADS], together[THREADS];
    for (uint32_t i = 0; i < KERNELS; i++) {
        text.length = 0;
        text.state = i;
        put_kernel(&text);
        uint64_t few = run(text.data, THREADS, 1, alone),
                 many = run(text.data, 1, THREADS, together);
        if (few != many || memcmp(alone, together, sizeof alone))
            fail_msg("kernel %u differs in warps of 32:\n%s", i, text.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
