// Counts where one instruction is several things at once, and effects of one launch on the next.
#include "tests/unit/runtime-sim/machine_fixture.h"

#define KERNEL(body)                                                                               \
    HEAD("8.0", "sm_80")                                                                           \
    ".visible .entry k(.param .u64 to)\n{\n"                                                       \
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f64 %f<8>; .reg .pred %p<4>;\n"                       \
    ".shared .align 8 .b8 s[256];\n"                                                               \
    "ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"                     \
    "add.u64 %d3, %d1, %d2;\n" body "ret;\n}\n"

static uint32_t *load(struct rig *r, const char *text, const char *const *settings)
{
    rig_load(r, text, 1, settings);
    return kernel_buffer(&r->k, 4 * LANES);
}

// A branch with a target for each of four groups of lanes takes four issues and is one instruction.
static void targets(void **state)
{
    (void)state;
    static struct rig r;
    uint32_t *out = load(&r,
                         KERNEL("list: .branchtargets A, B, C, D;\n"
                                "and.b32 %r2, %r1, 3;\n"
                                "brx.idx %r2, list;\n"
                                "A: mov.u32 %r3, 10; bra E;\n"
                                "B: mov.u32 %r3, 11; bra E;\n"
                                "C: mov.u32 %r3, 12; bra E;\n"
                                "D: mov.u32 %r3, 13;\n"
                                "E: st.global.u32 [%d3], %r3;\n"),
                         NULL);
    rig_run(&r, "k", 1, LANES);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(out[i], 10 + i % 4);
    assert_true(rig_stat(&r, "core.issued_again") == 3);
    rig_check_slots(&r);
    rig_free(&r);
}

// Half of the lanes load from shared memory, the others from global memory: one load.
static void both_memories(void **state)
{
    (void)state;
    static struct rig r;
    load(&r,
         KERNEL("mov.u64 %d4, s; cvta.shared.u64 %d4, %d4; setp.lt.u32 %p1, %r1, 16;\n"
                "selp.b64 %d5, %d4, %d3, %p1;\n"
                "ld.u32 %r2, [%d5];\n"
                "st.global.u32 [%d3], %r2;\n"),
         NULL);
    rig_run(&r, "k", 1, LANES);
    double sum = rig_stat(&r, "core.load_latency_sum"),
           mean = rig_stat(&r, "core.load_latency_mean");
    assert_true(rig_stat(&r, "core.loads_done") == 1);
    assert_true(rig_stat(&r, "core.shared_accesses") == 1);
    assert_true(sum > (double)r.config.l1.latency && mean == sum);
    rig_free(&r);
}

// A load that a limit cuts off has no latency, and is not counted among those that have one.
static void cut_off(void **state)
{
    (void)state;
    static struct rig r;
    load(&r, KERNEL("ld.global.u32 %r2, [%d3];\nadd.u32 %r2, %r2, 1;\n"),
         SETTINGS("dram.delay=1000")); // of the instructions, too
    r.max_cycles = 2000;
    rig_add(&r, "k", 1, LANES);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_CYCLES);
    assert_true(rig_stat(&r, "core.global_loads") == 1);
    assert_true(rig_stat(&r, "core.loads_done") == 0);
    assert_true(rig_stat(&r, "core.load_latency_sum") == 0);
    rig_free(&r);
}

// The limit applies while a launch has not reached the first core.
static void cut_off_before(void **state)
{
    (void)state;
    static struct rig r;
    load(&r, KERNEL(""), SETTINGS("machine.launch_latency=9000"));
    r.max_cycles = 2000;
    rig_add(&r, "k", 1, LANES);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_CYCLES);
    assert_int_equal(machine_cycle(r.machine), 2000);
    rig_check_slots(&r);
    rig_free(&r);
}

// A unit that stays busy long after a launch does not delay the next one.
static void unit_of_last_launch(void **state)
{
    (void)state;
    enum { LONG = 9000 };
    static struct rig r;
    load(&r, KERNEL("div.rn.f64 %f1, %f2, %f3;\n"), SETTINGS("core.interval_fp64_div=9000"));
    assert_true(rig_run(&r, "k", 1, LANES) < LONG);
    assert_true(rig_run(&r, "k", 1, LANES) < LONG);
    rig_free(&r);
}

