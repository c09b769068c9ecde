// Hops of the packets of chains, counted by the networks: the example of [000 Fig. 1, 3], and all
// combinations of cores and partitions. Second runs have no other traffic: instructions are cached,
// and parameters come with the launch.
#include "tests/unit/runtime-sim/chain_hops.h"
#include "tests/unit/runtime-sim/offload_fixture.h"

static struct offload_rig o;

struct travelled {
    double hops, weighted;
};

static struct travelled travel(const struct form *form, const char *const *settings)
{
    offload_load(&o, form, settings);
    assert_int_equal(memsys_endpoint_node(rig_memsys(&o.r), WHO), 18);
    offload_run(&o, LANES);
    struct travelled before = {rig_stat(&o.r, "memory.hops"),
                               rig_stat(&o.r, "memory.weighted_hops")};
    offload_run(&o, LANES);
    offload_check(&o, LANES, FULL_MASK);
    struct travelled all = {rig_stat(&o.r, "memory.hops") - before.hops,
                            rig_stat(&o.r, "memory.weighted_hops") - before.weighted};
    offload_free(&o);
    return all;
}

static void expect(struct travelled have, double hops, double weighted)
{
    if (have.hops != hops || have.weighted != weighted)
        fail_msg("%g hops, %g weighted, not %g, %g", have.hops, have.weighted, hops, weighted);
}

// Core 15 at (2, 2), loads to partitions 5 and 6, which meet at node 42, a store to 7.
static void at_the_meet_node(void **state)
{
    const struct form form = {.shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 14, 23}};
    (void)state;
    expect(travel(&form, SETTINGS("offload.policy=baseline")), 42, 126);
    expect(travel(&form, SETTINGS("offload.policy=llc")), 42, 126);
    expect(travel(&form, SETTINGS("offload.policy=omni")), 30, 78);
}

static void at_a_partition(void **state)
{
    const struct form form = {.shape = {side_by_side, side_by_side, side_by_side},
                              .line = {5, 13, 21}};
    (void)state;
    expect(travel(&form, SETTINGS("offload.policy=baseline")), 48, 144);
    expect(travel(&form, SETTINGS("offload.policy=llc")), 16, 16);
    expect(travel(&form, SETTINGS("offload.policy=omni")), 16, 16);
}

// Each core goes through all combinations of three partitions, with its own lines and another
// start: stores are acknowledged before later chains could conflict with them.

enum { TRIPLES = PARTITIONS * PARTITIONS * PARTITIONS, ROUND = PARTITIONS * LINE };

