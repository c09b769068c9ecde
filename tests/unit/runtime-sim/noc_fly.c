// Routes through butterflies.
#include "tests/unit/runtime-sim/network.h"

enum { MAX_STAGES = 12 };

// Routers that a packet passes, in order.
struct way {
    uint32_t count, router[MAX_STAGES];
};

// Sends a packet of one flit through the idle network and follows the channels that carry it.
static struct way follow(struct network *n, uint32_t source, uint32_t target)
{
    struct noc_packet packet = {
        .created = noc_cycle(n->noc), .source = source, .target = target, .flits = 1};
    uint32_t channels = noc_channels(n->noc), at = UINT32_MAX;
    uint64_t *before = calloc(channels, sizeof *before);
    struct way way = {0};
    for (uint32_t i = 0; i < channels; i++)
        before[i] = noc_channel(n->noc, i).flits;
    noc_send(n->noc, &packet);
    while (noc_next(n->noc) != UINT64_MAX)
        noc_tick(n->noc);
    for (uint32_t i = 0; i < channels; i++)
        if (noc_channel(n->noc, i).flits > before[i] &&
            noc_channel(n->noc, i).kind == NOC_CHANNEL_INJECTION)
            at = noc_channel(n->noc, i).to;
    while (way.count < MAX_STAGES) {
        struct noc_channel next = {.to = UINT32_MAX};
        way.router[way.count++] = at;
        for (uint32_t i = 0; i < channels; i++) {
            struct noc_channel channel = noc_channel(n->noc, i);
            if (channel.flits > before[i] && channel.kind != NOC_CHANNEL_INJECTION &&
                channel.from == at)
                next = channel;
        }
        at = next.to;
        if (next.kind == NOC_CHANNEL_EJECTION)
            break;
    }
    free(before);
    assert_int_equal(at, target);
    assert_int_equal(noc_peek(n->noc, target, 0)->routers, way.count);
    noc_pop(n->noc, target, 0);
    return way;
}

static void check_routers(const char *settings, uint32_t terminals)
{
    struct network n;
    begin(&n, settings);
    assert_int_equal(noc_fly_terminals(&n.config), terminals);
    for (uint32_t from = 0; from < terminals; from++)
        for (uint32_t to = 0; to < terminals; to++) {
            struct way way = follow(&n, from, to);
            assert_int_equal(way.count, n.config.stages);
            for (uint32_t stage = 0; stage < way.count; stage++)
                assert_int_equal(noc_fly_router(&n.config, stage, from, to), way.router[stage]);
        }
    end(&n);
}

static void test_routers_of_ways(void **state)
{
    (void)state;
    check_routers("topology=fly radix=4 stages=3", 64);
    check_routers("topology=fly radix=2 stages=4", 16);
    check_routers("topology=fly radix=3 stages=3", 27);
    check_routers("topology=fly radix=5 stages=1", 5);
}

// A packet of the reversed butterfly passes the routers of the one from its target to its source.
static void check_ways_back(const char *settings)
{
    struct network n, back;
    begin(&n, settings);
    begin(&back, arena_printf(&n.arena, "%s reversed=true", settings));
    assert_int_equal(noc_nodes(n.noc), noc_nodes(back.noc));
    assert_int_equal(noc_routers(n.noc), noc_routers(back.noc));
    for (uint32_t from = 0; from < noc_nodes(n.noc); from++)
        for (uint32_t to = 0; to < noc_nodes(n.noc); to++) {
            assert_int_equal(noc_reaches(&n.config, from, to), noc_reaches(&back.config, to, from));
            if (!noc_reaches(&n.config, from, to))
                continue;
            struct way way = follow(&n, from, to), other = follow(&back, to, from);
            assert_int_equal(way.count, other.count);
            for (uint32_t i = 0; i < way.count; i++)
                assert_int_equal(way.router[i], other.router[way.count - 1 - i]);
        }
    verify(&n);
    verify(&back);
    end(&back);
    end(&n);
}

static void test_reversed(void **state)
{
    (void)state;
    check_ways_back("topology=fly radix=4 stages=3");
    check_ways_back("topology=fly radix=2 stages=4 router_nodes=true");
    check_ways_back("topology=fly radix=3 stages=3 router_nodes=true");
    check_ways_back("topology=fly radix=5 stages=1 router_nodes=true");
}

