// Features of cores for schemes, tested by a small scheme (satellite.h): kinds of cores, detached
// warps, placement of CTAs, another mode at a barrier.
#include "tests/unit/runtime-sim/machine_fixture.h"
#include "tests/unit/runtime-sim/satellite.h"

enum { CORES = 3, BLOCK = 128, GRID = 12, THREADS = GRID * BLOCK };

static const struct scheme_ops *const alone[] = {&satellite, NULL};

#define ON(...) SETTINGS("satellite.policy=satellite", __VA_ARGS__)

// %r1 is the thread's number in the grid, %d1 to %d3 are its words of a, b and c.
#define ENTRY(name, body)                                                                          \
    ".visible .entry " name "(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"                   \
    ".reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .pred %p<4>;\n"                      \
    ".shared .b32 s[128]; .local .b32 l[4];\n"                                                     \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                          \
    "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %d4, %r1, 4;\n"                                   \
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"                       \
    "add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4;\n" body "ret;\n}\n"

static const char *const kernels[] = {
    HEAD("7.0", "sm_70"),
    // Where it runs.
    ENTRY("where", "ld.global.u32 %r4, [%d1]; mad.lo.u32 %r4, %r4, 3, 1;\n"
                   "st.global.u32 [%d2], %r4; mov.u32 %r5, %smid; st.global.u32 [%d3], %r5;\n"),
    // A block, from the first ex2 to the last one, for three quarters of the lanes: a loop with
    // another number of rounds in each lane, a store, a load of it.
    ENTRY("block", "ld.global.f32 %f1, [%d1]; mov.f32 %f2, 0f00000000; mov.f32 %f5, %f2;\n"
                   "and.b32 %r4, %r1, 3; setp.eq.u32 %p1, %r4, 0; @%p1 bra SKIP;\n"
                   "ex2.approx.f32 %f3, %f1;\n"
                   "L: add.f32 %f2, %f2, %f3; sub.u32 %r4, %r4, 1;\n"
                   "setp.ne.u32 %p2, %r4, 0; @%p2 bra L;\n"
                   "st.global.f32 [%d2], %f2; mov.u32 %r5, %tid.x; mov.u32 %r6, %smid;\n"
                   "ld.global.f32 %f4, [%d2]; ex2.approx.f32 %f5, %f4;\n"
                   "cvt.rn.f32.u32 %f6, %r5; add.f32 %f5, %f5, %f6;\n"
                   "SKIP: st.global.f32 [%d3], %f5;\n"),
    // Blocks with what a detached warp does not have.
    ENTRY("barrier", "ex2.approx.f32 %f1, %f2; bar.sync 0; ex2.approx.f32 %f1, %f1;\n"),
    ENTRY("cluster", "ex2.approx.f32 %f1, %f2;\n"
                     "barrier.cluster.arrive; ex2.approx.f32 %f1, %f1;\n"),
    // Shared and local memory from before the block, in it and after it; a function in the block
    // has more local memory than the kernel.
    ".func (.param .b32 out) more(.param .b32 in)\n{\n"
    ".reg .b32 %r<4>; .local .b32 big[64];\n"
    "ld.param.b32 %r1, [in]; st.local.b32 [big+252], %r1; add.u32 %r1, %r1, 1;\n"
    "ld.local.b32 %r2, [big+252]; mad.lo.u32 %r1, %r1, %r2, 5; st.param.b32 [out], %r1; ret;\n}\n",
    ENTRY("memories",
          "mov.u32 %r4, s; shl.b32 %r5, %r3, 2; add.u32 %r4, %r4, %r5; mov.u64 %d5, l;\n"
          "cvta.local.u64 %d5, %d5; cvt.u64.u32 %d6, %r4; cvta.shared.u64 %d6, %d6;\n"
          "st.shared.u32 [%r4], %r1; st.local.u32 [l], %r3; st.local.u32 [l+8], 77;\n"
          "mov.f32 %f2, 0f00000000; ex2.approx.f32 %f1, %f2;\n"
          "ld.u32 %r6, [%d6]; ld.u32 %r7, [%d5]; add.u32 %r6, %r6, %r7; st.u32 [%d6], %r6;\n"
          "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r6; call (q), more, (p);\n"
          "ld.param.b32 %r8, [q]; } st.local.u32 [l+4], %r8; ex2.approx.f32 %f1, %f1;\n"
          "ld.shared.u32 %r9, [%r4]; ld.local.u32 %r10, [l+4]; ld.local.u32 %r11, [l+8];\n"
          "add.u32 %r10, %r10, %r11; st.global.u32 [%d2], %r9; st.global.u32 [%d3], %r10;\n"),
    // Lanes that end in the block.
    ENTRY("exit", "setp.eq.u32 %p1, %r3, 5; ex2.approx.f32 %f1, %f2;\n"
                  "@%p1 exit; ex2.approx.f32 %f1, %f1;\n"),
    // Each CTA waits for the word of the one before it, and says when it has begun.
    ENTRY("turn", "mov.u64 %d5, %clock64; mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, %r3, 0;\n"
                  "@%p1 bra END; ld.param.u64 %d6, [a]; mul.wide.u32 %d7, %r4, 4;\n"
                  "add.u64 %d6, %d6, %d7; setp.eq.u32 %p2, %r4, 0; @%p2 bra GO;\n"
                  "L: ld.volatile.global.u32 %r5, [%d6+-4]; setp.eq.u32 %p2, %r5, 0; @%p2 bra L;\n"
                  "GO: ld.param.u64 %d3, [c]; mul.wide.u32 %d7, %r4, 16; add.u64 %d3, %d3, %d7;\n"
                  "mov.u64 %d4, %clock64; st.global.v2.u64 [%d3], {%d5, %d4};\n"
                  "ld.param.u64 %d2, [b]; mul.wide.u32 %d7, %r4, 4; add.u64 %d2, %d2, %d7;\n"
                  "mov.u32 %r6, %smid; st.global.u32 [%d2], %r6;\n"
                  "st.volatile.global.u32 [%d6], 1;\nEND:\n"),
    // Cycles before and behind a barrier; a value is kept across it.
    ENTRY("mode",
          "ld.global.u32 %r4, [%d1]; mov.u32 %r5, %clock; bar.sync 0; mov.u32 %r6, %clock;\n"
          "sub.u32 %r5, %r6, %r5; st.global.u32 [%d2], %r5; st.global.u32 [%d3], %r4;\n"),
};

