// Chains that are captured when they are issued and computed later: what they make is the same as
// when each instruction is executed in its turn.
#include "runtime-sim/exec/shadow.h"
#include "tests/unit/runtime-sim/kernel.h"

#define BODY(text)                                                                                 \
    HEAD("8.0", "sm_80")                                                                           \
    ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 i)\n{\n"                    \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .f32 %f<9>; .reg .b64 %rd<20>;\n"   \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n"                    \
    "ld.param.u32 %r9, [i]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 4;\n"                     \
    "add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; add.u64 %rd7, %rd3, %rd4;\n"              \
    "setp.lt.u32 %p1, %r1, 11;\n" text "ret;\n}\n"

struct by_hand {
    struct kernel k;
    struct launch launch;
    struct grid_result result;
    struct cta *cta;
    struct slots_used slots;
    struct held *held[4];
    struct shadow *shadow;
    uint32_t *a, *b, *c;
};

static void *room(size_t bytes)
{
    assert_int_equal(bytes % 64, 0);
    void *at = aligned_alloc(64, bytes);
    assert_non_null(at);
    return at;
}

static void begin(struct by_hand *h, const char *text)
{
    kernel_load(&h->k, text, NULL);
    h->a = kernel_buffer(&h->k, 4096);
    h->b = kernel_buffer(&h->k, 4096);
    h->c = kernel_buffer(&h->k, 4096);
    kernel_u32(&h->k, 1000);
    for (uint32_t i = 0; i < 1024; i++) {
        h->a[i] = i * 3 + 1;
        h->b[i] = i * 5 + 2;
        h->c[i] = i;
    }
    h->launch = (struct launch){.program = &h->k.program,
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .params = h->k.params,
                                .image = &h->k.image};
    h->result = (struct grid_result){0};
    assert_true(grid_begin(&h->launch, &h->k.arena, &h->result.fault));
    slots_used_build(&h->slots, &h->k.arena, &h->k.program);
    h->cta = cta_new(&h->k.arena, &h->launch, NULL, &h->result.fault);
    cta_start(h->cta, 0);
    for (uint32_t i = 0; i < 4; i++)
        h->held[i] = room(held_bytes(&h->k.program));
    h->shadow = room(shadow_bytes(&h->k.program, &h->slots));
}

static void end(struct by_hand *h)
{
    for (uint32_t i = 0; i < 4; i++)
        free(h->held[i]);
    free(h->shadow);
    grid_end(&h->launch);
    kernel_free(&h->k);
}

static const struct code *next(struct by_hand *h)
{
    uint32_t mask;
    return issue_next(&h->cta->warps[0], &mask);
}

// Executes the first warp up to its next access to memory, which goes to `held`.
static void advance(struct by_hand *h, struct held *held)
{
    enum issue_result result = ISSUE_DONE;
    while (result == ISSUE_DONE && next(h))
        result = issue_execute(&h->cta->warps[0], held);
    assert_int_equal(result, ISSUE_HELD);
}

static void take_load(struct by_hand *h, struct held *held)
{
    advance(h, held);
    shadow_take_load(h->shadow, held);
}

static void capture(struct by_hand *h)
{
    const struct code *code = next(h);
    assert_int_equal(shadow_kind(code), SHADOW_COMPUTES);
    assert_int_equal(issue_capture(&h->cta->warps[0], h->shadow), ISSUE_DONE);
}

static void capture_store(struct by_hand *h, struct held *held)
{
    const struct code *code = next(h);
    assert_int_equal(shadow_kind(code), SHADOW_STORE);
    assert_int_equal(issue_capture_store(&h->cta->warps[0], h->shadow, held), ISSUE_HELD);
}

static void execute(struct by_hand *h, uint32_t count)
{
    while (count-- && next(h))
        assert_int_equal(issue_execute(&h->cta->warps[0], h->held[3]), ISSUE_DONE);
}

// c = a + b, in two parts, and nothing is there before.
static void test_store(void **state)
{
    (void)state;
    struct by_hand h;
    begin(&h, BODY("ld.global.u32 %r2, [%rd5]; ld.global.u32 %r3, [%rd6];\n"
                   "add.u32 %r4, %r2, %r3; st.global.u32 [%rd7], %r4;\n"));
    shadow_begin(h.shadow, &h.cta->warps[0], &h.slots);
    take_load(&h, h.held[0]);
    take_load(&h, h.held[1]);
    capture(&h);
    capture_store(&h, h.held[2]);
    for (uint32_t lanes = 0x00ff00ff, part = 0; part < 2; part++, lanes = ~lanes) {
        assert_true(held_serve(h.held[1], lanes));
        assert_true(held_serve(h.held[0], lanes));
        shadow_compute(h.shadow, lanes);
        assert_true(held_serve(h.held[2], lanes));
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(h.c[i], part || lanes >> i & 1 ? i * 8 + 3 : i);
    }
    assert_int_equal(h.held[2]->left, 0);
    execute(&h, 9);
    assert_int_equal(h.cta->warps[0].live, 0);
    end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
