// The packet-wide crossbar: latencies, one packet per output and cycle, turns, room, clusters.
#include "tests/unit/runtime-sim/network.h"

#define WIDE "topology=crossbar packet_wide=true "

static void send(struct network *n, uint32_t source, uint32_t target, uint32_t flits,
                 uint64_t payload)
{
    struct noc_packet packet = {.payload = payload,
                                .created = noc_cycle(n->noc),
                                .source = source,
                                .target = target,
                                .flits = (uint16_t)flits};
    assert_true(noc_can_send(n->noc, source, 0, flits));
    noc_send(n->noc, &packet);
}

// Ticks once. Returns the packets that have arrived at all nodes, and pops them.
static uint32_t tick(struct network *n, uint64_t *payloads)
{
    uint32_t count = 0;
    noc_tick(n->noc);
    for (uint32_t node = 0; node < noc_nodes(n->noc); node++)
        while (noc_peek(n->noc, node, 0)) {
            payloads[count++] = noc_peek(n->noc, node, 0)->payload;
            noc_pop(n->noc, node, 0);
        }
    return count;
}

// A packet of any size arrives channel_latency − 1 cycles after it was sent, for all pairs.
static void latencies(void **state)
{
    (void)state;
    static const char *const networks[] = {WIDE "nodes=9", WIDE "nodes=9 channel_latency=5"};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t pair = 0; pair < 81; pair++) {
            struct network n;
            uint64_t payload[4], passed = 0;
            begin(&n, networks[i]);
            send(&n, pair / 9, pair % 9, 1 + pair, 7);
            while (!tick(&n, payload))
                passed++;
            assert_int_equal(passed, i ? 4 : 0);
            const struct noc_class_stats *stats = noc_class_stats(n.noc, 0);
            assert_int_equal(stats->latency_sum, passed);
            assert_int_equal(stats->flits, 1 + pair);
            assert_int_equal(stats->routers, 1);
            assert_int_equal(stats->hops, 0);
            assert_int_equal(noc_next(n.noc), UINT64_MAX);
            verify(&n);
            end(&n);
        }
}

// An output accepts one packet per cycle; an input sends to several outputs in a cycle.
static void ports(void **state)
{
    (void)state;
    struct network n;
    uint64_t payload[16];
    begin(&n, WIDE "nodes=8");
    for (uint32_t i = 0; i < 5; i++)
        send(&n, 0, 3, 9, i);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(tick(&n, payload), 1);
        assert_int_equal(payload[0], i);
    }
    assert_int_equal(noc_cycle(n.noc), 5);
    noc_skip_to(n.noc, 8); // the outputs are served from 0 on
    for (uint32_t out = 1; out < 8; out++)
        send(&n, 0, out, 9, out);
    assert_int_equal(tick(&n, payload), 7);
    verify(&n);
    end(&n);
}

// Inputs with packets for one output take turns.
static void turns(void **state)
{
    (void)state;
    enum { NODES = 6, EACH = 20 };
    struct network n;
    uint64_t payload[NODES * EACH], sum[NODES] = {0};
    begin(&n, WIDE "nodes=6");
    for (uint32_t i = 0; i < EACH; i++)
        for (uint32_t node = 1; node < NODES; node++)
            send(&n, node, 0, 1 + node, node);
    for (uint32_t i = 0; i < (NODES - 1) * EACH; i++) {
        assert_int_equal(tick(&n, payload), 1);
        sum[payload[0]]++;
        for (uint32_t node = 1; node < NODES; node++)
            assert_in_range(sum[node], i / (NODES - 1), i / (NODES - 1) + 1);
    }
    assert_int_equal(noc_next(n.noc), UINT64_MAX);
    end(&n);
}