static const char all_triples[] =
    HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 p)\n{\n"
                         ".reg .b32 %r<20>; .reg .b64 %d<10>; .reg .pred %p<3>;\n"
                         "ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1;\n"
                         "mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
                         "mov.u32 %r2, 0; mov.u32 %r7, %ctaid.x; mul.lo.u32 %r7, %r7, 9;\nLOOP:\n"
                         "add.u32 %r8, %r2, %r7; and.b32 %r8, %r8, 511;\n"
                         // line = 8 · (3 · triple + operand) + partition
                         "mul.lo.u32 %r3, %r8, 24;\n"
                         "and.b32 %r4, %r8, 7; add.u32 %r4, %r4, %r3;\n"
                         "shr.u32 %r5, %r8, 3; and.b32 %r5, %r5, 7; add.u32 %r5, %r5, %r3;\n"
                         "shr.u32 %r6, %r8, 6; add.u32 %r6, %r6, %r3;\n"
                         "mul.wide.u32 %d4, %r4, 128; add.u64 %d4, %d4, %d1;\n"
                         "mul.wide.u32 %d5, %r5, 128; add.u64 %d5, %d5, %d1;\n"
                         "mul.wide.u32 %d6, %r6, 128; add.u64 %d6, %d6, %d1;\n"
                         "ld.global.u32 %r11, [%d4];\nld.global.u32 %r12, [%d5+1024];\n"
                         "add.u32 %r13, %r11, %r12;\nst.global.u32 [%d6+2048], %r13;\n"
                         "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 512;\n@%p1 bra LOOP;\n"
                         "ret;\n}\n";

static void load_triples(const char *const *settings)
{
    uint64_t base;
    offload_load_text(&o, all_triples, settings);
    uint32_t *buffer = kernel_buffer(&o.r.k, (3 * TRIPLES + 2) * ROUND);
    memcpy(&base, o.r.k.params, 8);
    uint64_t at = (base + ROUND - 1) / ROUND * ROUND;
    memcpy(o.r.k.params, &at, 8);
    o.buffer = buffer + (at - base) / 4;
    for (uint32_t i = 0; i < 3 * TRIPLES * ROUND / 4; i++)
        o.buffer[i] = i;
}

static uint32_t line_of(uint32_t triple, uint32_t operand)
{
    return PARTITIONS * (3 * triple + operand) + (triple >> 3 * operand) % PARTITIONS;
}

static void check_triples(void)
{
    for (uint32_t t = 0; t < TRIPLES; t++)
        for (uint32_t i = 0; i < LANES; i++)
            assert_int_equal(o.buffer[line_of(t, C) * LANES + i],
                             (line_of(t, A) + line_of(t, B)) * LANES + 2 * i);
}

struct share {
    double weighted, offloaded; // of all chains together
};

// Runs one CTA on each core.
static struct share travel_triples(const char *const *settings)
{
    load_triples(settings);
    offload_run(&o, LANES);
    struct share all = {0, 0};
    if (offload_config_of(&o.r.config)->policy != OFFLOAD_BASELINE) {
        all.offloaded = rig_stat(&o.r, "offload.chains_offloaded");
        assert_true(rig_stat(&o.r, "offload.chains_tagged") == CORES * TRIPLES);
    }
    all.weighted = offload_gain(&o, LANES, "memory.weighted_hops");
    check_triples();
    return all;
}

// Returns the model's hops: chains at their meet node, others at the core.
static struct share modelled(enum emn_at_llc at_llc)
{
    const struct config_list *at = &o.r.config.memsys.memory.partition_nodes;
    const struct placement *p = placement_mesh(&o.r.k.arena, 8, 8, at->v, at->n);
    struct share all = {0, 0};
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t t = 0; t < TRIPLES; t++) {
            uint32_t a = t % 8, b = t / 8 % 8, c = t / 64, from = p->core[core];
            uint16_t node = emn_find(p, from, a, b, at_llc);
            if (at_llc == EMN_LLC_NONE && a == b)
                node = EMN_NONE;
            struct chain_hops hops = node == EMN_NONE ? chain_hops_alone(p, from, a, b, c)
                                                      : chain_hops_at(p, from, node, a, b, c);
            all.weighted += hops.weighted;
            all.offloaded += node != EMN_NONE;
        }
    return all;
}

static void expect_share(const char *what, struct share have, struct share expected)
{
    if (have.weighted != expected.weighted || have.offloaded != expected.offloaded)
        fail_msg("%s: %g weighted hops, %g chains, not %g, %g", what, have.weighted, have.offloaded,
                 expected.weighted, expected.offloaded);
}

static double rounded(double value)
{
    return (double)(int64_t)(value * 1000 + 0.5) / 10;
}

// Checks the expected shares, in per cent: hops saved, and chains offloaded.
static void expect_saved(struct share have, double alone, double saved, double offloaded)
{
    assert_true(rounded(1 - have.weighted / alone) == saved);
    assert_true(rounded(have.offloaded / (CORES * TRIPLES)) == offloaded);
}

static void all_combinations(void **state)
{
    (void)state;
    struct share alone = travel_triples(SETTINGS("offload.policy=baseline"));
    assert_true((int)(alone.weighted / (CORES * TRIPLES) * 100 + 0.5) == 9490);
    offload_free(&o);
    struct share any = travel_triples(SETTINGS("offload.policy=omni"));
    expect_share("any", any, modelled(EMN_LLC_ANY));
    expect_saved(any, alone.weighted, 30.8, 81.5);
    offload_free(&o);
    if (IS_SANITIZED) // ways that differ in numbers only
        return;
    struct share to =
        travel_triples(SETTINGS("offload.policy=omni", "offload.emn_at_llc=destination"));
    expect_share("destination", to, modelled(EMN_LLC_DESTINATION));
    expect_saved(to, alone.weighted, 25.1, 64.2);
    offload_free(&o);
    struct share none = travel_triples(SETTINGS("offload.policy=omni", "offload.emn_at_llc=none"));
    expect_share("none", none, modelled(EMN_LLC_NONE));
    offload_free(&o);
    // With llc only what has all three in one partition, one of 64.
    struct share llc = travel_triples(SETTINGS("offload.policy=llc"));
    assert_true(llc.offloaded == CORES * TRIPLES / 64);
    offload_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_meet_node),
        cmocka_unit_test(at_a_partition),
        cmocka_unit_test(all_combinations),
    };
    return cmocka_run_group_tests_name("offload_hops", tests, NULL, NULL);
}