// Words of the last machine.
static struct words {
    uint32_t *a, *b, *c;
} w;

static void prepare(struct rig *r, uint32_t cores, const char *const *settings)
{
    static struct text text;
    text.length = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        text_put(&text, "%s", kernels[i]);
    rig_configure_with(r, text.at, cores, settings, alone);
    rig_build_planned(r, NULL);
    w.a = kernel_buffer(&r->k, THREADS * 4);
    w.b = kernel_buffer(&r->k, THREADS * 4);
    w.c = kernel_buffer(&r->k, THREADS * 16);
}

// Kinds

static uint64_t run_where(struct rig *r, uint64_t seed, const char *const *settings)
{
    prepare(r, CORES, settings);
    r->shuffle = seed;
    for (uint32_t i = 0; i < THREADS; i++)
        w.a[i] = i * 7;
    uint64_t cycles = rig_run(r, "where", GRID, BLOCK);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(w.b[i], i * 21 + 1);
    return cycles;
}

// Checks that the CTAs ran on the cores from `first` to before `end`, and on all of them.
static void check_cores(const uint32_t *smid, uint32_t first, uint32_t end)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_in_range(smid[i], first, end - 1);
        seen |= 1u << smid[i];
    }
    assert_int_equal(seen, (1u << end) - (1u << first));
}

// CTAs of a launch run on the ordinary cores, or on those that the scheme has added: at nodes with
// another endpoint, or as the endpoints of partitions.
static void kinds(void **state)
{
    (void)state;
    struct rig r;
    run_where(&r, 0, ON("satellite.cores=2"));
    check_cores(w.c, 0, CORES);
    double instructions = rig_stat(&r, "core.warp_instructions");
    assert_true(rig_stat(&r, "satellite.warp_instructions") == 0);
    assert_true(rig_stat(&r, "satellite_l1.reads") == 0);
    rig_free(&r);
    static const char *const places[] = {"satellite.node=5", "satellite.at_partitions=true"};
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t cycles =
            run_where(&r, 0, ON("satellite.cores=2", "satellite.ctas=true", places[i]));
        check_cores(w.c, CORES, CORES + 2);
        assert_true(rig_stat(&r, "satellite.warp_instructions") == instructions);
        assert_true(rig_stat(&r, "core.warp_instructions") == instructions);
        assert_true(rig_stat(&r, "core0.warp_instructions") == 0);
        assert_true(rig_stat(&r, "core3.warp_instructions") > 0);
        assert_true(rig_stat(&r, "satellite_l1.reads") > 0);
        rig_free(&r);
        for (uint64_t seed = 1; seed < 4; seed++) {
            assert_int_equal(
                run_where(&r, seed, ON("satellite.cores=2", "satellite.ctas=true", places[i])),
                cycles);
            rig_free(&r);
        }
    }
}

