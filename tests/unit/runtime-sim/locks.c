// Locks and flags made of atomic operations, between lanes, warps and CTAs; faults of atomics.
#include "tests/unit/runtime-sim/kernel.h"

#define LOCK_HEAD                                                                                  \
    HEAD("7.0", "sm_70")                                                                           \
    ".shared .align 4 .b32 word;\n"                                                                \
    ".entry k(.param .u64 at)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"        \
    "ld.param.u64 %rd1, [at]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
// The counter is read and written separately: without the lock, increments would be lost.
#define COUNT "ld.global.u32 %r5, [%rd1+4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1+4], %r5;\n"

static void check_count(const char *text, uint32_t grid, uint32_t block, uint32_t expected)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    uint32_t *at = kernel_buffer(&k, 1024);
    kernel_succeeds(&k, "k", grid, block);
    assert_int_equal(at[1], expected);
    kernel_free(&k);
}

static void test_spin_lock(void **state)
{
    (void)state;
    static const char text[] =
        LOCK_HEAD "L: atom.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;\n"
                  "membar.gl;\n" COUNT "membar.gl; atom.global.exch.b32 %r6, [%rd1], 0; ret;\n}\n";
    check_count(text, 1, 32, 32);   // lanes of one warp
    check_count(text, 1, 256, 256); // warps
    check_count(text, 40, 64, 40 * 64);
}

// One lane of each CTA holds the lock for a while, with a barrier in its CTA.
static void test_lock_between_ctas(void **state)
{
    (void)state;
    check_count(LOCK_HEAD "setp.ne.u32 %p2, %r1, 0; mov.u32 %r9, 0;\n"
                          "@%p2 bra W;\n"
                          "L: atom.global.exch.b32 %r3, [%rd1], 1; setp.ne.u32 %p1, %r3, 0;\n"
                          "@%p1 bra L;\nW: bar.sync 0;\n@%p2 bra X;\n" COUNT
                          "mov.u32 %r8, 0;\nM: add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 9000;\n"
                          "@%p3 bra M;\nX: bar.sync 0;\n"
                          "@!%p2 st.release.gpu.global.u32 [%rd1], 0; ret;\n}\n",
                20, 64, 20);
}

static void test_ticket_lock(void **state)
{
    (void)state;
    check_count(LOCK_HEAD "atom.global.add.u32 %r3, [%rd1+8], 1;\n"
                          "L: ld.volatile.global.u32 %r4, [%rd1+12]; setp.ne.u32 %p1, %r4, %r3;\n"
                          "@%p1 bra L;\n" COUNT
                          "add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd1+12], %r4; ret;\n}\n",
                6, 96, 6 * 96);
}

// The first CTA waits for a flag of the last.
static void test_flag_backwards(void **state)
{
    (void)state;
    check_count(LOCK_HEAD "setp.eq.u32 %p1, %r2, 0; @%p1 bra W; setp.ne.u32 %p2, %r2, 99;\n"
                          "@%p2 exit; mov.u32 %r5, 77; st.global.u32 [%rd1+4], %r5;\n"
                          "mov.u32 %r6, 1; st.release.gpu.global.u32 [%rd1+8], %r6; exit;\n"
                          "W: ld.acquire.gpu.global.u32 %r6, [%rd1+8]; setp.eq.u32 %p2, %r6, 0;\n"
                          "@%p2 bra W; ld.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1;\n"
                          "st.global.u32 [%rd1+4], %r7; ret;\n}\n",
                100, 32, 78);
}

// A lock in shared memory that is never released ends the run.
static void test_deadlock(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(&k,
                LOCK_HEAD "L: atom.shared.cas.b32 %r3, [word], 0, 1; setp.ne.u32 %p1, %r3, 0;\n"
                          "@%p1 bra L; ret;\n}\n",
                NULL);
    kernel_buffer(&k, 64);
    const struct program_function *function = program_find(&k.program, "k");
    struct launch launch = {.program = &k.program,
                            .function = (uint32_t)(function - k.program.functions.v),
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = k.params,
                            .image = &k.image};
    struct grid_options options = {.max_idle = 1000};
    kernel_execute(&launch, &k.arena, &options, &k.result);
    assert_true(k.result.stuck);
    kernel_free(&k);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
    } faults[] = {
        {"atom.global.add.u32 %r3, [%rd1+1024], 1;", "atomic access of 4 bytes"},
        {"red.global.add.u32 [%rd1+2], 1;", "is not aligned"},
        {"atom.shared.cas.b32 %r3, [word+16], 1, 2;", "outside of the CTA's shared memory"},
        {"mov.u64 %rd2, 0x02000000; atom.add.u32 %r3, [%rd2], 1;", "is in local memory"},
    };
    for (uint32_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[4096];
        struct kernel k;
        snprintf(text, sizeof text, "%s%s ret;\n}\n", LOCK_HEAD, faults[i].text);
        kernel_load(&k, text, NULL);
        kernel_buffer(&k, 1024);
        kernel_run(&k, "k", 1, 1, 0);
        assert_true(k.result.fault.happened);
        if (!strstr(k.result.fault.text, faults[i].what))
            fail_msg("%s: %s", faults[i].text, k.result.fault.text);
        kernel_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_lock),   cmocka_unit_test(test_lock_between_ctas),
        cmocka_unit_test(test_ticket_lock), cmocka_unit_test(test_flag_backwards),
        cmocka_unit_test(test_deadlock),    cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
