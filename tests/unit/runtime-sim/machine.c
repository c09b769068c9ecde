// Kernels on the whole machine: they compute the values of a functional run, and every cycle is
// accounted for.
#include "tests/unit/runtime-sim/machine_fixture.h"

static const char text[] = HEAD(
    "7.8",
    "sm_80") ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
             "{\n"
             "    .reg .pred %p<2>;\n"
             "    .reg .b32 %r<8>;\n"
             "    .reg .b64 %d<12>;\n"
             "    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
             "    ld.param.u32 %r1, [n];\n"
             "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
             "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
             "    setp.ge.u32 %p1, %r5, %r1;\n"
             "    @%p1 bra END;\n"
             "    cvta.to.global.u64 %d4, %d1; cvta.to.global.u64 %d5, %d2; cvta.to.global.u64 "
             "%d6, %d3;\n"
             "    mul.wide.u32 %d7, %r5, 4;\n"
             "    add.s64 %d8, %d4, %d7; add.s64 %d9, %d5, %d7; add.s64 %d10, %d6, %d7;\n"
             "    ld.global.u32 %r6, [%d8];\n"
             "    ld.global.u32 %r7, [%d9];\n"
             "    add.u32 %r6, %r6, %r7;\n"
             "    st.global.u32 [%d10], %r6;\n"
             "END:\n"
             "    ret;\n"
             "}\n"
             ".visible .entry sum(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
             "{\n"
             "    .reg .pred %p<3>;\n"
             "    .reg .b32 %r<10>;\n"
             "    .reg .b64 %d<9>;\n"
             "    .shared .align 4 .b8 part[512];\n"
             "    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [c];\n"
             "    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
             "    shl.b32 %r3, %r1, 7; add.u32 %r3, %r3, %r2;\n"
             "    mul.wide.u32 %d3, %r3, 4; add.s64 %d4, %d1, %d3;\n"
             "    ld.global.u32 %r4, [%d4];\n"
             "    shl.b32 %r5, %r2, 2; mov.u32 %r6, part; add.u32 %r5, %r5, %r6;\n"
             "    st.shared.u32 [%r5], %r4;\n"
             "    mov.u32 %r7, 64;\n"
             "LOOP:\n"
             "    bar.sync 0;\n"
             "    setp.ge.u32 %p1, %r2, %r7;\n"
             "    @%p1 bra NEXT;\n"
             "    shl.b32 %r8, %r7, 2; add.u32 %r8, %r8, %r5;\n"
             "    ld.shared.u32 %r8, [%r8]; ld.shared.u32 %r9, [%r5];\n"
             "    add.u32 %r9, %r9, %r8;\n"
             "    st.shared.u32 [%r5], %r9;\n"
             "NEXT:\n"
             "    shr.u32 %r7, %r7, 1;\n"
             "    setp.ne.u32 %p2, %r7, 0;\n"
             "    @%p2 bra LOOP;\n"
             "    setp.ne.u32 %p1, %r2, 0;\n"
             "    @%p1 bra END;\n"
             "    ld.shared.u32 %r9, [%r5];\n"
             "    red.global.add.u32 [%d2], %r9;\n"
             "END:\n"
             "    ret;\n"
             "}\n";

enum { COUNT = 20000, CTAS = 157 };

static void fill(struct kernel *k, uint32_t **c)
{
    uint32_t *a = kernel_buffer(k, 4 * CTAS * 128), *b = kernel_buffer(k, 4 * CTAS * 128);
    *c = kernel_buffer(k, 4 * CTAS * 128);
    kernel_u32(k, COUNT);
    for (uint32_t i = 0; i < CTAS * 128; i++) {
        a[i] = i * 2654435761u;
        b[i] = i ^ 0x5555;
    }
}

static void check(const char *name, uint64_t shuffle, uint64_t *cycles)
{
    static struct rig timed;
    static struct kernel plain;
    uint32_t *c, *expected;
    rig_load(&timed, text, 0, NULL);
    kernel_load(&plain, text, NULL);
    fill(&timed.k, &c);
    fill(&plain, &expected);
    kernel_succeeds(&plain, name, CTAS, 128);
    timed.shuffle = shuffle;
    *cycles = rig_run(&timed, name, CTAS, 128);
    assert_memory_equal(c, expected, 4 * CTAS * 128);
    assert_int_equal(timed.result.warp_instructions, plain.result.warp_instructions);
    assert_int_equal(timed.result.thread_instructions, plain.result.thread_instructions);
    rig_check_slots(&timed);
    assert_int_equal(rig_stat(&timed, "memory.requests"), rig_stat(&timed, "memory.answers"));
    rig_free(&timed);
    kernel_free(&plain);
}

static void test_values(void **state)
{
    (void)state;
    static const char *const names[] = {"add", "sum"};
    for (size_t i = 0; i < 2; i++) {
        uint64_t cycles, shuffled;
        check(names[i], 0, &cycles);
        check(names[i], 77, &shuffled);
        assert_int_equal(cycles, shuffled);
        assert_true(cycles > 500 && cycles < 20000);
        print_message("%s: %llu cycles\n", names[i], (unsigned long long)cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
