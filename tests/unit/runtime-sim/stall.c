// Reports of a stuck launch: which warps wait for which.
#include "tests/unit/runtime-sim/kernel.h"

#define KERNEL(body)                                                                               \
    HEAD("8.0", "sm_90")                                                                           \
    ".global .u32 flag[2];\n"                                                                      \
    ".visible .entry k()\n{\n"                                                                     \
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<8>; .shared .b64 bar[2];\n"                  \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5;\n" body "ret;\n}\n"

static const struct stalls *run(struct kernel *k, const char *text, uint32_t grid, uint32_t block)
{
    uint32_t threads = k->threads;
    bool cooperative = k->cooperative;
    kernel_load(k, text, NULL);
    k->threads = threads;
    k->cooperative = cooperative;
    k->max_idle = 50;
    kernel_run(k, "k", grid, block, 0);
    assert_false(k->result.fault.happened);
    assert_true(k->result.stuck);
    return &k->result.stalls;
}

static uint32_t line(const struct kernel *k, uint32_t inst)
{
    const struct ir_function *fn = &k->module.functions.v[0];
    return source_position_at(&k->source, k->tree.nodes.v[fn->insts.v[inst].node].begin).line;
}

static const struct stall *of_kind(const struct stalls *stalls, enum stall_kind kind)
{
    for (uint32_t i = 0; i < stalls->count; i++)
        if (stalls->list[i].kind == kind)
            return &stalls->list[i];
    fail_msg("nothing waits like this");
    return NULL;
}

// Line 9 is the first after the registers.
static void test_loop(void **state)
{
    struct kernel k = {0};
    (void)state;
    const struct stalls *stalls = run(&k,
                                      KERNEL("setp.ne.u32 %p1, %r3, 1; @%p1 bra W;\n"
                                             "A: ld.volatile.global.u32 %r4, [flag+4];\n"
                                             "setp.eq.u32 %p2, %r4, 0;\n"
                                             "@%p2 bra A;\n"
                                             "W: bar.sync 0;\n"),
                                      3, 96);
    assert_int_equal(stalls->count, 2);
    assert_int_equal(stalls->ctas, 3);
    assert_int_equal(stalls->there, 3);
    assert_int_equal(stalls->ended, 0);
    const struct stall *loop = of_kind(stalls, STALL_LOOP), *bar = of_kind(stalls, STALL_BARRIER);
    assert_int_equal(loop->warps, 3);
    assert_int_equal(loop->ctas, 3);
    assert_int_equal(loop->warp, 1);
    assert_int_equal(line(&k, loop->first), 10);
    assert_int_equal(line(&k, loop->last), 12);
    assert_true(loop->has_address);
    assert_int_equal(loop->space, W_global);
    assert_string_equal(loop->nearest, "4 bytes into 'flag' (8 bytes)");
    assert_int_equal(bar->warps, 6);
    assert_int_equal(bar->come, 2);
    assert_int_equal(bar->expected, 3);
    assert_int_equal(bar->missing_count, 1);
    assert_int_equal(bar->missing[0].warp, 1);
    assert_int_equal(line(&k, bar->missing[0].at.inst), 10);
    kernel_free(&k);
}

// CTAs that need no order and run on several threads.
static void test_threads(void **state)
{
    struct kernel k = {.threads = 3};
    (void)state;
    const struct stalls *stalls = run(&k,
                                      KERNEL("setp.ne.u32 %p1, %r2, 5; @%p1 ret;\n"
                                             "mov.u32 %r4, 0;\n"
                                             "A: add.u32 %r4, %r4, 2;\n"
                                             "setp.ne.u32 %p2, %r4, 1; @%p2 bra A;\n"),
                                      8, 32);
    assert_int_equal(stalls->count, 1);
    assert_int_equal(stalls->list[0].kind, STALL_LOOP);
    assert_int_equal(stalls->list[0].cta[0], 5);
    assert_int_equal(line(&k, stalls->list[0].first), 11);
    assert_int_equal(line(&k, stalls->list[0].last), 12);
    assert_false(stalls->list[0].has_address);
    kernel_free(&k);
}

static void test_mbarrier(void **state)
{
    struct kernel k = {0};
    (void)state;
    const struct stalls *stalls =
        run(&k,
            KERNEL("setp.eq.u32 %p1, %r1, 0; mov.u32 %r4, 3;\n"
                   "@%p1 mbarrier.init.shared.b64 [bar+8], %r4;\n"
                   "bar.sync 0;\n"
                   "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar+8], 64;\n"
                   "A: mbarrier.test_wait.parity.shared.b64 %p2, [bar+8], 0; @!%p2 bra A;\n"),
            1, 64);
    assert_int_equal(stalls->count, 1);
    const struct stall *stall = of_kind(stalls, STALL_MBARRIER);
    assert_int_equal(stall->warps, 2);
    assert_int_equal(stall->space, W_shared);
    assert_string_equal(stall->nearest, "8 bytes into 'bar' (16 bytes)");
    assert_int_equal(stall->come, 1);
    assert_int_equal(stall->expected, 3);
    assert_int_equal(stall->bytes, 64);
    kernel_free(&k);
}