// A kind of core has its own configuration: latencies, and warp slots.
static void configurations(void **state)
{
    (void)state;
    struct rig r;
    const char *why;
    uint64_t usual = run_where(&r, 0, ON("satellite.ctas=true"));
    rig_free(&r);
    assert_true(run_where(&r, 0, ON("satellite.ctas=true", "satellite.pipeline=60")) > usual);
    rig_free(&r);
    assert_int_equal(
        run_where(&r, 0, ON("core.pipeline=60", "satellite.pipeline=6", "satellite.ctas=true")),
        usual);
    rig_free(&r);
    run_where(&r, 0, ON("satellite.ctas=true", "satellite.warps=9"));
    assert_int_equal(r.runs[0].room, 2);
    assert_string_equal(r.runs[0].limit, "warps");
    assert_int_equal(
        machine_occupancy(r.machine, &(struct machine_launch){.launch = r.runs[0].launch}, &why),
        8);
    rig_free(&r);
    // A launch that does not fit the kind.
    prepare(&r, CORES, ON("satellite.ctas=true", "satellite.warps=3"));
    rig_add(&r, "where", GRID, BLOCK);
    rig_go(&r);
    assert_int_equal(r.end, MACHINE_FAULT);
    assert_true(r.result.fault.refused);
    rig_free(&r);
}

// Detached warps

static uint64_t run_block(struct rig *r, float *results, uint64_t seed, const char *const *settings)
{
    prepare(r, CORES, settings);
    r->shuffle = seed;
    for (uint32_t i = 0; i < THREADS; i++)
        ((float *)w.a)[i] = (float)(i % 5) * 0.25F;
    uint64_t cycles = rig_run(r, "block", GRID, BLOCK);
    memcpy(results, w.b, THREADS * 4);
    memcpy(results + THREADS, w.c, THREADS * 4);
    return cycles;
}

static void blocks(void **state)
{
    (void)state;
    static float expected[2 * THREADS], found[2 * THREADS];
    const double warps = THREADS / LANES;
    struct rig r;
    run_block(&r, expected, 0, NULL);
    double instructions = rig_stat(&r, "machine.warp_instructions");
    double threads = rig_stat(&r, "machine.thread_instructions");
    uint64_t counted = r.runs[0].warp_instructions;
    rig_free(&r);
    uint64_t cycles = run_block(&r, found, 0, ON("satellite.blocks=true", "satellite.node=5"));
    assert_memory_equal(found, expected, sizeof found);
    assert_true(rig_stat(&r, "satellites.started") == warps);
    assert_true(rig_stat(&r, "machine.warp_instructions") == instructions);
    assert_true(rig_stat(&r, "machine.thread_instructions") == threads);
    assert_int_equal(r.runs[0].warp_instructions, counted);
    assert_true(rig_stat(&r, "satellite.warp_instructions") > 10 * warps);
    assert_true(rig_stat(&r, "satellite.sfu") > 0);
    assert_true(rig_stat(&r, "core0.sfu") == 0);
    assert_true(rig_stat(&r, "core.stall_away") > 0);
    rig_free(&r);
    // One slot: blocks wait for it.
    assert_true(run_block(&r, found, 0,
                          ON("satellite.blocks=true", "satellite.cores=1", "satellite.warps=1")) >
                cycles);
    assert_memory_equal(found, expected, sizeof found);
    rig_free(&r);
    for (uint64_t seed = 1; seed < 4; seed++) {
        assert_int_equal(
            run_block(&r, found, seed, ON("satellite.blocks=true", "satellite.node=5")), cycles);
        assert_memory_equal(found, expected, sizeof found);
        rig_free(&r);
    }
}

// A block accesses the memory of its warp.
static void memories(void **state)
{
    (void)state;
    static uint32_t expected[2 * THREADS], found[2 * THREADS];
    const char *const *const settings[] = {ON("satellite.policy=baseline"),
                                           ON("satellite.blocks=true", "satellite.node=5")};
    for (int i = 0; i < 2; i++) {
        struct rig r;
        prepare(&r, 2, settings[i]);
        rig_run(&r, "memories", GRID, BLOCK);
        memcpy(i ? found : expected, w.b, THREADS * 4);
        memcpy((i ? found : expected) + THREADS, w.c, THREADS * 4);
        if (i)
            assert_true(rig_stat(&r, "satellites.started") == THREADS / LANES);
        rig_free(&r);
    }
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(found[5], 5 + 5);
    assert_int_equal(found[THREADS + 5], (10 + 1) * 10 + 5 + 77);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *text;
    } cases[] = {
        {"barrier", "a warp that runs without a CTA has no barriers"},
        {"cluster", "a warp that runs without a CTA has no barriers"},
    };
    struct rig r;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prepare(&r, 1, ON("satellite.policy=baseline"));
        rig_run(&r, cases[i].kernel, 1, 32); // it is right in a CTA
        rig_free(&r);
        prepare(&r, 1, ON("satellite.blocks=true"));
        rig_add(&r, cases[i].kernel, 1, 32);
        rig_go(&r);
        assert_int_equal(r.end, MACHINE_FAULT);
        if (!strstr(r.result.fault.text, cases[i].text))
            fail_msg("%s: %s", cases[i].kernel, r.result.fault.text);
        rig_free(&r);
    }
    // The starter sees which lanes have come to the end.
    prepare(&r, 1, ON("satellite.blocks=true"));
    rig_add(&r, "exit", 1, 32);
    rig_go(&r);
    assert_string_equal(r.result.fault.text, "lanes are lost");
    rig_free(&r);
}

