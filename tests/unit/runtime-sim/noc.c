// Networks with little traffic: topologies, the pipeline, credit loops, and counters.
#include "tests/unit/runtime-sim/network.h"

// Sends a packet through an idle network; returns its latency.
static uint64_t cross(struct network *n, uint32_t source, uint32_t target, uint32_t flits,
                      uint32_t *routers)
{
    struct noc_packet packet = {
        .created = noc_cycle(n->noc), .source = source, .target = target, .flits = (uint16_t)flits};
    noc_send(n->noc, &packet);
    while (!noc_peek(n->noc, target, 0)) {
        assert_true(noc_next(n->noc) != UINT64_MAX);
        noc_tick(n->noc);
    }
    const struct noc_packet *come = noc_peek(n->noc, target, 0);
    uint64_t latency = come->arrived - come->created;
    *routers = come->routers;
    noc_pop(n->noc, target, 0);
    while (noc_next(n->noc) != UINT64_MAX)
        noc_tick(n->noc);
    return latency;
}

static uint32_t distance(uint32_t width, uint32_t a, uint32_t b)
{
    return (uint32_t)(abs((int)(a % width) - (int)(b % width)) +
                      abs((int)(a / width) - (int)(b / width)));
}

// Returns the number of routers that a packet must pass.
static uint32_t routers_between(const struct network *n, uint32_t source, uint32_t target)
{
    if (n->config.topology == NOC_CROSSBAR)
        return 1;
    if (n->config.topology == NOC_FLY)
        return (uint32_t)n->config.stages;
    uint32_t a = mesh_router_of(&n->config, source), b = mesh_router_of(&n->config, target);
    return distance((uint32_t)n->config.width, a, b) + 1;
}

// Checks all pairs of nodes: `hop` cycles for each router, `ends` for both ends.
static void check_pairs(const char *settings, uint32_t flits, uint32_t hop, uint32_t ends)
{
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < noc_nodes(n.noc); i++)
        for (uint32_t j = 0; j < noc_nodes(n.noc); j++) {
            uint32_t routers, expected = routers_between(&n, i, j);
            uint64_t latency = cross(&n, i, j, flits, &routers);
            assert_int_equal(routers, expected);
            assert_int_equal(latency, hop * expected + ends + flits - 1);
        }
    verify(&n);
    end(&n);
}

static void test_zero_load(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=8 height=8",
        "width=8 height=8 routing=xy vc_allocator=separable sw_allocator=separable",
        "width=5 height=3 routing=adaptive",
        "width=1 height=6 vcs=3",
        "width=7 height=1 speedup=2",
        "width=3 height=3 node_routers=[0,4,4,8]",
        "topology=crossbar nodes=9",
        "topology=crossbar nodes=70 vcs=2",
        "topology=fly radix=4 stages=3",
        "topology=fly radix=2 stages=5",
        "topology=fly radix=9 stages=1",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        check_pairs(networks[i], 1, 5, 2);
        check_pairs(networks[i], 5, 5, 2);
    }
}

static void test_delays(void **state)
{
    (void)state;
    check_pairs("width=4 height=2 routing_delay=0", 5, 4, 2);
    check_pairs("width=4 height=2 routing_delay=3", 5, 7, 2);
    check_pairs("width=4 height=2 vc_alloc_delay=2", 5, 6, 2);
    check_pairs("width=4 height=2 sw_alloc_delay=2 vc_buffer=9", 5, 6, 2);
    check_pairs("width=4 height=2 st_final_delay=2", 1, 6, 2);
    check_pairs("width=4 height=2 st_final_delay=20", 1, 24, 2);
    // The second flit comes while the head crosses, and has to wait for it.
    check_pairs("width=4 height=2 st_final_delay=2", 5, 6, 3);
    check_pairs("width=4 height=2 channel_latency=3", 5, 7, 4);
    check_pairs("width=4 height=2 credit_delay=4", 5, 5, 2);
    check_pairs("width=4 height=2 credit_delay=0", 5, 5, 2);
}

