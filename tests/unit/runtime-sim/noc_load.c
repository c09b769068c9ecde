// Networks under load: packets are neither lost nor duplicated, all make progress, and the order of
// evaluation does not matter.
#include "tests/unit/runtime-sim/network.h"

static void check_load(const char *settings, double load, uint32_t flits, uint32_t flits_max)
{
    struct network n;
    begin(&n, settings);
    struct traffic_test t = traffic_begin(&n, load, flits);
    t.flits_max = flits_max;
    t.top = 3;
    traffic_run(&t, 1500);
    traffic_drain(&t);
    assert_true(t.come > 100);
    uint64_t sent = 0;
    for (uint32_t i = 0; i < n.config.classes; i++) {
        const struct noc_class_stats *stats = noc_class_stats(n.noc, i);
        assert_int_equal(stats->flits, stats->flits_sent);
        assert_int_equal(stats->packets, stats->packets_sent);
        assert_int_equal(stats->packet_flits, stats->flits);
        sent += stats->packets;
    }
    assert_int_equal(sent, t.come);
    end(&n);
}

static void test_conservation(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=4 height=4",
        "width=4 height=4 vc_allocator=separable sw_allocator=separable vcs=3 vc_buffer=2",
        "width=5 height=3 classes=3 vcs=7 class_vcs=[1,4,2] routing=xy",
        "width=4 height=4 vc_alloc_iterations=3 sw_alloc_iterations=2",
        "width=4 height=4 speedup=2 sw_allocator=separable sw_alloc_iterations=2",
        "width=4 height=4 vcs=4 vc_reuse=empty",
        "width=4 height=4 vcs=4 vc_reuse=whole vc_allocator=separable vc_alloc_iterations=2",
        "width=4 height=4 st_final_delay=3 credit_delay=2 routing_delay=0",
        "width=4 height=4 sw_alloc_delay=2 vc_alloc_delay=3 routing_delay=2 channel_latency=2",
        "width=3 height=3 node_routers=[0,4,4,8,8,8] classes=2",
        "width=4 height=4 injection_queue=10 ejection_queue=12 classes=2",
        "width=4 height=4 injection_links=2 injection_ports=2 injection_speedup=2 "
        "injection_queue=20 "
        "injection_nodes=[3,5] classes=2",
        "width=4 height=4 priority_decay=true priority_wait=50",
        "width=4 height=4 routing=adaptive vcs=4 priority_decay=true",
        "width=2 height=2 vcs=40 vc_buffer=1",
        "topology=crossbar nodes=70 vcs=2",
        "topology=crossbar nodes=70 vcs=3 sw_allocator=separable sw_alloc_iterations=3 speedup=2",
        "topology=fly radix=3 stages=3 vcs=2 ejection_queue=5",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        check_load(networks[i], 0.2, 1, 1);
        check_load(networks[i], 0.9, 1, 7);
    }
}

// With one virtual channel per class, packets do not overtake each other.
static void test_order(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=4 height=4 vcs=2 classes=2",
        "topology=fly radix=4 stages=2 vcs=1",
        "topology=crossbar nodes=16 vcs=3 classes=3 ejection_queue=8",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct network n;
        begin(&n, networks[i]);
        struct traffic_test t = traffic_begin(&n, 0.8, 1);
        t.flits_max = 5;
        t.checks_order = true;
        traffic_run(&t, 3000);
        traffic_drain(&t);
        end(&n);
    }
}

static void test_adaptive_goes_on(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=6 height=6 routing=adaptive vcs=2 vc_buffer=5 injection_queue=20 ejection_queue=5",
        "width=6 height=6 routing=adaptive vcs=2 vc_buffer=2 injection_queue=20",
        "width=6 height=6 routing=adaptive vcs=4 vc_buffer=9 injection_queue=36",
        "width=6 height=6 routing=adaptive vcs=4 classes=2 vc_buffer=3 vc_reuse=empty"
        " injection_queue=36 ejection_queue=5",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct network n;
        begin(&n, networks[i]);
        struct traffic_test t = traffic_begin(&n, 1, 5);
        traffic_run(&t, 8000);
        traffic_drain(&t);
        assert_true(t.come > 10000);
        end(&n);
    }
}

