// Injection of many packets by a few nodes: split queues, links and crossbar inputs per node,
// shared ports, priorities of injected packets [004], and the ideal network.
#include "tests/unit/runtime-sim/network.h"

// The network of [004 Table I]; its memory controllers are at the places of a diamond.
#define MESH                                                                                       \
    "width=6 height=6 routing=xy vcs=4 vc_buffer=9 injection_queue=36 node_link=9 "                \
    "vc_allocator=separable sw_allocator=separable "
#define SUPPLY "injection_links=4 injection_vc=own "
#define CONSUME "injection_speedup=4 "
#define SHARED "injection_ports=2 injection_shared=true "
enum { LONG = 9 };
static const uint32_t CONTROLLERS[] = {3, 7, 10, 12, 23, 25, 28, 32};

static bool is_controller(uint32_t node)
{
    bool found = false;
    for (size_t i = 0; i < sizeof CONTROLLERS / sizeof *CONTROLLERS; i++)
        found |= CONTROLLERS[i] == node;
    return found;
}

static void send(struct network *n, uint32_t source, uint32_t target, uint32_t flits,
                 uint32_t priority)
{
    struct noc_packet packet = {.created = noc_cycle(n->noc),
                                .source = source,
                                .target = target,
                                .flits = (uint16_t)flits,
                                .priority = (uint8_t)priority};
    noc_send(n->noc, &packet);
}

static void pop_all(struct network *n)
{
    for (uint32_t node = 0; node < noc_nodes(n->noc); node++)
        while (noc_peek(n->noc, node, 0))
            noc_pop(n->noc, node, 0);
}

// Four long packets of a controller, one to each neighbour

static void check_tails(const char *settings, const uint32_t *expected)
{
    static const uint32_t targets[] = {8, 6, 13, 1};
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(noc_can_send(n.noc, 7, 0, LONG));
        send(&n, 7, targets[i], LONG, 0);
        noc_tick(n.noc);
    }
    while (noc_next(n.noc) != UINT64_MAX)
        noc_tick(n.noc);
    for (uint32_t i = 0; i < 4; i++) {
        const struct noc_packet *packet = noc_peek(n.noc, targets[i], 0);
        if (packet->arrived != expected[i])
            fail_msg("%s: packet %u arrives in %llu", settings, i,
                     (unsigned long long)packet->arrived);
    }
    end(&n);
}

static void test_tails(void **state)
{
    (void)state;
    static const uint32_t one_by_one[] = {20, 29, 38, 47}, late[] = {42, 43, 44, 45},
                          together[] = {20, 21, 22, 23};
    check_tails(MESH, one_by_one);
    check_tails(MESH SUPPLY, late);
    check_tails(MESH CONSUME, one_by_one);
    check_tails(MESH SUPPLY CONSUME, together);
    check_tails(MESH "injection_links=4 injection_vc=any " CONSUME, together);
    check_tails(MESH SHARED, one_by_one);
}

// Controllers that send all they can to other nodes

struct flood {
    struct network n;
    uint64_t random;
    uint32_t target[36]; // of each source's next packet
    uint64_t sent;
};

static uint32_t draw_target(struct flood *f)
{
    uint32_t target;
    do
        target = (uint32_t)(splitmix64(&f->random) % 36);
    while (is_controller(target));
    return target;
}

static void flood_begin(struct flood *f, const char *settings)
{
    *f = (struct flood){.random = 5};
    begin(&f->n, settings);
    for (uint32_t i = 0; i < 36; i++)
        f->target[i] = draw_target(f);
}

static void flood_cycle(struct flood *f, uint32_t only)
{
    for (uint32_t i = 0; i < 36; i++) {
        bool sends = is_controller(i) && (only == UINT32_MAX || i == only);
        if (!sends || !noc_can_send(f->n.noc, i, 0, LONG))
            continue;
        send(&f->n, i, f->target[i], LONG, 0);
        f->sent++;
        f->target[i] = draw_target(f);
    }
    noc_tick(f->n.noc);
    pop_all(&f->n);
}

