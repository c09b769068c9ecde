// A core's behaviour cycle by cycle, as kernels see it in %clock: orders of schedulers, places,
// time.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { READS = 6, WARPS = 3 };

// Writes a kernel in which each warp passes a barrier, reads the clock READS times and stores its
// readings.
static const char *write_kernel(void)
{
    static struct text t;
    t.length = 0;
    text_put(&t,
             HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a)\n{\n"
                                  ".reg .b32 %%r<8>; .reg .b32 %%c<64>; .reg .b64 %%d<4>;\n"
                                  "ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x;\n"
                                  "mul.wide.u32 %%d2, %%r1, %u; add.u64 %%d1, %%d1, %%d2;\n"
                                  "bar.sync 0;\n",
             READS * 4);
    for (uint32_t i = 0; i < READS; i++)
        text_put(&t, "mov.u32 %%c%u, %%clock;\n", i);
    for (uint32_t i = 0; i < READS; i++)
        text_put(&t, "st.global.u32 [%%d1+%u], %%c%u;\n", 4 * i, i);
    text_put(&t, "ret;\n}\n");
    return t.at;
}

// Checks when each warp has read the clock, counted from the first reading.
static void reads(const uint32_t expected[WARPS][READS], const char *const *settings)
{
    static struct rig r;
    rig_load(&r, write_kernel(), 1, settings);
    const uint32_t *read = kernel_buffer(&r.k, 4 * READS * LANES * WARPS);
    for (int i = 0; i < 2; i++) // once to fetch the code
        rig_run(&r, "k", 1, LANES * WARPS);
    uint32_t first = UINT32_MAX;
    for (uint32_t w = 0; w < WARPS; w++)
        first = read[w * LANES * READS] < first ? read[w * LANES * READS] : first;
    for (uint32_t w = 0; w < WARPS; w++)
        for (uint32_t i = 0; i < READS; i++)
            if (read[(w * LANES) * READS + i] - first != expected[w][i])
                fail_msg("warp %u, read %u: in cycle %u, not %u", w, i,
                         read[w * LANES * READS + i] - first, expected[w][i]);
    rig_free(&r);
}

// Warp 1 reaches the barrier last. With two instructions in a buffer each warp has one left there.
// A buffer that becomes empty in cycle t is refilled in t + 2.
static void schedulers(void **state)
{
    (void)state;
    // Greedy: the one that issued before as long as it can, else the oldest that can: warp 2 has
    // its turn when the others wait for their stores.
    reads((const uint32_t[WARPS][READS]){{1, 4, 5, 8, 9, 12},
                                         {0, 2, 3, 6, 7, 10},
                                         {16, 18, 19, 21, 22, 24}},
          SETTINGS("core.scheduler=gto"));
    // With eight in a buffer there are three left there, then it is filled with three, up to the
    // end of the line of code.
    reads((const uint32_t[WARPS][READS]){{3, 4, 5, 9, 10, 11},
                                         {0, 1, 2, 6, 7, 8},
                                         {16, 17, 18, 20, 21, 22}},
          SETTINGS("core.scheduler=gto", "core.buffer=8"));
    // In turn: each has filled its buffer when it is its turn again.
    static const uint32_t turns[WARPS][READS] = {
        {2, 5, 8, 11, 14, 17}, {0, 3, 6, 9, 12, 15}, {1, 4, 7, 10, 13, 16}};
    reads(turns, SETTINGS("core.scheduler=lrr"));
    reads(turns, SETTINGS("core.scheduler=lrr", "core.buffer=8"));
}