// Returns the flits per cycle of a flow through four routers.
static double flow(const char *settings, uint32_t flits)
{
    enum { WARM_UP = 700, CYCLES = 6720 }; // a multiple of the periods below
    struct network n;
    begin(&n, settings);
    uint64_t before = 0;
    for (uint32_t i = 0; i < WARM_UP + CYCLES; i++) {
        if (i == WARM_UP)
            before = noc_class_stats(n.noc, 0)->flits;
        struct noc_packet packet = {.created = i, .target = 3, .flits = (uint16_t)flits};
        if (noc_can_send(n.noc, 0, 0, flits))
            noc_send(n.noc, &packet);
        noc_tick(n.noc);
        while (noc_peek(n.noc, 3, 0))
            noc_pop(n.noc, 3, 0);
    }
    double rate = (double)(noc_class_stats(n.noc, 0)->flits - before) / CYCLES;
    verify(&n);
    end(&n);
    return rate;
}

static void check_flow(const char *settings, uint32_t flits, double rate)
{
    double measured = flow(settings, flits);
    if (measured < rate * 0.99 || measured > rate * 1.01)
        fail_msg("%s, %u flits: %f, not %f", settings, flits, measured, rate);
}

static void test_flows(void **state)
{
    (void)state;
#define FLOW "width=4 height=1 injection_queue=64 "
    check_flow(FLOW "vcs=1 vc_buffer=16", 1, 1.0 / 3); // L / (L + 2)
    check_flow(FLOW "vcs=1 vc_buffer=16", 5, 5.0 / 7);
    check_flow(FLOW "vcs=1 vc_buffer=16", 30, 30.0 / 32);
    check_flow(FLOW "vcs=1 vc_buffer=16 routing_delay=0", 5, 5.0 / 6);
    check_flow(FLOW "vcs=1 vc_buffer=1", 1, 1.0 / 7); // the credit loop of a head flit
    check_flow(FLOW "vcs=1 vc_buffer=2", 1, 2.0 / 7);
    check_flow(FLOW "vcs=1 vc_buffer=1 credit_delay=2", 1, 1.0 / 9);
    check_flow(FLOW "vcs=1 vc_buffer=1 credit_delay=0", 1, 1.0 / 6);
    check_flow(FLOW "vcs=1 vc_buffer=1 st_final_delay=2", 1, 1.0 / 8);
    check_flow(FLOW "vcs=1 vc_buffer=1", 60, 60 / (59 * 5 + 12.0)); // and of body flits
    check_flow(FLOW "vcs=2 vc_buffer=5", 5, 1);
    check_flow(FLOW "vcs=2 vc_buffer=5 vc_reuse=empty", 5, 2 * 5 / 12.0);
#undef FLOW
}

static double use_of(const struct stats *stats, const char *name)
{
    double value = -1;
    assert_true(stats_find(stats, NULL, name, &value));
    return value;
}

// Checks the use of channels by a packet of 5 flits from node 18 to node 61.
static void check_use(struct network *n)
{
    struct stats stats;
    stats_init(&stats, &n->arena);
    noc_use_add(n->noc, &stats, "noc");
    double cycles = (double)noc_stats(n->noc)->cycles;
    assert_true(use_of(&stats, "noc.node18.packets_sent") == 1);
    assert_true(use_of(&stats, "noc.node18.queue_most") == 5);
    assert_true(use_of(&stats, "noc.node18.queue_mean") == 10 / cycles);
    assert_true(use_of(&stats, "noc.node61.arrived_mean") == 5 / cycles);
    assert_true(use_of(&stats, "noc.link18_26.flits") == 5);
    assert_true(use_of(&stats, "noc.link18_26.flits_mean") == 5 / cycles);
    assert_true(use_of(&stats, "noc.link18_19.flits") == 0);
    assert_true(use_of(&stats, "noc.router26.flits") == 5);
    assert_true(use_of(&stats, "noc.router26.buffer_sum") == 5 * 2);
    assert_true(use_of(&stats, "noc.router26.buffer_most") == 3); // one comes, one goes
    assert_true(use_of(&stats, "noc.router27.buffer_most") == 0);
}

