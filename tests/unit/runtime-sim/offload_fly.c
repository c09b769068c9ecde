// A chain in a butterfly whose routers compute [000 §6.2]: the place, cycle by cycle, and the hops
// of its packets. 64 nodes, 3 stages of 16 routers; the core is at node 18, partitions 4 to 7 at
// 36, 47, 49 and 61. A router's number from 16 · stage on consists of the nodes' base-4 digits
// without the lowest: first the corrected digits of the target, then those of the core.
#include "tests/unit/runtime-sim/offload_script.h"

static struct offload_rig o;
static struct script s;

enum { STAGES = 3, NODES = 64 };
enum { FIRST_STAGE = 4, SECOND_STAGE = 16 + 3 * 4 + 0 }; // of ways from 18 to 49 and 61

#define ALL_AT(a, b, c) .shape = {side_by_side, side_by_side, side_by_side}, .line = {a, b, c}
#define OMNI(...) SETTINGS("offload.policy=omni", BUTTERFLIES, ##__VA_ARGS__)

static void begin(const struct form *form, const char *const *settings)
{
    offload_load(&o, form, settings);
    s.count = 0;
    s.at = 0;
}

// Returns the endpoint of the router.
static uint32_t at_router(uint32_t router)
{
    const struct memsys *memsys = rig_memsys(&o.r);
    uint32_t end = memsys_router_endpoint(memsys, router);
    assert_int_equal(end, CORES + PARTITIONS + router);
    assert_int_equal(memsys_kind_of_endpoint(memsys, end), MEMSYS_AT_ROUTER);
    assert_int_equal(memsys_endpoint_at(memsys, NODES + router), end);
    return end;
}

// The data of the two loads arrive at the same time, one flit per cycle in turn.
enum { IN_TURNS = 4 };

// Operands come through the networks, as at a core, but the queue accepts them itself, as at a
// partition, and so proceeds in the same cycle.

static void then_router_waits(uint32_t router)
{
    uint64_t asked = s.at;
    uint32_t end = at_router(router);
    for (uint32_t i = 0; i < 2; i++) {
        s.at = asked + i;
        then(&s, 1, OFFLOAD_ASKED, end);
        then(&s, round_trip(&o, end, 7, 1, 5) + IN_TURNS, OFFLOAD_THERE, end);
    }
    then(&s, 0, OFFLOAD_READS, end);
    then(&s, o.r.config.core.shared_latency, OFFLOAD_BUFFERED, end);
}