// Returns the flits per cycle that arrive while one controller, or all of them, send all they can.
static double flood_rate(const char *settings, uint32_t only)
{
    enum { WARM_UP = 1000, CYCLES = 20000 };
    struct flood f;
    uint64_t before = 0;
    flood_begin(&f, settings);
    for (uint32_t i = 0; i < WARM_UP + CYCLES; i++) {
        if (i == WARM_UP)
            before = noc_class_stats(f.n.noc, 0)->flits;
        flood_cycle(&f, only);
    }
    double rate = (double)(noc_class_stats(f.n.noc, 0)->flits - before) / CYCLES;
    verify(&f.n);
    end(&f.n);
    return rate;
}

static void check_rate(const char *settings, uint32_t only, double min, double max)
{
    double rate = flood_rate(settings, only);
    if (rate < min || rate > max * 1.002) // a packet more may end in the window than begins
        fail_msg("%s, node %u: %f flits per cycle", settings, only, rate);
}

// The channel to the first router that most targets share is the bottleneck.
static void test_one_controller(void **state)
{
    (void)state;
    check_rate(MESH, 12, 0.99, 1);
    check_rate(MESH SUPPLY, 12, 0.97, 1);
    check_rate(MESH CONSUME, 12, 0.99, 1);
    check_rate(MESH SUPPLY CONSUME, 12, 0.97 * 28 / 23, 28.0 / 23);
    check_rate(MESH SUPPLY CONSUME, 7, 0.96 * 28 / 19, 28.0 / 19);
    check_rate(MESH SUPPLY CONSUME, 32, 0.85 * 28 / 14, 28.0 / 14);
    check_rate(MESH SUPPLY CONSUME "routing=adaptive", 12, 1.8, 2.25);
}

static void test_all_controllers(void **state)
{
    (void)state;
    double base = flood_rate(MESH, UINT32_MAX), supply = flood_rate(MESH SUPPLY, UINT32_MAX);
    double both = flood_rate(MESH SUPPLY CONSUME, UINT32_MAX);
    double adaptive = flood_rate(MESH "routing=adaptive", UINT32_MAX);
    double adaptive_both = flood_rate(MESH SUPPLY CONSUME "routing=adaptive", UINT32_MAX);
    double shared = flood_rate(MESH SHARED, UINT32_MAX);
    assert_true(adaptive < base);
    assert_true(supply <= base);
    assert_true(both > base * 1.4);
    assert_true(adaptive_both > both * 1.1);
    assert_true(shared > base * 0.99 && shared <= 8);
}

// All controllers send the same packets, on the same routes.
static void test_same_packets(void **state)
{
    (void)state;
    static const char *const networks[] = {
        MESH,
        MESH SUPPLY,
        MESH CONSUME,
        MESH SUPPLY CONSUME,
        MESH SHARED,
        MESH "ideal=true",
        MESH SUPPLY "injection_speedups=[4,3,2,1] injection_nodes=[3,7,10,12]",
        MESH SUPPLY CONSUME "injection_by_outputs=true priority_wait=50 priority_lift=injection",
    };
    uint64_t flits = 0, hops = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct flood f;
        flood_begin(&f, networks[i]);
        while (f.sent < 4000)
            for (uint32_t k = 0; k < 8; k++) { // in an order that the network does not change
                while (!noc_can_send(f.n.noc, CONTROLLERS[k], 0, LONG)) {
                    noc_tick(f.n.noc);
                    pop_all(&f.n);
                }
                send(&f.n, CONTROLLERS[k], draw_target(&f), LONG, f.sent++ % 2);
            }
        for (; noc_next(f.n.noc) != UINT64_MAX; pop_all(&f.n))
            noc_tick(f.n.noc);
        const struct noc_class_stats *stats = noc_class_stats(f.n.noc, 0);
        assert_int_equal(stats->packets, f.sent);
        assert_int_equal(stats->flits, f.sent * LONG);
        flits = i ? flits : stats->flits;
        hops = i ? hops : stats->hops;
        assert_int_equal(stats->flits, flits);
        assert_int_equal(stats->hops, hops);
        assert_int_equal(noc_stats(f.n.noc)->noc_link, hops * LONG);
        assert_int_equal(noc_in_flight(f.n.noc), 0);
        verify(&f.n);
        end(&f.n);
    }
}