// Placement

struct cta_residence {
    uint64_t begun, ended;
};

static enum machine_end run_turns(struct rig *r, const char *const *settings)
{
    prepare(r, 2, settings);
    rig_add(r, "turn", GRID, BLOCK);
    rig_go(r);
    return r->end;
}

static void in_order(void **state)
{
    (void)state;
    struct rig r;
    assert_int_equal(run_turns(&r, ON("satellite.one_per_core=true")), MACHINE_DONE);
    assert_int_equal(r.runs[0].room, 1);
    assert_string_equal(r.runs[0].limit, "CTAs");
    const struct cta_residence *stays = (const void *)w.c;
    for (uint32_t i = 0; i < GRID; i++)
        for (uint32_t k = i + 1; k < GRID; k++) {
            // Two begin in the same cycle at first, and see the clock a fetch later.
            assert_true(k == 1 || stays[i].begun < stays[k].begun);
            assert_true(w.b[i] != w.b[k] || stays[i].ended < stays[k].begun);
        }
    rig_free(&r);
    // The last CTAs take both cores and wait for those in front of them.
    assert_int_equal(run_turns(&r, ON("satellite.one_per_core=true", "machine.watchdog=20000",
                                      "satellite.order=descending")),
                     MACHINE_STUCK);
    assert_int_equal(r.result.stalls.ended, 0);
    rig_free(&r);
    // All are there at once.
    assert_int_equal(
        run_turns(&r, ON("core.ctas=8", "core.warps=48", "satellite.order=descending")),
        MACHINE_DONE);
    stays = (const void *)w.c;
    for (uint32_t i = 0; i + 2 < GRID; i++) // on the same core
        assert_true(stays[i].begun > stays[i + 2].begun);
    rig_free(&r);
}

// Modes

static uint64_t run_mode(struct rig *r, uint32_t grid, uint64_t seed, const char *const *settings)
{
    prepare(r, 1, settings);
    r->shuffle = seed;
    for (uint32_t i = 0; i < THREADS; i++)
        w.a[i] = i * 5;
    uint64_t cycles = rig_run(r, "mode", grid, BLOCK);
    for (uint32_t i = 0; i < grid * BLOCK; i++)
        assert_int_equal(w.c[i], i * 5);
    return cycles;
}

static void modes(void **state)
{
    (void)state;
    struct rig r;
    run_mode(&r, 1, 0, ON("satellite.mode=0"));
    assert_true(rig_stat(&r, "satellites.modes") == 0);
    assert_true(rig_stat(&r, "core.stall_mode") == 0);
    rig_free(&r);
    uint64_t usual = run_mode(&r, 1, 0, ON("satellite.mode=1000"));
    assert_true(rig_stat(&r, "satellites.modes") == 1);
    // Each warp waits all the time, but for the cycles until it has its next instruction.
    assert_in_range((uint64_t)rig_stat(&r, "core.stall_mode"), 980 * (BLOCK / LANES),
                    1000 * (BLOCK / LANES));
    for (uint32_t i = 0; i < BLOCK; i++)
        assert_true(w.b[i] > 1000);
    rig_free(&r);
    assert_int_equal(run_mode(&r, 1, 0, ON("satellite.mode=1700")), usual + 700);
    rig_free(&r);
    // CTA after CTA.
    usual = run_mode(&r, 5, 0, ON("satellite.mode=1000", "satellite.one_per_core=true"));
    assert_true(usual > 5000);
    assert_true(rig_stat(&r, "satellites.modes") == 5);
    rig_free(&r);
    for (uint64_t seed = 1; seed < 4; seed++) {
        assert_int_equal(
            run_mode(&r, 5, seed, ON("satellite.mode=1000", "satellite.one_per_core=true")), usual);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),    cmocka_unit_test(configurations), cmocka_unit_test(blocks),
        cmocka_unit_test(memories), cmocka_unit_test(refusals),       cmocka_unit_test(in_order),
        cmocka_unit_test(modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