static void test_hops(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=8 height=8");
    uint32_t routers;
    cross(&n, 18, 61, 5, &routers);
    assert_int_equal(routers, 9);
    const struct noc_class_stats *stats = noc_class_stats(n.noc, 0);
    assert_int_equal(stats->hops, 8);
    assert_int_equal(stats->weighted_hops, 40);
    assert_int_equal(stats->latency_most, 5 * 9 + 2 + 4);
    assert_int_equal(noc_stats(n.noc)->noc_link, 40);
    assert_int_equal(noc_stats(n.noc)->noc_crossbar, 45);
    assert_int_equal(noc_stats(n.noc)->noc_buffer_write, 45);
    uint64_t carried = 0;
    for (uint32_t i = 0; i < noc_channels(n.noc); i++) {
        struct noc_channel channel = noc_channel(n.noc, i);
        carried += channel.flits;
        // YX: down the column of the source, then along the row of the target.
        if (channel.flits && channel.kind == NOC_CHANNEL_ROUTERS)
            assert_true(channel.from % 8 == 2 || channel.from / 8 == 7);
    }
    assert_int_equal(carried, 5 + 40 + 5);
    uint64_t buffered = 0;
    for (uint32_t i = 0; i < noc_routers(n.noc); i++)
        buffered += noc_buffer_sum(n.noc, i);
    assert_int_equal(buffered, 9 * 5 * 2); // each flit waits for its head's RC and VA
    assert_int_equal(noc_node(n.noc, 18).flits_entered, 5);
    assert_int_equal(noc_node(n.noc, 61).flits_arrived, 5);
    assert_int_equal(noc_node(n.noc, 18).queue_sum, 0 + 1 + 2 + 3 + 4);
    check_use(&n);
    end(&n);
}

static void test_statistics_have_names(void **state)
{
    (void)state;
    struct network n;
    struct stats stats;
    begin(&n, "classes=2");
    static const char *const names[] = {"request", "reply"};
    stats_init(&stats, &n.arena);
    noc_stats_add(n.noc, &stats, "noc", names);
    uint32_t routers;
    cross(&n, 0, 9, 1, &routers);
    double value;
    assert_true(stats_find(&stats, NULL, "noc.request.latency_mean", &value));
    assert_true(value == 17);
    assert_true(stats_find(&stats, NULL, "noc.reply.packets", &value));
    assert_true(value == 0);
    assert_true(stats_find(&stats, NULL, "noc.noc_link", &value));
    assert_true(value == 2);
    end(&n);
}

static void check_fault(const char *settings, const char *part)
{
    struct network n;
    configure(&n, settings);
    const char *wrong = noc_check(&n.arena, &n.config);
    if (!wrong || !strstr(wrong, part))
        fail_msg("%s: %s", settings, wrong ? wrong : "no fault");
    end(&n);
}

static void test_faults(void **state)
{
    (void)state;
    check_fault("width=3 height=3 node_routers=[0,9]", "'node_routers' contains 9");
    check_fault("injection_nodes=[64]", "'injection_nodes' contains 64");
    check_fault("classes=2 class_vcs=[8]", "'class_vcs' has 1 elements");
    check_fault("classes=2 class_vcs=[4,3]", "'class_vcs' has 7 virtual channels");
    check_fault("classes=3 vcs=2", "class 2 has 0 virtual channels");
    check_fault("routing=adaptive vcs=1", "needs two with adaptive routing");
    check_fault("topology=fly radix=64 stages=4", "at most 65535 nodes");
    check_fault("topology=crossbar nodes=4096 vcs=64", "a router would have");
    check_fault("topology=fly radix=6 stages=6 router_nodes=true", "at most 65535 nodes");
    check_fault("reversed=true", "'reversed' needs 'topology' fly");
    check_fault("topology=crossbar router_nodes=true", "'router_nodes' needs 'topology' fly");
    check_fault("width=256 height=256", "at most 65535 routers");
    check_fault("injection_vc=own injection_links=9", "needs one for each of 9 injection links");
    check_fault("injection_shared=true injection_links=2", "'injection_links' 1");
    check_fault("injection_speedups=[4]", "'injection_speedups' has 1 elements");
    check_fault("injection_nodes=[1,2] injection_speedups=[4]", "'injection_nodes' 2");
}