// Queues count packets, at the input and at the output. A full output stops no other one.
static void room(void **state)
{
    (void)state;
    struct network n;
    begin(&n, WIDE "nodes=4 injection_queue=3 ejection_queue=2");
    for (uint32_t i = 0; i < 3; i++)
        send(&n, 0, 1, 20, i);
    assert_false(noc_can_send(n.noc, 0, 0, 1));
    for (uint32_t i = 0; i < 5; i++)
        noc_tick(n.noc);
    assert_true(noc_can_send(n.noc, 0, 0, 1));
    assert_int_equal(noc_waiting_packets(n.noc, 0, 0), 1);
    assert_int_equal(noc_next(n.noc), UINT64_MAX); // until a packet is popped
    send(&n, 2, 3, 1, 9);
    assert_int_equal(noc_next(n.noc), noc_cycle(n.noc));
    noc_tick(n.noc);
    assert_non_null(noc_peek(n.noc, 3, 0));
    noc_pop(n.noc, 3, 0);
    noc_pop(n.noc, 1, 0);
    assert_int_equal(noc_next(n.noc), noc_cycle(n.noc));
    noc_tick(n.noc);
    assert_int_equal(noc_waiting_packets(n.noc, 0, 0), 0);
    noc_pop(n.noc, 1, 0);
    noc_pop(n.noc, 1, 0);
    assert_int_equal(noc_in_flight(n.noc), 0);
    verify(&n);
    end(&n);
}

// Clusters of three nodes share ports: as many packets leave and enter in a cycle.
static void clusters(void **state)
{
    (void)state;
    for (uint32_t ports = 1; ports <= 3; ports++) {
        struct network n;
        uint64_t payload[64];
        uint32_t count = 0, cycles = 0;
        char settings[200];
        snprintf(settings, sizeof settings,
                 WIDE "nodes=12 clusters=2 cluster_nodes=3 cluster_ports=%u", ports);
        begin(&n, settings);
        for (uint32_t i = 0; i < 6; i++)
            for (uint32_t node = 0; node < 3; node++)
                send(&n, node, 6 + 2 * node, 1, 0); // leave cluster 0
        for (; count < 18; cycles++) {
            uint32_t came = tick(&n, payload);
            assert_in_range(came, 1, ports);
            count += came;
        }
        assert_in_range(cycles, 18 / ports, 18 / ports + 3); // the last ones are of one node
        for (uint32_t node = 0; node < 3; node++)
            send(&n, 9 + node, 3 + node, 1, 0); // enter cluster 1
        assert_int_equal(tick(&n, payload), ports);
        while (noc_in_flight(n.noc))
            tick(&n, payload);
        verify(&n);
        end(&n);
    }
}

// A packet of a higher priority crosses first.
static void priorities(void **state)
{
    (void)state;
    struct network n;
    uint64_t payload[8];
    begin(&n, WIDE "nodes=4");
    send(&n, 0, 3, 1, 1);
    struct noc_packet packet = {.payload = 2, .source = 1, .target = 3, .flits = 1, .priority = 2};
    noc_send(n.noc, &packet);
    assert_int_equal(tick(&n, payload), 1);
    assert_int_equal(payload[0], 2);
    assert_int_equal(tick(&n, payload), 1);
    end(&n);
}

// Random traffic of all classes: each packet arrives once, in order, at any load.
static void traffic(void **state)
{
    (void)state;
    static const char *const networks[] = {
        WIDE "nodes=9",
        WIDE "nodes=70 classes=3",
        WIDE "nodes=16 classes=2 injection_queue=1 ejection_queue=1 channel_latency=3",
        WIDE "nodes=16 clusters=3 cluster_nodes=4 cluster_ports=2 ejection_queue=2",
        WIDE "nodes=1",
        WIDE "nodes=9 packet_voqs=true",
        WIDE "nodes=70 classes=3 packet_voqs=true ejection_queue=2",
        WIDE "nodes=16 classes=2 injection_queue=1 ejection_queue=1 packet_voqs=true",
        WIDE "nodes=16 clusters=3 cluster_nodes=4 cluster_ports=2 packet_voqs=true",
        WIDE "nodes=16 classes=2 packet_voqs=true ejection_queue=2 injection_speedup=3 "
             "injection_nodes=[1,5,9]",
        WIDE "nodes=16 clusters=3 cluster_nodes=4 cluster_ports=2 packet_voqs=true "
             "injection_speedup=4",
        WIDE "nodes=70 classes=3 ideal=true channel_latency=3",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t load = 1; load <= 4; load++) {
            struct network n;
            uint64_t digest[2];
            for (uint32_t shuffle = 0; shuffle < 2; shuffle++) {
                begin(&n, networks[i]);
                noc_shuffle(n.noc, shuffle * 77);
                struct traffic_test t = traffic_begin(&n, load * 1.2, 5);
                t.flits = 1;
                t.flits_max = 9;
                t.checks_order = true;
                traffic_run(&t, 600);
                traffic_drain(&t);
                digest[shuffle] = t.digest;
                assert_true(t.sent > 50);
                end(&n);
            }
            assert_int_equal(digest[0], digest[1]);
        }
}