// A controller that has more to send than the network accepts fills its queue, however long it is.
static void test_occupancy(void **state)
{
    (void)state;
    for (uint32_t packets = 4; packets <= 80; packets += 19) {
        char settings[256];
        struct flood f;
        snprintf(settings, sizeof settings, MESH "injection_queue=%u", packets * LONG);
        flood_begin(&f, settings);
        for (uint32_t i = 0; i < 20000; i++)
            flood_cycle(&f, 12);
        double mean = (double)noc_node(f.n.noc, 12).queue_sum / (double)noc_cycle(f.n.noc);
        assert_true(mean > (packets - 1) * LONG && mean <= packets * LONG);
        end(&f.n);
    }
}

// Virtual channels and ports

// Returns the flits that enter in the first cycles if only one of two links has work.
static uint64_t entered_by_one_link(const char *settings)
{
    struct network n;
    begin(&n, settings);
    send(&n, 7, 8, 1, 0);
    send(&n, 7, 8, 30, 0);
    for (uint32_t i = 0; i < 8; i++)
        send(&n, 7, 8, 1, 0); // to the shorter queue
    for (uint32_t i = 0; i < 4; i++)
        noc_tick(n.noc);
    uint64_t entered = noc_node(n.noc, 7).flits_entered;
    end(&n);
    return entered;
}

static void test_own_channels(void **state)
{
    (void)state;
#define PAIR "width=3 height=3 vcs=4 vc_buffer=1 injection_links=2 node_link=0 injection_queue=0 "
    // Link 0 has channels 0 and 2; the long packet of link 1 has one and stops for its credit.
    assert_int_equal(entered_by_one_link(PAIR "injection_vc=own"), 2 + 1);
    assert_int_equal(entered_by_one_link(PAIR "injection_vc=any"), 3 + 1);
#undef PAIR
}

// Returns the flits per cycle of a node that sends to all sides through two ports.
static double rate_to_all_sides(const char *settings)
{
    enum { CYCLES = 4000 };
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t k = 0; k < 4; k++)
            if (noc_can_send(n.noc, 4, 0, 4))
                send(&n, 4, (i + k) % 4 * 2 + 1, 4, 0);
        noc_tick(n.noc);
        pop_all(&n);
    }
    double rate = (double)noc_class_stats(n.noc, 0)->flits / CYCLES;
    verify(&n);
    end(&n);
    return rate;
}

static void test_shared_queue(void **state)
{
    (void)state;
#define SMALL "width=3 height=3 injection_queue=36 "
    assert_in_range(rate_to_all_sides(SMALL SHARED) * 1000, 980, 1000);
    assert_true(rate_to_all_sides(SMALL "injection_ports=2") > 1.8);
    struct network n;
    begin(&n, SMALL SHARED);
    for (uint32_t i = 0; i < 6; i++)
        send(&n, 4, 1, 5, 0);
    while (noc_next(n.noc) != UINT64_MAX)
        noc_tick(n.noc);
    for (uint32_t i = 0; i < noc_channels(n.noc); i++) {
        struct noc_channel channel = noc_channel(n.noc, i);
        bool is_port = channel.kind == NOC_CHANNEL_INJECTION && channel.from == 4;
        assert_true(!is_port || channel.flits == 3 * 5); // packets take the ports in turn
    }
    end(&n);
#undef SMALL
}

// Inputs of the crossbar

static void test_speed_of_nodes(void **state)
{
    (void)state;
#define NODES MESH SUPPLY "injection_nodes=[12,32] injection_speedups="
    check_rate(NODES "[1,4]", 12, 0.97, 1);
    check_rate(NODES "[4,1]", 12, 0.97 * 28 / 23, 28.0 / 23);
    check_rate(NODES "[4,1]", 32, 0.95, 1);
    check_rate(NODES "[1,4]", 32, 1.7, 2);
#undef NODES
}

// Returns the rate of a node in a row of three: the middle node has two outgoing channels, those at
// the ends have one.
static double rate_in_row(const char *settings, uint32_t source)
{
    enum { CYCLES = 4000 };
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < CYCLES; i++) {
        if (noc_can_send(n.noc, source, 0, 4))
            send(&n, source, i % 3, 4, 0);
        noc_tick(n.noc);
        pop_all(&n);
    }
    double rate = (double)noc_class_stats(n.noc, 0)->flits / CYCLES;
    end(&n);
    return rate;
}

