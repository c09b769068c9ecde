// Cooperative launches: all CTAs are resident at once, and have a counter for their barrier.
#include "tests/unit/runtime-sim/kernel.h"

// Every CTA adds 1 to the counter after the workspace's size and waits until all have; then it
// writes the count that it sees. out[0] is the size, out[1] the counter's first value.
static const char meeting[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 out)\n"
                         "{\n"
                         ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
                         "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2;\n"
                         "mov.b64 %rd1, {%r2, %r1};\n"
                         "ld.param.u64 %rd2, [out];\n"
                         "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y; mov.u32 %r5, %ctaid.z;\n"
                         "mov.u32 %r6, %nctaid.x; mov.u32 %r7, %nctaid.y; mov.u32 %r8, %nctaid.z;\n"
                         "mad.lo.u32 %r9, %r5, %r7, %r4; mad.lo.u32 %r9, %r9, %r6, %r3;\n"
                         "mul.lo.u32 %r10, %r6, %r7; mul.lo.u32 %r10, %r10, %r8;\n"
                         "mul.wide.u32 %rd3, %r9, 4; add.s64 %rd4, %rd2, %rd3;\n"
                         "ld.u32 %r11, [%rd1]; ld.volatile.u32 %r14, [%rd1+4];\n"
                         "setp.ne.u32 %p1, %r9, 0;\n"
                         "@!%p1 st.global.u32 [%rd2], %r11;\n"
                         "@!%p1 st.global.u32 [%rd2+4], %r14;\n"
                         "atom.add.release.gpu.u32 %r12, [%rd1+4], 1;\n"
                         "again: ld.acquire.gpu.u32 %r13, [%rd1+4];\n"
                         "setp.lt.u32 %p2, %r13, %r10; @%p2 bra again;\n"
                         "st.global.u32 [%rd4+8], %r13;\n"
                         "ret;\n}\n";

static void run_meeting(uint32_t x, uint32_t y, uint32_t z, uint32_t threads)
{
    struct kernel k;
    kernel_load(&k, meeting, NULL);
    k.cooperative = true;
    k.threads = threads;
    k.grid_y = y;
    k.grid_z = z;
    uint32_t *out = kernel_buffer(&k, 4 * (x * y * z + 2));
    for (int launch = 0; launch < 2; launch++) {
        memset(out, 0xff, 4 * (x * y * z + 2));
        kernel_succeeds(&k, "k", x, 1);
        assert_int_equal(out[0], 8);
#ifndef DRIVEN
        assert_int_equal(out[1], 0); // anew for each launch; the first CTA comes first
#endif
        for (uint32_t i = 0; i < x * y * z; i++)
            assert_int_equal(out[i + 2], x * y * z);
    }
    kernel_free(&k);
}

static void test_warp_sync(void **state)
{
    (void)state;
    run_meeting(1, 1, 1, 1);
    run_meeting(500, 1, 1, 1);
    run_meeting(3, 5, 2, 4); // more threads of this machine change nothing
}

// In other launches the registers are zero, and there is no workspace.
static void test_not_cooperative(void **state)
{
    struct kernel k;
    (void)state;
    kernel_load(&k, meeting, NULL);
    kernel_buffer(&k, 64);
    kernel_run(&k, "k", 2, 1, 0);
    assert_true(k.result.fault.happened);
    assert_true(k.result.fault.has_address);
    assert_int_equal(k.result.fault.address, 0);
    kernel_free(&k);
}

// The workspace is freed with the launch.
static void test_freed(void **state)
{
    struct kernel k;
    (void)state;
    kernel_load(&k, meeting, NULL);
    kernel_buffer(&k, 64);
    uint32_t before = 0, after = 0;
    for (uint32_t i = 0; i < k.image.list.n; i++)
        before += k.image.list.v[i].state == 0;
    k.cooperative = true;
    kernel_succeeds(&k, "k", 4, 1);
    for (uint32_t i = 0; i < k.image.list.n; i++)
        after += k.image.list.v[i].state == 0;
    assert_int_equal(after, before);
    kernel_free(&k);
}

static uint64_t room(struct kernel *k, uint32_t block, uint32_t shared)
{
    struct launch launch = {.program = &k->program,
                            .function =
                                (uint32_t)(program_find(&k->program, "k") - k->program.functions.v),
                            .block = {block, 1, 1},
                            .dynamic_shared = shared};
    return grid_room(&launch);
}

static void test_room(void **state)
{
    struct kernel k;
    (void)state;
    kernel_load(&k, meeting, NULL);
    assert_int_equal(room(&k, 1, 0), 160 * 32);
    assert_int_equal(room(&k, 64, 0), 160 * 32);
    assert_int_equal(room(&k, 65, 0), 160 * 21); // 3 of 64 warps each
    assert_int_equal(room(&k, 1024, 0), 160 * 2);
    assert_int_equal(room(&k, 32, 227 * 1024), 160);
    assert_int_equal(room(&k, 32, 100 * 1024), 160 * 2);
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warp_sync),
        cmocka_unit_test(test_not_cooperative),
        cmocka_unit_test(test_freed),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
