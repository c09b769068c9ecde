// The adaptive policy on a machine, with loops of one chain whose operands are streams or stay in
// the same lines: the chains that it turns off and on again, and its time compared with the other
// policies.
#include "runtime-sim/schemes/llc_omni/adaptive.h"
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "tests/unit/runtime-sim/offload_fixture.h"

enum { WARPS = 8, THREADS = WARPS * LANES, MAX_ROUNDS = 32, ROUND = PARTITIONS * LINE };
enum { OPERAND_LINES = CORES * WARPS * MAX_ROUNDS + PARTITIONS };

// Mask of an operand's offset: lines of all iterations of all warps in sequence, or a few lines.
#define STREAM UINT64_MAX
#define LINES(count) ((count) * (uint64_t)LINE - 1)

struct loop {
    const char *chain;
    uint64_t mask[2];        // of a and b
    uint32_t line[OPERANDS]; // partition of the first
    uint32_t (*value)(uint32_t a, uint32_t b);
};

static struct offload_rig o;
static uint32_t *operand[OPERANDS];

static uint32_t sum(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t square(uint32_t a, uint32_t b)
{
    return (a + b) * (a + b);
}

#define LOADS "ld.global.u32 %r11, [%d6];\nld.global.u32 %r12, [%d7];\nadd.u32 %r13, %r11, %r12;\n"
#define STORES LOADS "st.global.u32 [%d8], %r13;\n"
#define STAYS LOADS "mul.lo.u32 %r14, %r13, %r13;\nst.global.u32 [%d8], %r14;\n"

static const struct loop streams = {STORES, {STREAM, STREAM}, {1, 1, 1}, sum};
static const struct loop streams_apart = {STORES, {STREAM, STREAM}, {5, 6, 7}, sum};
static const struct loop streams_result = {STAYS, {STREAM, STREAM}, {0, 0, 3}, square};
// Its second load is one line, which the L1 has after the first iteration.
static const struct loop one_line = {STAYS, {STREAM, LINES(1)}, {0, 3, 5}, square};
static const struct loop one_line_stored = {STORES, {STREAM, LINES(1)}, {0, 3, 5}, sum};
static const struct loop both_reused = {STORES, {LINES(32), LINES(64)}, {0, 3, 5}, sum};

static const char head[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 p1, .param .u64 p2, .param .u64 p3,\n"
                         ".param .u64 m1, .param .u64 m2, .param .u32 rounds)\n{\n"
                         ".reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<3>;\n"
                         "ld.param.u64 %d1, [p1]; cvta.to.global.u64 %d1, %d1;\n"
                         "ld.param.u64 %d2, [p2]; cvta.to.global.u64 %d2, %d2;\n"
                         "ld.param.u64 %d3, [p3]; cvta.to.global.u64 %d3, %d3;\n"
                         "ld.param.u64 %d11, [m1]; ld.param.u64 %d12, [m2];\n"
                         "ld.param.u32 %r9, [rounds]; mov.u32 %r8, 0;\n"
                         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                         "mad.lo.u32 %r3, %r1, %r2, %r3; mul.wide.u32 %d4, %r3, 4;\n"
                         "mov.u32 %r4, %nctaid.x; mul.lo.u32 %r4, %r4, %r2;\n"
                         "mul.wide.u32 %d5, %r4, 4;\nLOOP:\n"
                         "and.b64 %d6, %d4, %d11; add.u64 %d6, %d1, %d6;\n"
                         "and.b64 %d7, %d4, %d12; add.u64 %d7, %d2, %d7;\n"
                         "add.u64 %d8, %d3, %d4;\n";
static const char tail[] = "add.u64 %d4, %d4, %d5;\nadd.u32 %r8, %r8, 1;\n"
                           "setp.lt.u32 %p1, %r8, %r9;\n@%p1 bra LOOP;\nret;\n}\n";

// On the first call, all operands get their buffers.
static void place(const struct loop *loop, uint32_t rounds)
{
    struct kernel *k = &o.r.k;
    k->param_bytes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint64_t base;
        memcpy(&base, k->params + 8 * i, 8);
        base = base / ROUND * ROUND + loop->line[i] * LINE;
        memcpy(k->params + k->param_bytes, &base, 8);
        k->param_bytes += 8;
    }
    memcpy(k->params + k->param_bytes, loop->mask, sizeof loop->mask);
    k->param_bytes += sizeof loop->mask;
    kernel_u32(k, rounds);
}

static void begin(const struct loop *loop, const char *const *settings)
{
    static struct text text;
    text.length = 0;
    text_put(&text, "%s%s%s", head, loop->chain, tail);
    offload_load_text(&o, text.at, settings);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint64_t base;
        uint32_t *bytes = kernel_buffer(&o.r.k, OPERAND_LINES * LINE + ROUND);
        memcpy(&base, o.r.k.params + 8 * i, 8);
        uint64_t skipped = (ROUND - base % ROUND) % ROUND;
        base += skipped;
        memcpy(o.r.k.params + 8 * i, &base, 8);
        operand[i] = bytes + skipped / 4;
        for (uint32_t word = 0; word < OPERAND_LINES * LINE / 4; word++)
            operand[i][word] = 3 * word + 1000 * i;
    }
}