// Returns, for each pair of routers, the number of routers from the first to the second on a route
// between terminals; 0: no route passes both.
static uint32_t **routers_of_ways(struct network *n)
{
    uint32_t terminals = noc_fly_terminals(&n->config), routers = noc_routers(n->noc);
    uint32_t **passed = ARENA_ARRAY(&n->arena, uint32_t *, routers);
    for (uint32_t i = 0; i < routers; i++)
        passed[i] = ARENA_ARRAY(&n->arena, uint32_t, routers);
    for (uint32_t from = 0; from < terminals; from++)
        for (uint32_t to = 0; to < terminals; to++)
            for (uint32_t i = 0; i < n->config.stages; i++)
                for (uint32_t k = i; k < n->config.stages; k++) {
                    uint32_t first = noc_fly_router(&n->config, i, from, to);
                    uint32_t last = noc_fly_router(&n->config, k, from, to);
                    passed[n->config.reversed ? last : first][n->config.reversed ? first : last] =
                        k - i + 1;
                }
    return passed;
}

// Returns the latency of a packet through the idle network.
static uint64_t cross(struct network *n, uint32_t source, uint32_t target, uint32_t flits)
{
    struct noc_packet packet = {
        .created = noc_cycle(n->noc), .source = source, .target = target, .flits = (uint16_t)flits};
    noc_send(n->noc, &packet);
    while (noc_next(n->noc) != UINT64_MAX)
        noc_tick(n->noc);
    const struct noc_packet *come = noc_peek(n->noc, target, 0);
    assert_non_null(come);
    uint64_t latency = come->arrived - come->created;
    noc_pop(n->noc, target, 0);
    return latency;
}

// Checks all pairs: 5 · H + 2 + (L − 1) cycles for the H routers between both on a route.
static void check_latencies(const char *settings)
{
    struct network n;
    begin(&n, settings);
    uint32_t nodes = noc_nodes(n.noc), terminals = noc_fly_terminals(&n.config), pairs = 0;
    uint32_t **passed = routers_of_ways(&n), with_router = 0;
    for (uint32_t from = 0; from < nodes; from++)
        for (uint32_t to = 0; to < nodes; to++) {
            uint32_t enter, leave;
            if (from >= terminals)
                enter = from - terminals;
            else
                enter = noc_fly_router(&n.config, n.config.reversed ? n.config.stages - 1 : 0, from,
                                       from);
            if (to >= terminals)
                leave = to - terminals;
            else
                leave =
                    noc_fly_router(&n.config, n.config.reversed ? 0 : n.config.stages - 1, to, to);
            uint32_t routers = passed[enter][leave];
            assert_int_equal(noc_reaches(&n.config, from, to), routers > 0);
            if (!routers)
                continue;
            pairs++;
            with_router += from >= terminals || to >= terminals;
            assert_int_equal(cross(&n, from, to, 1), 5 * routers + 2);
            assert_int_equal(cross(&n, from, to, 5), 5 * routers + 2 + 4);
        }
    assert_true(pairs >= terminals * terminals);
    assert_int_equal(with_router > 0, n.config.router_nodes);
    verify(&n);
    end(&n);
}

static void test_latencies(void **state)
{
    (void)state;
    static const char *const networks[] = {"radix=4 stages=3", "radix=2 stages=4",
                                           "radix=3 stages=2", "radix=5 stages=1",
                                           "radix=3 stages=3 injection_ports=2"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t k = 0; k < 4; k++) {
            char settings[128];
            snprintf(settings, sizeof settings, "topology=fly %s reversed=%s router_nodes=%s",
                     networks[i], k & 1 ? "true" : "false", k & 2 ? "true" : "false");
            check_latencies(settings);
        }
}

// In each stage of a 4-ary 3-fly, one node sends to the last terminal and receives from it, or from
// the first.
static void test_stages(void **state)
{
    (void)state;
    for (uint32_t back = 0; back < 2; back++) {
        struct network n;
        begin(&n, back ? "topology=fly router_nodes=true reversed=true"
                       : "topology=fly router_nodes=true");
        assert_int_equal(noc_nodes(n.noc), 64 + 48);
        for (uint32_t stage = 0; stage < 3; stage++) {
            uint32_t node = 64 + noc_fly_router(&n.config, stage, 5, 62);
            uint32_t from = back ? 62 : 5, to = back ? 5 : 62, before = back ? 2 - stage : stage;
            assert_int_equal(cross(&n, from, node, 5), 5 * (before + 1) + 6);
            assert_int_equal(cross(&n, node, to, 5), 5 * (3 - before) + 6);
            assert_int_equal(cross(&n, node, node, 5), 5 + 6);
        }
        end(&n);
    }
}