// Packets across the mesh in both directions: by XY each direction has one route.
static void test_adaptive_uses_both_ways(void **state)
{
    (void)state;
    uint64_t come[2];
    static const char *const networks[] = {"width=4 height=4 routing=xy injection_links=4 "
                                           "injection_speedup=4",
                                           "width=4 height=4 routing=adaptive injection_links=4 "
                                           "injection_speedup=4"};
    for (int i = 0; i < 2; i++) {
        struct network n;
        begin(&n, networks[i]);
        for (uint32_t cycle = 0; cycle < 2000; cycle++) {
            for (uint32_t target = 5; target <= 15; target += 5) {
                struct noc_packet packet = {.created = cycle, .target = target, .flits = 1};
                noc_send(n.noc, &packet);
            }
            noc_tick(n.noc);
        }
        come[i] = noc_class_stats(n.noc, 0)->flits;
        end(&n);
    }
    assert_in_range(come[0], 1900, 2000); // one flit per cycle on the first channel east
    assert_true(come[1] > 3500);
}

// Reports

static char *report_of(struct network *n, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    noc_report(n->noc, file, 2);
    fclose(file);
    return text;
}

static void check_report(struct network *n, const char *const *parts)
{
    size_t size;
    char *text = report_of(n, &size);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("no '%s' in:\n%s", *parts, text);
    free(text);
}

static void send_some(struct network *n, uint32_t source, uint32_t target, uint32_t packets,
                      uint32_t flits)
{
    for (uint32_t i = 0; i < packets; i++) {
        struct noc_packet packet = {.created = noc_cycle(n->noc),
                                    .source = source,
                                    .target = target,
                                    .flits = (uint16_t)flits};
        noc_send(n->noc, &packet);
    }
}

static void tick(struct network *n, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++)
        noc_tick(n->noc);
}

static void test_no_credits(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=2 height=2 vc_buffer=0");
    send_some(&n, 1, 2, 1, 5);
    send_some(&n, 0, 3, 2, 1);
    tick(&n, 1000);
    assert_int_equal(noc_moved_at(n.noc), 0);
    assert_int_equal(noc_class_stats(n.noc, 0)->flits_entered, 0);
    verify(&n);
    check_report(&n, (const char *const[]){
                         "cycle 1000: 3 packets have not arrived; the last flit moved in cycle 0\n",
                         "1 -> 2 of cycle 0 (class 0, 5 flits) at node 1: waits for room in "
                         "virtual channel 0 to router 1\n",
                         NULL});
    end(&n);
}

static void test_no_one_takes(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=3 height=1 vcs=1 vc_buffer=2 ejection_queue=3");
    send_some(&n, 0, 2, 20, 3);
    tick(&n, 500);
    assert_true(noc_moved_at(n.noc) < 100);
    assert_int_equal(noc_class_stats(n.noc, 0)->packets, 1);
    verify(&n);
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    noc_report(n.noc, file, 20);
    fclose(file);
    static const char *const parts[] = {
        "at node 2 (from router 2, virtual channel 0): waits for the node to accept arrived "
        "packets",
        "at router 1 (from router 0, virtual channel 0): waits for room in virtual channel 0 to "
        "router 2, which is occupied by 0 -> 2",
        "at router 0 (from node 0, virtual channel 0): waits for room in virtual channel 0 to "
        "router 1",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text, parts[i]))
            fail_msg("no '%s' in:\n%s", parts[i], text);
    free(text);
    for (int i = 0; i < 20; i++) {
        tick(&n, 50);
        assert_non_null(noc_peek(n.noc, 2, 0));
        noc_pop(n.noc, 2, 0);
    }
    tick(&n, 50);
    verify(&n);
    assert_int_equal(noc_next(n.noc), UINT64_MAX);
    end(&n);
}