static void test_flits(void **state)
{
    (void)state;
    struct network n;
    configure(&n, "flit_bytes=32");
    assert_int_equal(noc_flits(&n.config, 0), 1);
    assert_int_equal(noc_flits(&n.config, 32), 1);
    assert_int_equal(noc_flits(&n.config, 33), 2);
    end(&n);
}

// Cycles in which nothing can happen may be skipped.
static void test_skip(void **state)
{
    (void)state;
    uint64_t digest[2];
    for (int skips = 0; skips < 2; skips++) {
        struct network n;
        begin(&n, "width=4 height=4 channel_latency=9 routing_delay=5");
        struct traffic_test t = traffic_begin(&n, 0.01, 1);
        for (uint32_t i = 0; i < 500; i++) {
            traffic_offer(&t);
            noc_tick(n.noc);
            uint64_t to = 10 * (i + 1), next;
            while ((next = noc_next(n.noc)) < to || (!skips && noc_cycle(n.noc) < to)) {
                if (skips)
                    noc_skip_to(n.noc, next);
                noc_tick(n.noc);
            }
            noc_skip_to(n.noc, to);
            traffic_pop(&t);
        }
        traffic_drain(&t);
        assert_true(t.come > 50);
        digest[skips] = t.digest;
        end(&n);
    }
    assert_int_equal(digest[0], digest[1]);
}

// Sends packets of two flows to a node that accepts none for a while; `most` have arrived by then.
// Returns true if they are accepted in the order of their arrival.
static bool taken_in_order(const char *settings, uint32_t max)
{
    struct network n;
    uint64_t last = 0;
    uint32_t come = 0, sent = 0;
    bool in_order = true;
    begin(&n, settings);
    for (uint32_t i = 0; i < 400; i++) {
        if (i < 200)
            for (uint32_t source = 0; source < 3; source += 2)
                if (noc_can_send(n.noc, source, 0, 1)) {
                    struct noc_packet packet = {
                        .created = i, .source = source, .target = 1, .flits = 1};
                    noc_send(n.noc, &packet);
                    sent++;
                }
        noc_tick(n.noc);
    }
    assert_int_equal(noc_class_stats(n.noc, 0)->packets, max);
    for (const struct noc_packet *p; noc_in_flight(n.noc); noc_tick(n.noc))
        while ((p = noc_peek(n.noc, 1, 0))) {
            in_order &= p->arrived >= last;
            last = p->arrived;
            noc_pop(n.noc, 1, 0);
            come++;
        }
    assert_int_equal(come, sent);
    verify(&n);
    end(&n);
    return in_order;
}

static void test_ejection_order(void **state)
{
    (void)state;
#define NETWORK "width=3 height=1 vcs=4 injection_queue=8 ejection_queue=6 "
    assert_true(taken_in_order(NETWORK, 6));
    // Each of the four channels has room for six, and a packet that came later may be taken first.
    assert_false(taken_in_order(NETWORK "ejection_order=channels", 4 * 6));
#undef NETWORK
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_load),      cmocka_unit_test(test_delays),
        cmocka_unit_test(test_flows),          cmocka_unit_test(test_hops),
        cmocka_unit_test(test_skip),           cmocka_unit_test(test_statistics_have_names),
        cmocka_unit_test(test_faults),         cmocka_unit_test(test_flits),
        cmocka_unit_test(test_ejection_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