static void check_traffic(const char *settings, double load, uint32_t flits)
{
    struct network n;
    begin(&n, settings);
    struct traffic_test t = traffic_begin(&n, load, flits);
    uint64_t sent_at_routers = 0, come_at_routers = 0;
    traffic_run(&t, 300);
    traffic_drain(&t);
    for (uint32_t i = noc_fly_terminals(&n.config); i < noc_nodes(n.noc); i++) {
        sent_at_routers += noc_node(n.noc, i).flits_entered;
        come_at_routers += noc_node(n.noc, i).flits_arrived;
    }
    assert_true(t.come > 100 && sent_at_routers > 100 && come_at_routers > 100);
    end(&n);
}

static void test_traffic(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "radix=4 stages=3",
        "reversed=true",
        "radix=3 stages=3 reversed=true classes=2 ejection_queue=8 injection_queue=16",
        "radix=3 stages=2 injection_ports=2 injection_links=2 speedup=2",
        "radix=10 stages=2 reversed=true",
        "radix=2 stages=7 reversed=true vcs=2 vc_buffer=2", // whose routes are computed on the way
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t k = 0; k < 4; k++) {
            char settings[256];
            snprintf(settings, sizeof settings,
                     "topology=fly router_nodes=true %s vc_allocator=%s sw_allocator=%s",
                     networks[i], k & 1 ? "separable" : "islip", k & 2 ? "separable" : "islip");
            check_traffic(settings, 0.15, 3);
            check_traffic(settings, 1, 1);
        }
}

// Counters: hops of a packet to and from a node at a router, and the use of both.
static void test_counters(void **state)
{
    (void)state;
    struct network n;
    struct stats stats;
    double value;
    begin(&n, "topology=fly router_nodes=true");
    stats_init(&stats, &n.arena);
    uint32_t router = noc_fly_router(&n.config, 1, 5, 62), node = 64 + router;
    cross(&n, 5, node, 3);
    assert_int_equal(noc_class_stats(n.noc, 0)->hops, 1);
    assert_int_equal(noc_class_stats(n.noc, 0)->weighted_hops, 3);
    cross(&n, node, 62, 4);
    assert_int_equal(noc_class_stats(n.noc, 0)->hops, 2);
    assert_int_equal(noc_class_stats(n.noc, 0)->weighted_hops, 7);
    noc_use_add(n.noc, &stats, "noc");
    assert_true(
        stats_find(&stats, NULL, arena_printf(&n.arena, "noc.node%u.flits_arrived", node), &value));
    assert_true(value == 3);
    assert_true(
        stats_find(&stats, NULL, arena_printf(&n.arena, "noc.node%u.flits_entered", node), &value));
    assert_true(value == 4);
    assert_true(
        stats_find(&stats, NULL, arena_printf(&n.arena, "noc.router%u.flits", router), &value));
    assert_true(value == 7);
    end(&n);
}

// A node at a router that accepts no packet in time is named as the cause of the waiting.
static void test_report(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "topology=fly router_nodes=true ejection_queue=1");
    uint32_t node = 64 + noc_fly_router(&n.config, 1, 5, 62);
    struct noc_packet packet = {.source = 5, .target = node, .flits = 2};
    noc_send(n.noc, &packet);
    noc_send(n.noc, &packet);
    while (noc_next(n.noc) != UINT64_MAX && noc_cycle(n.noc) < 100)
        noc_tick(n.noc);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    noc_report(n.noc, to, 5);
    fclose(to);
    char *place = arena_printf(&n.arena, "at node %u (from router %u", node, node - 64);
    if (!strstr(text, place) || !strstr(text, "waits for the node to accept arrived packets"))
        fail_msg("%s", text);
    free(text);
    end(&n);
}

static void test_no_butterfly(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "topology=crossbar nodes=16");
    assert_int_equal(noc_fly_terminals(&n.config), 0);
    end(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routers_of_ways), cmocka_unit_test(test_reversed),
        cmocka_unit_test(test_latencies),       cmocka_unit_test(test_stages),
        cmocka_unit_test(test_traffic),         cmocka_unit_test(test_counters),
        cmocka_unit_test(test_report),          cmocka_unit_test(test_no_butterfly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