// The router computes, with its own ALU. The store goes to its partition.
static void then_router_computes(uint32_t router, uint32_t partition)
{
    uint32_t end = at_router(router);
    then(&s, 1, OFFLOAD_COMPUTES, end);
    then(&s, alu(&o), OFFLOAD_COMPUTED, end);
    then(&s, 0, OFFLOAD_STORES, end);
    then(&s, round_trip(&o, end, partition, 5, 1), OFFLOAD_STORED, end);
    then(&s, 0, OFFLOAD_ANSWERS, end);
    then(&s, way(&o, end, WHO, 1), OFFLOAD_ANSWER, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
}

static void then_packet(uint32_t router, enum begins begins, enum offload_event event)
{
    then_forms(&s, begins);
    then(&s, 1, OFFLOAD_SENT, WHO);
    then(&s, way(&o, WHO, at_router(router), 1), event, at_router(router));
}

static void at_a_router(uint32_t router, uint32_t a, uint32_t b, uint32_t c)
{
    begin(&(struct form){ALL_AT(a, b, c)}, OMNI());
    offload_run(&o, LANES);
    offload_run(&o, LANES);
    then_packet(router, SECOND_OF_PAIR, OFFLOAD_ARRIVED);
    then_router_waits(router);
    then_router_computes(router, c % PARTITIONS);
    expect_notices(&o, &s);
    expect_number("operations", rig_stat(&o.r, "offload.alu_at_routers"), 2);
    expect_number("busy", rig_stat(&o.r, "offload.alu_busy_routers"), 2);
    expect_number("packets", rig_stat(&o.r, "offload.packets_to_routers"), 2);
    expect_number("to others", rig_stat(&o.r, "offload.packets_to_llc"), 0);
    for (o.r.shuffle = 1; o.r.shuffle < 4; o.r.shuffle++) {
        offload_run(&o, LANES);
        expect_notices(&o, &s);
    }
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

static void in_the_first_stage(void **state)
{
    (void)state;
    at_a_router(FIRST_STAGE, 5, 14, 23);
}

static void in_the_second_stage(void **state)
{
    (void)state;
    at_a_router(SECOND_STAGE, 6, 15, 22);
}

// The first warp's packet takes the queue's only entry: the router forwards the second one's loads
// in the core's name, and the second warp replays.
static void queue_full(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(6, 15, 22), .stride = 8, .before = SECOND_LATER},
          OMNI("offload.service_queue=1"));
    offload_run(&o, 2 * LANES);
    offload_run(&o, 2 * LANES);
    then_packet(SECOND_STAGE, FIRST_OF_PAIR, OFFLOAD_ARRIVED);
    then_router_waits(SECOND_STAGE);
    then_router_computes(SECOND_STAGE, 6);
    s.at = second_begins(&o);
    then_packet(SECOND_STAGE, FIRST_OF_PAIR, OFFLOAD_BOUNCED);
    uint64_t back = way(&o, at_router(SECOND_STAGE), end_of(6), 1) + o.r.config.memsys.llc.latency +
                    way(&o, end_of(6), WHO, 5);
    then(&s, 1 + back + IN_TURNS, OFFLOAD_LOAD_BACK, WHO);
    then(&s, 1, OFFLOAD_LOAD_BACK, WHO);
    then(&s, alu(&o), OFFLOAD_REPLAYED, WHO);
    then(&s, 0, OFFLOAD_ENDS, WHO);
    expect_notices(&o, &s);
    expect_number("bounced", rig_stat(&o.r, "offload.bounced"), 2);
    offload_check(&o, 2 * LANES, FULL_MASK);
    offload_free(&o);
}

// Hops

struct travelled {
    double hops, weighted, to_routers;
    uint32_t stage; // in which a router is on all ways
};

// Returns the stage of the last router that the three routes have in common.
static uint32_t common_stage(const struct form *form)
{
    uint32_t from = memsys_endpoint_node(rig_memsys(&o.r), WHO);
    const struct memsys_config *memsys = &o.r.config.memsys;
    uint32_t stage = 0, router[OPERANDS];
    for (; stage + 1 < STAGES; stage++) {
        for (uint32_t i = 0; i < OPERANDS; i++) {
            uint64_t to = memsys->memory.partition_nodes.v[form->line[i] % PARTITIONS];
            router[i] = noc_fly_router(&memsys->request_network, stage + 1, from, (uint32_t)to);
        }
        if (router[A] != router[B] || router[A] != router[C])
            break;
    }
    return stage;
}

static struct travelled travel(const struct form *form, const char *const *settings)
{
    struct travelled all;
    begin(form, settings);
    offload_run(&o, LANES);
    double had = rig_stat(&o.r, "memory.hops");
    all.weighted = offload_gain(&o, LANES, "memory.weighted_hops");
    all.hops = rig_stat(&o.r, "memory.hops") - had;
    all.stage = common_stage(form);
    all.to_routers = rig_stat(&o.r, "offload.packets_to_routers");
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
    return all;
}

// Returns the hops of the example's packets for a router in this stage: packet and reply of one
// flit each up to there, and 6 flits of requests and replies for the loads and the store from there
// on.
static struct travelled at_stage(uint32_t stage)
{
    uint32_t left = STAGES - 1 - stage;
    return (struct travelled){2 * stage + 3 * 2 * left, 2 * stage + 3 * 6 * left, 0, stage};
}