static void check(const struct loop *loop, uint32_t rounds)
{
    const uint32_t *a = operand[A] + loop->line[A] * LINE / 4;
    const uint32_t *b = operand[B] + loop->line[B] * LINE / 4;
    const uint32_t *c = operand[C] + loop->line[C] * LINE / 4;
    for (uint64_t i = 0; i < (uint64_t)rounds * CORES * THREADS; i++) {
        uint32_t value =
            loop->value(a[(4 * i & loop->mask[A]) / 4], b[(4 * i & loop->mask[B]) / 4]);
        if (c[i] != value)
            fail_msg("word %llu: %u, not %u", (unsigned long long)i, c[i], value);
    }
}

struct counts {
    double tagged, off, offloaded;
    uint64_t cycles;
};

static bool policy_is_baseline(void)
{
    return offload_config_of(&o.r.config)->policy == OFFLOAD_BASELINE;
}

static struct counts counted(void)
{
    if (policy_is_baseline())
        return (struct counts){0};
    return (struct counts){rig_stat(&o.r, "offload.chains_tagged"),
                           rig_stat(&o.r, "offload.discarded_off"),
                           rig_stat(&o.r, "offload.chains_offloaded"), 0};
}

// Returns the counts that one more launch adds.
static struct counts run(const struct loop *loop, uint32_t rounds)
{
    struct counts before = counted();
    place(loop, rounds);
    memset(operand[C], 0, OPERAND_LINES * LINE);
    uint64_t cycles = rig_run(&o.r, "k", CORES, THREADS);
    check(loop, rounds);
    struct counts after = counted();
    assert_true(policy_is_baseline() || after.tagged - before.tagged == CORES * WARPS * rounds);
    return (struct counts){after.tagged - before.tagged, after.off - before.off,
                           after.offloaded - before.offloaded, cycles};
}

static void end(void)
{
    offload_free(&o);
}

// With slow networks, whose ports limit the program.
#define ADAPTIVE SETTINGS("offload.policy=adaptive", "memory.network_clock=350")

// Checks that each core offloads probes only, one in ADAPTIVE_PROBE.
static void expect_probes(const struct counts *counts)
{
    if (counts->tagged - counts->off != counts->tagged / ADAPTIVE_PROBE)
        fail_msg("%g of %g are off", counts->off, counts->tagged);
    assert_true(counts->offloaded <= counts->tagged - counts->off);
}

static void what_saves_stays_on(void **state)
{
    static const struct loop *const loops[] = {&streams, &streams_apart};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        begin(loops[i], ADAPTIVE);
        for (uint32_t launch = 0; launch < 3; launch++) {
            struct counts counts = run(loops[i], 16);
            assert_true(counts.offloaded > counts.tagged / 2);
            assert_true(loops[i] == &streams_apart ? counts.off < counts.tagged / 10
                                                   : counts.off == 0);
        }
        end();
    }
}

// Only a measurement shows that one load stays in the L1: omni always offloads.
static void what_loses_is_turned_off(void **state)
{
    (void)state;
    begin(&one_line, SETTINGS("offload.policy=omni"));
    for (uint32_t launch = 0; launch < 2; launch++)
        assert_true(run(&one_line, MAX_ROUNDS).off == 0);
    end();
    begin(&one_line, ADAPTIVE);
    assert_true(run(&one_line, MAX_ROUNDS).off > CORES * WARPS * MAX_ROUNDS * 0.9);
    for (uint32_t launch = 0; launch < 2; launch++) {
        struct counts counts = run(&one_line, MAX_ROUNDS);
        expect_probes(&counts);
    }
    end();
}

static void turned_off_and_on_again(void **state)
{
    const struct loop reused = {
        streams_apart.chain, {LINES(32), LINES(64)}, {5, 6, 7}, streams_apart.value};
    (void)state;
    begin(&streams_apart, ADAPTIVE);
    for (uint32_t again = 0; again < 2; again++) {
        run(&streams_apart, MAX_ROUNDS);
        struct counts on = run(&streams_apart, MAX_ROUNDS);
        run(&reused, MAX_ROUNDS);
        struct counts off = run(&reused, MAX_ROUNDS);
        assert_true(on.off < on.tagged / 20);
        assert_true(on.offloaded > on.tagged / 2);
        assert_true(off.off > off.tagged * 19 / 20);
        assert_true(rig_stat(&o.r, "chain0.turned_off") > again);
        assert_true(rig_stat(&o.r, "chain0.turned_on") >= again);
    }
    end();
}