static void test_speed_by_outputs(void **state)
{
    (void)state;
#define ROW "width=3 height=1 vcs=6 injection_links=3 injection_speedup=3 injection_queue=24 "
    assert_true(rate_in_row(ROW, 0) > 1.3);
    assert_in_range(rate_in_row(ROW "injection_by_outputs=true", 0) * 1000, 900, 1000);
    assert_true(rate_in_row(ROW "injection_by_outputs=true", 1) > 1.5);
#undef ROW
}

// One packet at a time is handed over, however short it is.
static void test_hand_over(void **state)
{
    (void)state;
    struct network n;
    begin(&n, MESH SUPPLY);
    for (uint32_t flits = 1; flits <= LONG; flits += LONG - 1) {
        assert_true(noc_can_send(n.noc, 7, 0, 1));
        send(&n, 7, 8, flits, 0);
        assert_false(noc_can_send(n.noc, 7, 0, 1));
        noc_tick(n.noc);
    }
    assert_true(noc_can_send(n.noc, 7, 0, 1));
    end(&n);
}

// Priorities: nodes 0 and 1 of a row send to node 2; injected packets of node 1 compete with
// passing ones

// Returns the share of node 1, in thousandths.
static uint64_t share_of_injected(const char *settings)
{
    enum { CYCLES = 20000 };
    struct network n;
    uint64_t come[2] = {0};
    begin(&n, settings);
    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t node = 0; node < 2; node++)
            if (noc_can_send(n.noc, node, 0, LONG))
                send(&n, node, 2, LONG, 1);
        noc_tick(n.noc);
        for (const struct noc_packet *p; (p = noc_peek(n.noc, 2, 0)); noc_pop(n.noc, 2, 0))
            come[p->source]++;
    }
    verify(&n);
    end(&n);
    return come[1] * 1000 / (come[0] + come[1]);
}

#define ROW                                                                                        \
    "width=3 height=1 routing=xy vcs=4 vc_buffer=9 injection_queue=36 node_link=9 "                \
    "vc_allocator=separable sw_allocator=separable "
static void test_shares(void **state)
{
    (void)state;
    assert_in_range(share_of_injected(ROW), 490, 510); // all have the same priority for ever
    assert_in_range(share_of_injected(ROW "priority_decay=true"), 990, 1000);
    assert_int_equal(share_of_injected(ROW "priority_decay=true " SUPPLY CONSUME), 1000);
}

// A lower threshold favours passing packets. A waiting packet with the highest priority leaves
// before injected ones; if these have lost their priority, it takes turns with them.
static void test_lift(void **state)
{
    (void)state;
#define RANKED ROW SUPPLY CONSUME "priority_decay=true "
    uint64_t never = share_of_injected(RANKED);
    uint64_t late = share_of_injected(RANKED "priority_lift=injection priority_wait=1000");
    uint64_t soon = share_of_injected(RANKED "priority_lift=injection priority_wait=10");
    uint64_t first = share_of_injected(RANKED "priority_wait=10");
    assert_int_equal(never, 1000); // the others starve
    assert_in_range(late, 950, 980);
    assert_in_range(soon, 480, 520);
    assert_in_range(first, 480, 520);
    // Without a threshold there is nothing to lift.
    assert_int_equal(share_of_injected(RANKED "priority_lift=injection"), never);
#undef RANKED
}

// The ideal network