// If every node sends to another one, each sends a packet per cycle, of any size.
static void full_load(void **state)
{
    (void)state;
    enum { NODES = 20, CYCLES = 100 };
    struct network n;
    uint64_t payload[2 * NODES], count = 0;
    begin(&n, WIDE "nodes=20");
    for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
        for (uint32_t node = 0; node < NODES; node++)
            send(&n, node, (node + cycle) % NODES, 5, 0);
        count += tick(&n, payload);
    }
    assert_int_equal(count, NODES * CYCLES);
    end(&n);
}

// A packet behind one whose output is in use waits for it, unless it has a queue of its own; an
// input with several queues sends one packet per cycle.
static void virtual_output_queues(void **state)
{
    (void)state;
    for (uint32_t voqs = 0; voqs < 2; voqs++) {
        struct network n;
        uint64_t payload[16];
        begin(&n, voqs ? WIDE "nodes=4 packet_voqs=true" : WIDE "nodes=4");
        for (uint32_t i = 0; i < 3; i++)
            send(&n, 1, 3, 1, 10 + i); // output 3 serves node 1, and node 0 in its turn
        send(&n, 0, 3, 1, 1);
        send(&n, 0, 3, 1, 2);
        send(&n, 0, 2, 1, 3);
        assert_int_equal(noc_waiting_packets(n.noc, 0, 0), 3);
        uint32_t cycle = 0, crossed = 0, at = 0, of_one_cycle[8] = {0};
        for (; crossed < 6; cycle++) {
            uint32_t count = tick(&n, payload);
            for (uint32_t i = 0; i < count; i++) {
                of_one_cycle[cycle] += payload[i] < 10;
                at = payload[i] == 3 ? cycle : at;
            }
            crossed += count;
        }
        // Output 3 takes five cycles for its packets. The other one crosses at once only by itself.
        assert_int_equal(cycle, 5);
        assert_true(voqs ? at <= 1 : at >= 2);
        for (uint32_t i = 0; voqs && i < cycle; i++)
            assert_true(of_one_cycle[i] <= 1);
        assert_int_equal(noc_next(n.noc), UINT64_MAX);
        verify(&n);
        end(&n);
    }
}

// An input of speed S sends S packets per cycle, to different outputs; a node that is not in
// injection_nodes sends one. An ideal crossbar delivers all at once, also to one output.
static void speeds(void **state)
{
    (void)state;
    enum { NODES = 12, PACKETS = 9 };
    static const struct {
        const char *keys;
        uint32_t cycles[2]; // of node 2, and of node 3
    } cases[] = {
        {"packet_voqs=true", {9, 9}},
        {"packet_voqs=true injection_speedup=2 injection_nodes=[2]", {5, 9}},
        {"packet_voqs=true injection_nodes=[3,2] injection_speedups=[4,3]", {3, 3}},
        {"packet_voqs=true injection_speedup=12", {1, 1}},
        {"ideal=true", {1, 1}},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t node = 2; node < 4; node++) {
            struct network n;
            uint64_t payload[PACKETS], all = 0;
            char keys[128];
            snprintf(keys, sizeof keys, WIDE "nodes=12 %s", cases[i].keys);
            begin(&n, keys);
            for (uint32_t k = 0; k < PACKETS; k++)
                send(&n, node, k % NODES, 1 + k, k);
            uint32_t cycles = 0, least = PACKETS / cases[i].cycles[node - 2];
            for (; noc_in_flight(n.noc); cycles++) {
                uint32_t count = tick(&n, payload);
                for (uint32_t k = 0; k < count; k++)
                    all |= UINT64_C(1) << payload[k];
                assert_true(count >= least || all == (1 << PACKETS) - 1);
            }
            assert_int_equal(cycles, cases[i].cycles[node - 2]);
            assert_int_equal(all, (1 << PACKETS) - 1);
            verify(&n);
            end(&n);
        }
}