static void expect_hops(const uint32_t *partition, const char *where, uint32_t stage)
{
    const struct form form = {ALL_AT(partition[A], partition[B], partition[C])};
    struct travelled alone = travel(&form, SETTINGS("offload.policy=llc", BUTTERFLIES, where));
    struct travelled with = travel(&form, OMNI(where));
    struct travelled expected = at_stage(stage);
    assert_int_equal(with.stage, stage);
    expect_number("alone", alone.hops, at_stage(0).hops);
    expect_number("alone, weighted", alone.weighted, at_stage(0).weighted);
    expect_number("hops", with.hops, expected.hops);
    expect_number("weighted", with.weighted, expected.weighted);
    assert_true(stage ? with.weighted < alone.weighted : with.weighted == alone.weighted);
    expect_number("to routers", with.to_routers, 2);
}

// In the first stage only the core's own channels carry less, not those between routers. For the
// last stage, partitions are at all four nodes of a router.
static void what_is_travelled(void **state)
{
    static const char usual[] = "memory.partition_nodes=[3, 15, 17, 29, 36, 47, 49, 61]",
                      in_fours[] = "memory.partition_nodes=[32, 33, 34, 35, 48, 49, 50, 51]";
    (void)state;
    expect_hops((uint32_t[]){5, 14, 23}, usual, 0);
    expect_hops((uint32_t[]){6, 15, 22}, usual, 1);
    expect_hops((uint32_t[]){5, 14, 23}, in_fours, 2);
}

// If routers compute from a certain stage on, chains that meet before it are left to the core.
static void later_stages_only(void **state)
{
    static const struct {
        const char *setting;
        uint32_t stage, packets; // in which the chain's ways part
    } cases[] = {{"offload.router_stage=0", 0, 2},
                 {"offload.router_stage=1", 0, 0},
                 {"offload.router_stage=1", 1, 2},
                 {"offload.router_stage=2", 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool first = cases[i].stage == 0;
        const struct form early = {ALL_AT(5, 14, 23)}, late = {ALL_AT(6, 15, 22)};
        struct travelled found = travel(first ? &early : &late, OMNI(cases[i].setting));
        assert_int_equal(found.stage, cases[i].stage);
        expect_number(cases[i].setting, found.to_routers, cases[i].packets);
        struct travelled expected = at_stage(cases[i].packets ? cases[i].stage : 0);
        expect_number("hops", found.weighted, expected.weighted);
    }
}

// A launch that leaves no shared memory has no chains computed at cores; routers need no shared
// memory.
static void shared_memory_is_not_needed(void **state)
{
    (void)state;
    begin(&(struct form){ALL_AT(5, 14, 23), .before = ".shared .align 4 .b8 s[24577];"},
          OMNI("core.ctas=1"));
    offload_run(&o, LANES);
    expect_number("packets", rig_stat(&o.r, "offload.packets_to_routers"), 1);
    offload_check(&o, LANES, FULL_MASK);
    offload_free(&o);
}

// Policies other than omni and adaptive use partitions only, and these only if all lines are in one
// partition.
static void partitions_alone(void **state)
{
    (void)state;
    const struct form elsewhere = {ALL_AT(5, 14, 23)}, together = {ALL_AT(5, 13, 21)},
                      loads = {ALL_AT(5, 13, 22)};
    expect_number("llc", travel(&elsewhere, SETTINGS("offload.policy=llc", BUTTERFLIES)).to_routers,
                  0);
    expect_number("one partition", travel(&together, OMNI()).to_routers, 0);
    expect_number("its weighted hops", travel(&together, OMNI()).weighted, 4);
    expect_number("loads of one", travel(&loads, OMNI()).to_routers, 0);
    expect_number("weighted hops", travel(&loads, OMNI()).weighted, 4 + 6 * 2);
    expect_number("no router",
                  travel(&elsewhere, SETTINGS("offload.policy=omni", "request_network.topology=fly",
                                              "reply_network.topology=fly"))
                      .to_routers,
                  0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_first_stage), cmocka_unit_test(in_the_second_stage),
        cmocka_unit_test(queue_full),         cmocka_unit_test(what_is_travelled),
        cmocka_unit_test(later_stages_only),  cmocka_unit_test(shared_memory_is_not_needed),
        cmocka_unit_test(partitions_alone),
    };
    return cmocka_run_group_tests_name("offload_fly", tests, NULL, NULL);
}