// A class that is not accepted does not hold up another one.
static void test_classes_do_not_wait(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=3 height=3 classes=2 vcs=2 ejection_queue=5");
    for (uint32_t i = 0; i < 2000; i++) {
        for (uint32_t node = 0; node < 9; node++) {
            struct noc_packet packet = {.created = i, .source = node, .flits = 5};
            packet.target = (node * 5 + i) % 9;
            packet.class = i / 9 % 2;
            if (noc_waiting_packets(n.noc, node, packet.class) < 4)
                noc_send(n.noc, &packet);
            if (noc_peek(n.noc, node, 1))
                noc_pop(n.noc, node, 1);
        }
        noc_tick(n.noc);
    }
    assert_int_equal(noc_class_stats(n.noc, 0)->packets, 9);
    assert_true(noc_class_stats(n.noc, 1)->packets > 400);
    verify(&n);
    end(&n);
}

// Interfaces

static void test_injection_queue(void **state)
{
    (void)state;
    struct network n;
    begin(&n, "width=2 height=1 injection_queue=10 injection_links=2 node_link=4");
    assert_true(noc_can_send(n.noc, 0, 0, 5));
    send_some(&n, 0, 1, 1, 5);
    assert_false(noc_can_send(n.noc, 0, 0, 1)); // 5 flits at 4 per cycle take two cycles
    assert_true(noc_can_send(n.noc, 1, 0, 5));
    tick(&n, 2);
    assert_int_equal(noc_waiting_flits(n.noc, 0, 0), 3);
    assert_true(noc_can_send(n.noc, 0, 0, 5)); // the other link's queue is empty
    send_some(&n, 0, 1, 1, 5);
    noc_skip_to(n.noc, 4);
    assert_true(noc_can_send(n.noc, 0, 0, 2));
    assert_false(noc_can_send(n.noc, 0, 0, 3));
    assert_int_equal(noc_waiting_packets(n.noc, 0, 0), 2);
    end(&n);
}

// Returns the flits per cycle of a node that sends to all sides.
static double sending_rate(const char *settings)
{
    enum { CYCLES = 2000, SOURCE = 4 };
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < CYCLES; i++) {
        for (uint32_t target = 1; target < 8; target += 2) {
            struct noc_packet packet = {
                .created = i, .source = SOURCE, .target = target, .flits = 4};
            if (i % 4 == 0)
                noc_send(n.noc, &packet);
        }
        noc_tick(n.noc);
    }
    double rate = (double)noc_class_stats(n.noc, 0)->flits / CYCLES;
    verify(&n);
    end(&n);
    return rate;
}

static void test_injection_speed(void **state)
{
    (void)state;
#define SMALL "width=3 height=3 vcs=8 "
    assert_in_range(sending_rate(SMALL) * 1000, 950, 1000);
    assert_in_range(sending_rate(SMALL "injection_links=4") * 1000, 950, 1000);
    assert_in_range(sending_rate(SMALL "injection_speedup=4") * 1000, 950, 1000);
    assert_true(sending_rate(SMALL "injection_links=4 injection_speedup=4") > 2.3);
    assert_true(sending_rate(SMALL "injection_ports=2") > 1.8);
    assert_in_range(
        sending_rate(SMALL "injection_links=4 injection_speedup=4 injection_nodes=[3]") * 1000, 950,
        1000);
#undef SMALL
}

// Returns the share of node 0 when two nodes send all they can to one; packets of node 0 have the
// priority.
static uint64_t share_of_first(const char *settings, uint32_t priority)
{
    struct network n;
    begin(&n, settings);
    for (uint32_t i = 0; i < 4000; i++) {
        for (uint32_t node = 0; node < 2; node++) {
            struct noc_packet packet = {.created = i, .source = node * 2, .target = 1, .flits = 1};
            packet.priority = node ? 0 : (uint8_t)priority;
            if (noc_can_send(n.noc, packet.source, 0, 1))
                noc_send(n.noc, &packet);
        }
        noc_tick(n.noc);
        if (i == 1000)
            for (uint32_t node = 0; node < 1; node++)
                while (noc_peek(n.noc, 1, 0))
                    noc_pop(n.noc, 1, 0);
    }
    uint64_t first = 0, all = 0;
    for (; noc_peek(n.noc, 1, 0); noc_pop(n.noc, 1, 0)) {
        first += noc_peek(n.noc, 1, 0)->source == 0;
        all++;
    }
    end(&n);
    return first * 1000 / all;
}