// Half of a warp waits for the other half, which waits for other warps.
static void test_lanes(void **state)
{
    struct kernel k = {0};
    (void)state;
    const struct stalls *stalls = run(&k,
                                      KERNEL("setp.gt.u32 %p1, %r1, 7; @%p1 bra B;\n"
                                             "bar.warp.sync 0xffffffff; ret;\n"
                                             "B: bar.sync 3, 64;\n"),
                                      1, 32);
    const struct stall *lanes = of_kind(stalls, STALL_LANES), *bar = of_kind(stalls, STALL_BARRIER);
    assert_int_equal(lanes->lanes, 0xff);
    assert_int_equal(lanes->missing[0].lanes, 0xffffff00);
    assert_int_equal(line(&k, lanes->missing[0].at.inst), 11);
    assert_int_equal(bar->number, 3);
    assert_true(bar->threads);
    assert_int_equal(bar->come, 24);
    assert_int_equal(bar->expected, 64);
    kernel_free(&k);
}

// One CTA of a cluster of two is at another barrier.
static void test_cluster(void **state)
{
    struct kernel k = {0};
    (void)state;
    const struct stalls *stalls =
        run(&k,
            HEAD("8.0", "sm_90") ".visible .entry k() .reqnctapercluster 2, 1, 1\n{\n"
                                 ".reg .b32 %r<3>; .reg .pred %p1;\n"
                                 "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 3;\n"
                                 "@%p1 bra B;\n"
                                 "barrier.cluster.arrive; barrier.cluster.wait; ret;\n"
                                 "B: bar.sync 1, 96;\n"
                                 "ret;\n}\n",
            4, 64);
    const struct stall *cluster = of_kind(stalls, STALL_CLUSTER);
    assert_int_equal(cluster->cta[0], 2);
    assert_int_equal(cluster->come, 2);
    assert_int_equal(cluster->expected, 4);
    assert_int_equal(cluster->missing_count, 2);
    assert_int_equal(cluster->missing[0].cta[0], 3);
    assert_int_equal(line(&k, cluster->missing[0].at.inst), 10);
    assert_int_equal(stalls->ctas, 4);
    assert_int_equal(stalls->ended, 2);
    kernel_free(&k);
}

// Lanes after a branch wait for those that still iterate.
static void test_join(void **state)
{
    struct kernel k = {0};
    (void)state;
    const struct stalls *stalls = run(&k,
                                      KERNEL("setp.gt.u32 %p1, %r1, 3; @%p1 bra B;\n"
                                             "mov.u32 %r4, 0;\n"
                                             "A: add.u32 %r4, %r4, 2;\n"
                                             "setp.ne.u32 %p2, %r4, 1; @%p2 bra A;\n"
                                             "B: mov.u32 %r5, 1;\n"),
                                      1, 32);
    const struct stall *join = of_kind(stalls, STALL_RECONVERGENCE);
    assert_int_equal(join->lanes, 0xfffffff0);
    assert_int_equal(join->missing[0].lanes, 0xf);
    assert_int_equal(line(&k, join->missing[0].at.inst), 11);
    kernel_free(&k);
}

// The barrier of a cooperative grid, which CTA 2 does not reach: as in CUDA's headers, CTA 0 adds
// 2^31 - (CTAs - 1), the others 1.
static void test_grid(void **state)
{
    struct kernel k = {.cooperative = true};
    (void)state;
    const struct stalls *stalls =
        run(&k,
            KERNEL("mov.u32 %r4, %envreg1; mov.u32 %r5, %envreg2; mov.b64 %rd1, {%r5, %r4};\n"
                   "setp.eq.u32 %p1, %r2, 2; @%p1 ret;\n"
                   "setp.eq.u32 %p2, %r2, 0; mov.u32 %r6, %nctaid.x;\n"
                   "sub.u32 %r6, 0x80000001, %r6; selp.u32 %r6, %r6, 1, %p2;\n"
                   "atom.add.release.gpu.u32 %r7, [%rd1+4], %r6;\n"
                   "A: ld.acquire.gpu.u32 %r6, [%rd1+4];\n"
                   "xor.b32 %r6, %r6, %r7; setp.ge.s32 %p3, %r6, 0; @%p3 bra A;\n"),
            6, 1);
    const struct stall *grid = of_kind(stalls, STALL_GRID);
    assert_int_equal(grid->come, 5);
    assert_int_equal(grid->expected, 6);
    assert_int_equal(grid->ctas, 5);
    assert_int_equal(stalls->ended, 1);
    kernel_free(&k);
}

// Places beyond the report's room are counted.
static void test_many(void **state)
{
    struct kernel k = {.cooperative = true}; // all CTAs are there
    // With an atomic the CTAs are there together.
    char text[4096] = HEAD("7.0", "sm_70") ".global .u32 g;\n.visible .entry k()\n{\n"
                                           ".reg .b32 %r<3>; .reg .pred %p1;\n"
                                           "mov.u32 %r1, %ctaid.x; red.global.add.u32 [g], 1;\n";
    (void)state;
    for (int i = 0; i < 20; i++)
        sprintf(text + strlen(text),
                "setp.ne.u32 %%p1, %%r1, %d; @%%p1 bra N%d; bar.sync 1, 64; N%d:\n", i, i, i);
    strcat(text, "ret;\n}\n");
    const struct stalls *stalls = run(&k, text, 20, 32);
    assert_int_equal(stalls->count, STALLS);
    assert_int_equal(stalls->others, 4);
    kernel_free(&k);
}

// A stop request ends a run, whatever it is doing.
static void test_stop(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct kernel k;
        atomic_int stop = 2;
        kernel_load(&k, KERNEL("A: bra A;\n"), NULL);
        k.threads = threads;
        k.stop = &stop;
        kernel_run(&k, "k", 4, 64, 0);
        assert_true(k.result.stopped);
        assert_false(k.result.stuck);
        kernel_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_mbarrier), cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_cluster),  cmocka_unit_test(test_join),
        cmocka_unit_test(test_grid),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