// The speed can be lowered at run time, to 1, and raised to the speed with which it was built.
static void changed_speed(void **state)
{
    (void)state;
    struct network n;
    uint64_t payload[12];
    begin(&n, WIDE "nodes=12 packet_voqs=true injection_speedup=3 injection_nodes=[0]");
    assert_int_equal(noc_set_entry_speed(n.noc, 0, 9), 3);
    assert_int_equal(noc_set_entry_speed(n.noc, 1, 9), 1);
    for (uint32_t k = 0; k < 12; k++)
        send(&n, 0, k, 1, k);
    assert_int_equal(tick(&n, payload), 3);
    assert_int_equal(noc_set_entry_speed(n.noc, 0, 0), 1);
    assert_int_equal(tick(&n, payload), 1);
    assert_int_equal(noc_set_entry_speed(n.noc, 0, 2), 2);
    assert_int_equal(tick(&n, payload), 2);
    end(&n);
    begin(&n, WIDE "nodes=12");
    assert_int_equal(noc_set_entry_speed(n.noc, 0, 4), 1);
    end(&n);
}

// Random outputs under full load: one queue loses two fifths of the rate, as known of such
// switches.
static void random_outputs(void **state)
{
    (void)state;
    enum { NODES = 64, CYCLES = 2000 };
    double rate[2];
    for (uint32_t voqs = 0; voqs < 2; voqs++) {
        struct network n;
        static uint64_t payload[16 * NODES];
        uint64_t seed = 3, count = 0;
        begin(&n, voqs ? WIDE "nodes=64 packet_voqs=true injection_queue=64 ejection_queue=0"
                       : WIDE "nodes=64 injection_queue=64 ejection_queue=0");
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            for (uint32_t node = 0; node < NODES; node++)
                while (noc_can_send(n.noc, node, 0, 1))
                    send(&n, node, (uint32_t)(splitmix64(&seed) % NODES), 1, 0);
            count += tick(&n, payload);
        }
        rate[voqs] = (double)count / NODES / CYCLES;
        end(&n);
    }
    assert_true(rate[1] > .9);
    assert_true(rate[0] < rate[1] - .05);
}

static void refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"packet_wide=true", "'packet_wide' needs 'topology' crossbar"},
        {WIDE "overlay=true", "'packet_wide' needs 'overlay' false"},
        {WIDE "injection_links=2", "'packet_wide' needs 'injection_links' 1"},
        {WIDE "injection_ports=2", "'packet_wide' needs 'injection_ports' 1"},
        {WIDE "injection_speedup=2",
         "'packet_wide' needs 'packet_voqs' true for injection_speedup and injection_speedups"},
        {WIDE "injection_nodes=[0] injection_speedups=[2]",
         "'packet_wide' needs 'packet_voqs' true for injection_speedup and injection_speedups"},
        {"topology=crossbar packet_voqs=true", "'packet_voqs' needs 'packet_wide' true"},
        {"topology=crossbar clusters=2", "'clusters' needs 'packet_wide' true"},
        {WIDE "nodes=10 clusters=3 cluster_nodes=4",
         "'clusters' of 'cluster_nodes' have 12 nodes, but there are 10"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct network n;
        configure(&n, wrong[i][0]);
        const char *text = noc_check(&n.arena, &n.config);
        assert_non_null(text);
        assert_string_equal(text, wrong[i][1]);
        end(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies),
        cmocka_unit_test(ports),
        cmocka_unit_test(turns),
        cmocka_unit_test(room),
        cmocka_unit_test(clusters),
        cmocka_unit_test(priorities),
        cmocka_unit_test(traffic),
        cmocka_unit_test(full_load),
        cmocka_unit_test(virtual_output_queues),
        cmocka_unit_test(speeds),
        cmocka_unit_test(changed_speed),
        cmocka_unit_test(random_outputs),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("noc_packets", tests, NULL, NULL);
}