static const char registers[] =
    HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a, .param .u32 spin)\n{\n"
                         ".reg .b32 %r<12>; .reg .b64 %d<12>; .reg .pred %p;\n"
                         "ld.param.u64 %d1, [a]; ld.param.u32 %r6, [spin];\n"
                         "mov.u32 %r1, %smid; mov.u32 %r2, %nsmid; mov.u32 %r3, %warpid;\n"
                         "mov.u64 %d2, %clock64; mov.u32 %r4, %clock; mov.u32 %r5, %clock_hi;\n"
                         "mov.u64 %d3, %globaltimer; mov.u64 %d4, %clock64;\n"
                         "L: sub.u32 %r6, %r6, 1; setp.ne.u32 %p, %r6, 0; @%p bra L;\n"
                         "mov.u64 %d5, %clock64; mov.u64 %d6, %globaltimer;\n"
                         "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ntid.x; mov.u32 %r9, %tid.x;\n"
                         "mad.lo.u32 %r7, %r7, %r8, %r9; mul.wide.u32 %d7, %r7, 64;\n"
                         "add.u64 %d1, %d1, %d7;\n"
                         "st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};\n"
                         "st.global.v2.u64 [%d1+16], {%d2, %d3};\n"
                         "st.global.v2.u64 [%d1+32], {%d4, %d5}; st.global.u64 [%d1+48], %d6;\n"
                         "st.global.u32 [%d1+56], %r5;\nret;\n}\n";

struct seen {
    uint32_t core, cores, warp, clock;
    uint64_t clock64, timer, before, after, timer_after;
    uint32_t high, pad;
};

enum { CTAS = 120, THREADS = 64, ROUNDS = 400 };

// %smid runs through all cores; clocks count cycles, and the timer nanoseconds of 1.4 GHz.
static void special_registers(void **state)
{
    (void)state;
    static struct rig r;
    rig_load(&r, registers, 0, NULL);
    const struct seen *seen = kernel_buffer(&r.k, sizeof *seen * CTAS * THREADS);
    kernel_u32(&r.k, ROUNDS);
    uint64_t begun = machine_cycle(r.machine);
    rig_run(&r, "k", CTAS, THREADS);
    assert_null(r.launches[0].time); // the machine's, only while it runs
    for (uint32_t i = 0; i < CTAS * THREADS; i++) {
        const struct seen *s = &seen[i];
        assert_int_equal(s->core, i / THREADS % 56);
        assert_int_equal(s->cores, 56);
        assert_int_equal(s->warp, i % THREADS / LANES);
        assert_in_range(s->clock64, begun + 1, r.runs[0].ended);
        assert_in_range(s->clock - s->clock64, 1, 400); // in program order, some cycles later
        assert_int_equal(s->high, 0);
        assert_in_range(s->timer, s->clock64 * 1000 / 1400, s->before * 1000 / 1400);
        assert_in_range(s->after - s->before, ROUNDS * 21, ROUNDS * 25); // two results and a branch
        assert_in_range(s->timer_after, s->after * 1000 / 1400, (s->after + 400) * 1000 / 1400);
    }
    rig_free(&r);
}

// No part of a launch starts before its latency has passed.
static void launch_latency(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        static struct rig r;
        rig_load(&r, registers, 1, i ? SETTINGS("machine.launch_latency=7000") : NULL);
        const struct seen *seen = kernel_buffer(&r.k, sizeof *seen * LANES);
        kernel_u32(&r.k, 1);
        cycles[i] = rig_run(&r, "k", 1, LANES);
        assert_true(seen[0].clock64 > (i ? 7000U : 0U));
        rig_free(&r);
    }
    assert_int_equal(cycles[1] - cycles[0], 7000);
}

// Writes a kernel whose instructions wait for their unit only. Each warp stores its clock at its
// end.
static const char *write_units(bool is_float)
{
    static struct text t;
    t.length = 0;
    text_put(&t, HEAD("8.0", "sm_80") ".visible .entry k(.param .u64 a, .param .u32 rounds)\n{\n"
                                      ".reg .b32 %%r<8>; .reg .b32 %%q<16>; .reg .f32 %%f<4>; "
                                      ".reg .f32 %%g<16>; .reg .b64 %%d<4>; .reg .pred %%p;\n"
                                      "ld.param.u64 %%d1, [a]; ld.param.u32 %%r2, [rounds];\n"
                                      "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 4;\n"
                                      "add.u64 %%d1, %%d1, %%d2; bar.sync 0;\nL:\n");
    for (uint32_t i = 0; i < 16; i++)
        if (is_float)
            text_put(&t, "mul.f32 %%g%u, %%f1, %%f2;\n", i);
        else
            text_put(&t, "add.u32 %%q%u, %%r1, 1;\n", i);
    text_put(&t, "sub.u32 %%r2, %%r2, 1; setp.ne.u32 %%p, %%r2, 0; @%%p bra L;\n"
                 "mov.u32 %%r3, %%clock; st.global.u32 [%%d1], %%r3; ret;\n}\n");
    return t.at;
}