// Chains start as long as one kind is on. Rejections of other kinds are not their cost.
static void what_is_refused_costs_nothing(void **state)
{
    (void)state;
    begin(&streams_apart, ADAPTIVE);
    struct machine_offload *offload = machine_scheme(o.r.machine, &llc_omni);
    struct adaptive_counts *kind = offload->shared.chains[0].kind;
    const struct adaptive_counts off = {.saved = -ADAPTIVE_OFF, .instances = 1, .off = true};
    for (uint32_t i = 0; i < CORES; i++) // no probes so early
        queue_of(&o.r, i)->adaptive.phase = 0;
    kind[ADAPTIVE_MEET] = kind[ADAPTIVE_OPERAND] = off;
    struct counts counts = run(&streams_apart, 16);
    assert_true(counts.tagged - counts.off > ADAPTIVE_DISCARDS); // that many were begun
    assert_true(counts.offloaded == 0);
    assert_true(kind[ADAPTIVE_MEET].off);
    assert_int_equal(kind[ADAPTIVE_MEET].saved, -ADAPTIVE_OFF);
    end();
}

static uint64_t run_policy(const struct loop *loop, const char *policy, const char *also)
{
    enum { LAUNCHES = 4, ROUNDS = 16 };
    uint64_t cycles = 0;
    begin(loop, SETTINGS(policy, also));
    for (uint32_t i = 0; i < LAUNCHES; i++)
        cycles += run(loop, ROUNDS).cycles;
    end();
    return cycles;
}

// The time includes learning: until the first replies, all warps offload, for some 1,000 cycles.
// Chains whose loads meet at cores save hops, but no time where hops are not the bottleneck: with
// eight warps per core that is the latency. They stay on.
static void as_fast_as_the_best(void **state)
{
    static const struct {
        const struct loop *loop;
        double max;
    } cases[] = {
        {&streams, 1.02},   {&streams_apart, 1.04},   {&streams_result, 1.02},
        {&one_line, 1.025}, {&one_line_stored, 1.02}, {&both_reused, 1.05},
    };
    (void)state;
    for (uint32_t i = IS_SANITIZED ? 5 : 0; i < sizeof cases / sizeof *cases; i++) {
        const struct loop *loop = cases[i].loop;
        uint64_t baseline = run_policy(loop, "offload.policy=baseline", NULL);
        uint64_t omni = run_policy(loop, "offload.policy=omni", NULL);
        uint64_t adaptive = run_policy(loop, "offload.policy=adaptive", NULL);
        uint64_t min = baseline < omni ? baseline : omni;
        if ((double)adaptive > cases[i].max * (double)min)
            fail_msg("loop %u: %llu cycles, baseline %llu, omni %llu", i,
                     (unsigned long long)adaptive, (unsigned long long)baseline,
                     (unsigned long long)omni);
    }
}

// The program's metadata expect no saving of its chain, which is correct: it is only probed.
static void doubted_ones_are_only_probed(void **state)
{
    (void)state;
    begin(&one_line, ADAPTIVE);
    o.table.chains.v[0].expected_saving = -1;
    rig_build(&o.r, &o.table);
    for (uint32_t launch = 0; launch < 3; launch++) {
        struct counts counts = run(&one_line, MAX_ROUNDS);
        expect_probes(&counts);
    }
    end();
}

// The expectation may be wrong, which probes detect.
static void doubted_ones_are_turned_on(void **state)
{
    (void)state;
    begin(&streams, ADAPTIVE);
    o.table.chains.v[0].expected_saving = -1;
    rig_build(&o.r, &o.table);
    run(&streams, MAX_ROUNDS);
    struct counts counts = run(&streams, MAX_ROUNDS);
    assert_true(counts.off < counts.tagged / 20);
    end();
}

// Cores learn from each other, but not within a cycle.
static void order_of_cores_does_not_matter(void **state)
{
    uint64_t cycles[2];
    double sent[2];
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        begin(&one_line_stored, ADAPTIVE);
        o.r.shuffle = i ? 12345 : 0;
        run(&streams_apart, 16);
        struct counts counts = run(&one_line_stored, 16);
        cycles[i] = machine_cycle(o.r.machine);
        sent[i] = rig_stat(&o.r, "offload.packets");
        assert_true(counts.off > 0);
        end();
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_true(sent[0] == sent[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_saves_stays_on),
        cmocka_unit_test(what_loses_is_turned_off),
        cmocka_unit_test(turned_off_and_on_again),
        cmocka_unit_test(what_is_refused_costs_nothing),
        cmocka_unit_test(doubted_ones_are_only_probed),
        cmocka_unit_test(doubted_ones_are_turned_on),
        cmocka_unit_test(order_of_cores_does_not_matter),
        cmocka_unit_test(as_fast_as_the_best),
    };
    return cmocka_run_group_tests_name("offload_adaptive", tests, NULL, NULL);
}