// Each fetch of a chain of branches takes the latency of the instruction cache.
static void fetches(void **state)
{
    (void)state;
    static struct rig r;
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        load(&r, KERNEL("bra C;\nA: bra D;\nB: bra A;\nC: bra B;\nD:\n"),
             i ? SETTINGS("code_cache.latency=101") : SETTINGS("code_cache.latency=1"));
        cycles[i] = rig_run(&r, "k", 1, LANES);
        rig_free(&r);
    }
    assert_true(cycles[1] >= cycles[0] + 4 * 100);
}

// A DRAM with refresh always has events: a launch still ends, and a stuck one is reported.
static void refreshes(void **state)
{
    (void)state;
    static struct rig r;
    const char *const *settings = SETTINGS("dram.tREFI=78", "machine.watchdog=20000");
    load(&r, KERNEL("ld.global.u32 %r2, [%d3]; st.global.u32 [%d3], %r2;\n"), settings);
    assert_true(rig_run(&r, "k", 1, LANES) < 5000);
    assert_true(rig_stat(&r, "dram.refreshes") > 0);
    rig_free(&r);
    load(&r, KERNEL("setp.gt.u32 %p1, %r1, 31; @%p1 bra E; bar.sync 0, 96;\nE:\n"), settings);
    rig_add(&r, "k", 1, 2 * LANES);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_STUCK);
    rig_free(&r);
}

// CTAs of a cluster are on different cores: the last one that reaches their barrier, or whose
// threads exit, releases all.
static void clusters(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r,
             HEAD("8.0", "sm_90") ".visible .entry k(.param .u64 to)\n{\n"
                                  ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"
                                  ".shared .align 4 .u32 s;\n"
                                  "ld.param.u64 %d1, [to]; mov.u32 %r1, %ctaid.x;\n"
                                  "mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
                                  "mov.u32 %r2, %cluster_ctarank; st.shared.u32 [s], %r1;\n"
                                  "mov.u32 %r3, 0;\n"
                                  "L: setp.ge.u32 %p1, %r3, %r2; add.u32 %r3, %r3, 1;\n"
                                  "@!%p1 bra L;\n" // each comes a little later
                                  "barrier.cluster.arrive; barrier.cluster.wait;\n"
                                  "xor.b32 %r4, %r2, 1; mov.u32 %r5, s;\n"
                                  "mapa.shared::cluster.u32 %r5, %r5, %r4;\n"
                                  "ld.shared::cluster.u32 %r6, [%r5]; st.global.u32 [%d1], %r6;\n"
                                  "setp.eq.u32 %p1, %r2, 3; @%p1 bra END;\n"
                                  "barrier.cluster.arrive; barrier.cluster.wait;\n"
                                  "END: ret;\n}\n",
             0, NULL);
    uint32_t *out = kernel_buffer(&r.k, 4 * 8);
    struct launch *launch = rig_add(&r, "k", 8, 1);
    memcpy(launch->cluster, (const uint32_t[]){4, 1, 1}, sizeof launch->cluster);
    rig_go(&r);
    rig_done(&r);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(out[i], i ^ 1);
    rig_check_slots(&r);
    rig_free(&r);
}

// The minimum room for accesses is enough for all kinds of them.
static void min_room(void **state)
{
    (void)state;
    static struct rig r;
    uint32_t *out =
        load(&r,
             KERNEL("mov.u64 %d4, s; cvt.u32.u64 %r6, %d4; mad.lo.u32 %r6, %r1, 4, %r6;\n"
                    "ld.global.u32 %r2, [%d3]; st.shared.u32 [%r6], %r2;\n"
                    "atom.shared.add.u32 %r3, [%r6], %r1;\n"
                    "ld.shared.u32 %r4, [%r6]; red.global.add.u32 [%d3], %r4;\n"),
             SETTINGS("core.memory_most=2", "core.memory_queue=1"));
    for (uint32_t i = 0; i < LANES; i++)
        out[i] = 7 * i;
    rig_run(&r, "k", 1, LANES);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(out[i], 15 * i);
    rig_check_slots(&r);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets),
        cmocka_unit_test(both_memories),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(fetches),
        cmocka_unit_test(unit_of_last_launch),
        cmocka_unit_test(min_room),
        cmocka_unit_test(refreshes),
        cmocka_unit_test(clusters),
        cmocka_unit_test(cut_off_before),
    };
    return cmocka_run_group_tests_name("machine_edges", tests, NULL, NULL);
}