enum { UNIT_ROUNDS = 64, UNIT_INSTRUCTIONS = 16, UNIT_WARPS = 24 };

// Checks whether warps of all schedulers progress alike while their units are always busy: if the
// schedulers select in turns, and not if their order is fixed.
static void expect_fair(bool is_float, uint32_t schedulers, uint32_t units, uint32_t interval,
                        const char *order, uint32_t buffer, bool turns)
{
    static struct rig r;
    char names[7][64];
    const char *settings[8] = {0};
    snprintf(names[0], sizeof names[0], "core.schedulers=%u", schedulers);
    snprintf(names[1], sizeof names[1], "core.alu_units=%u", units);
    snprintf(names[2], sizeof names[2], "core.interval_int_add=%u", interval);
    snprintf(names[3], sizeof names[3], "core.interval_fp32_mul=%u", interval);
    snprintf(names[4], sizeof names[4], "core.scheduler=%s", order);
    snprintf(names[5], sizeof names[5], "core.buffer=%u", buffer);
    snprintf(names[6], sizeof names[6], "core.scheduler_order=%s", turns ? "turns" : "fixed");
    for (uint32_t i = 0; i < 7; i++)
        settings[i] = names[i];
    rig_load(&r, write_units(is_float), 1, settings);
    const uint32_t *end = kernel_buffer(&r.k, 4 * LANES * UNIT_WARPS);
    kernel_u32(&r.k, UNIT_ROUNDS);
    rig_run(&r, "k", 1, LANES * UNIT_WARPS); // fetches the code
    uint64_t begun = machine_cycle(r.machine);
    rig_run(&r, "k", 1, LANES * UNIT_WARPS);
    uint64_t first = UINT64_MAX, last = 0; // ends of the schedulers' last warps
    for (uint32_t i = 0; i < schedulers; i++) {
        uint64_t own = 0;
        for (uint32_t w = i; w < UNIT_WARPS; w += schedulers)
            own = end[w * LANES] - begun > own ? end[w * LANES] - begun : own;
        first = own < first ? own : first;
        last = own > last ? own : last;
    }
    if (((last - first) * 20 <= last) != turns)
        fail_msg("%u schedulers, %u units of interval %u, %s, buffer %u: their ends are %llu to "
                 "%llu cycles after the start",
                 schedulers, units, interval, order, buffer, (unsigned long long)first,
                 (unsigned long long)last);
    rig_free(&r);
}

static void schedulers_share_units(void **state)
{
    (void)state;
    static const uint32_t intervals[] = {2, 3, 4, 8};
    for (uint32_t schedulers = 2; schedulers <= 4; schedulers++)
        for (uint32_t units = 1; units <= 4; units++)
            for (uint32_t i = 0; i < 4; i++) {
                if (units >= schedulers * intervals[i]) // they need not share
                    continue;
                uint32_t other = schedulers + units + i;
                expect_fair(other % 2, schedulers, units, intervals[i],
                            other / 2 % 2 ? "gto" : "lrr", other % 3 ? 8 : 2, true);
            }
    expect_fair(false, 2, 1, 2, "lrr", 8, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedulers),
        cmocka_unit_test(schedulers_share_units),
        cmocka_unit_test(special_registers),
        cmocka_unit_test(launch_latency),
    };
    return cmocka_run_group_tests_name("machine_order", tests, NULL, NULL);
}