// Every pair of nodes has the latency of an empty network.
static void check_ideal(const char *settings, uint32_t flits)
{
    struct network real, ideal;
    begin(&real, settings);
    begin(&ideal, settings);
    ideal.config.ideal = true;
    ideal.noc = noc_new(&ideal.arena, &ideal.config);
    for (uint32_t i = 0; i < noc_nodes(real.noc); i++)
        for (uint32_t k = 0; k < noc_nodes(real.noc); k++) {
            struct network *n[] = {&real, &ideal};
            uint64_t latency[2], routers[2];
            for (int at = 0; at < 2; at++) {
                send(n[at], i, k, flits, 0);
                while (!noc_peek(n[at]->noc, k, 0)) {
                    assert_true(noc_next(n[at]->noc) != UINT64_MAX);
                    noc_skip_to(n[at]->noc, noc_next(n[at]->noc));
                    noc_tick(n[at]->noc);
                }
                const struct noc_packet *packet = noc_peek(n[at]->noc, k, 0);
                latency[at] = packet->arrived - packet->created;
                routers[at] = packet->routers;
                noc_pop(n[at]->noc, k, 0);
                while (noc_next(n[at]->noc) != UINT64_MAX)
                    noc_tick(n[at]->noc);
            }
            assert_int_equal(latency[1], latency[0]);
            assert_int_equal(routers[1], routers[0]);
        }
    assert_int_equal(noc_stats(ideal.noc)->noc_link, noc_stats(real.noc)->noc_link);
    assert_int_equal(noc_stats(ideal.noc)->noc_crossbar, noc_stats(real.noc)->noc_crossbar);
    for (uint32_t i = 0; i < noc_channels(real.noc); i++)
        assert_int_equal(noc_channel(ideal.noc, i).flits, noc_channel(real.noc, i).flits);
    end(&real);
    end(&ideal);
}

static void test_ideal_latency(void **state)
{
    (void)state;
    check_ideal("width=5 height=3 routing=xy", 5);
    check_ideal("width=4 height=4 routing=yx routing_delay=3 vc_alloc_delay=2", 1);
    check_ideal("width=4 height=2 sw_alloc_delay=2 channel_latency=3 vc_buffer=20", 9);
    check_ideal("width=3 height=3 node_routers=[0,4,4,8] routing_delay=0", 3);
    check_ideal("topology=crossbar nodes=7", 5);
    check_ideal("topology=fly radix=3 stages=3", 2);
}

// No packet waits, whatever the load.
static void test_ideal_has_no_limits(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=4 height=4 ideal=true injection_queue=9 ejection_queue=9 classes=2");
    struct traffic_test t = traffic_begin(&n, 1, 1);
    t.flits_max = 9;
    traffic_run(&t, 1000);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(noc_can_send(n.noc, 0, 0, 9));
        send(&n, 0, 15, 9, 0);
    }
    uint64_t sent = noc_cycle(n.noc);
    while (noc_class_stats(n.noc, 0)->packets + noc_class_stats(n.noc, 1)->packets < t.sent + 50)
        noc_tick(n.noc);
    assert_true(noc_cycle(n.noc) <= sent + 5 * 7 + 2 + 8 + 1);
    assert_int_equal(noc_class_stats(n.noc, 0)->latency_most, 5 * 7 + 2 + 8);
    assert_int_equal(noc_class_stats(n.noc, 0)->wait_sum, 0);
    assert_int_equal(noc_node(n.noc, 0).queue_sum, 0);
    verify(&n);
    end(&n);
}

// Packets that arrive together are accepted in the order of their sources, whichever was sent
// first.
static void test_ideal_order(void **state)
{
    (void)state;
    for (uint32_t first = 0; first <= 2; first += 2) {
        struct network n;
        begin(&n, "width=3 height=1 ideal=true");
        send(&n, first, 1, 5, 0);
        send(&n, 2 - first, 1, 5, 0);
        send(&n, 1, 1, 1, 0);
        while (noc_next(n.noc) != UINT64_MAX)
            noc_tick(n.noc);
        for (uint32_t i = 0; i < 3; i++, noc_pop(n.noc, 1, 0))
            assert_int_equal(noc_peek(n.noc, 1, 0)->source, i ? 2 * (i - 1) : 1);
        end(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_one_controller),
        cmocka_unit_test(test_all_controllers),
        cmocka_unit_test(test_same_packets),
        cmocka_unit_test(test_occupancy),
        cmocka_unit_test(test_own_channels),
        cmocka_unit_test(test_shared_queue),
        cmocka_unit_test(test_speed_of_nodes),
        cmocka_unit_test(test_speed_by_outputs),
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_ideal_latency),
        cmocka_unit_test(test_ideal_has_no_limits),
        cmocka_unit_test(test_ideal_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