static void test_priorities(void **state)
{
    (void)state;
#define PAIR "width=3 height=1 injection_queue=4 "
    assert_in_range(share_of_first(PAIR, 0), 480, 520);
    assert_true(share_of_first(PAIR, 1) > 950);
    assert_true(share_of_first(PAIR "sw_allocator=separable vc_allocator=separable", 1) > 950);
    // One level is lost before the second router, where both meet.
    assert_in_range(share_of_first(PAIR "priority_decay=true", 1), 480, 520);
    assert_true(share_of_first(PAIR "priority_decay=true", 2) > 950);
    // Who has waited for long is served as well.
    assert_in_range(share_of_first(PAIR "priority_wait=30", 1), 500, 960);
#undef PAIR
}

// Determinism

static uint64_t digest_of(const char *settings, uint64_t shuffle, uint32_t priority)
{
    struct network n;
    begin(&n, settings);
    noc_shuffle(n.noc, shuffle);
    struct traffic_test t = traffic_begin(&n, 0.4, 1);
    t.flits_max = 4;
    struct noc_packet first = {.source = 0, .target = 0, .flits = 1, .priority = (uint8_t)priority};
    noc_send(n.noc, &first);
    tick(&n, 100);
    noc_pop(n.noc, 0, 0);
    traffic_run(&t, 3000);
    uint64_t digest = t.digest, sum = 0;
    for (uint32_t i = 0; i < noc_routers(n.noc); i++)
        sum = sum * 31 + noc_buffer_sum(n.noc, i);
    end(&n);
    return digest ^ sum;
}

static void test_shuffle(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=5 height=4",
        "width=5 height=4 routing=adaptive vcs=4 injection_links=2 injection_speedup=2 classes=2",
        "width=4 height=4 vcs=3 st_final_delay=3 credit_delay=2 ejection_queue=6 injection_queue=9",
        "topology=fly radix=4 stages=3 vc_allocator=separable sw_allocator=separable",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        uint64_t digest = digest_of(networks[i], 0, 0);
        for (uint64_t seed = 1; seed < 5; seed++)
            if (digest_of(networks[i], seed * 1234567, 0) != digest)
                fail_msg("%s: seed %llu", networks[i], (unsigned long long)seed);
    }
}

// Virtual channels are allocated by masks until a packet has a priority, then by lists: without
// further priorities both give the same result.
static void test_masks_and_lists(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "width=5 height=4",
        "width=5 height=4 classes=3 vcs=8 class_vcs=[1,5,2] vc_buffer=3",
        "topology=fly radix=4 stages=3",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        assert_int_equal(digest_of(networks[i], 0, 0), digest_of(networks[i], 0, 1));
}

// The result is the same with all compilers and hosts.
static void test_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        uint64_t packets, flits, hops, latency, wait;
    } networks[] = {
        {"width=5 height=4", 15433, 38536, 43392, 7779455, 6219974},
        {"width=4 height=4 routing=adaptive vcs=4 vc_allocator=separable sw_allocator=separable",
         14481, 36090, 36159, 5538203, 4512670},
        {"topology=crossbar nodes=70 vcs=3", 51079, 127507, 0, 30518786, 29540138},
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct network n;
        begin(&n, networks[i].settings);
        struct traffic_test t = traffic_begin(&n, 0.4, 1);
        t.flits_max = 4;
        traffic_run(&t, 3000);
        const struct noc_class_stats *stats = noc_class_stats(n.noc, 0);
        assert_int_equal(stats->packets, networks[i].packets);
        assert_int_equal(stats->flits, networks[i].flits);
        assert_int_equal(stats->hops, networks[i].hops);
        assert_int_equal(stats->latency_sum, networks[i].latency);
        assert_int_equal(stats->wait_sum, networks[i].wait);
        end(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conservation),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_adaptive_goes_on),
        cmocka_unit_test(test_adaptive_uses_both_ways),
        cmocka_unit_test(test_no_credits),
        cmocka_unit_test(test_no_one_takes),
        cmocka_unit_test(test_classes_do_not_wait),
        cmocka_unit_test(test_injection_queue),
        cmocka_unit_test(test_injection_speed),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_masks_and_lists),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
