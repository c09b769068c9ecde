// Networks of one node each, superimposed.
#include "tests/unit/runtime-sim/network.h"

enum { NODES = 7, SOURCES = 3, PACKETS = 4000 };
#define SETTINGS "topology=crossbar nodes=7 vcs=4 vc_buffer=9 vc_reuse=whole injection_queue=36 "

struct sent {
    uint32_t source, target, flits;
    uint64_t arrived;
};

static struct noc_packet packet_of(const struct sent *s, uint64_t payload, uint64_t now)
{
    return (struct noc_packet){.payload = payload,
                               .created = now,
                               .source = s->source,
                               .target = s->target,
                               .flits = (uint16_t)s->flits};
}

static void pop_all(struct noc *noc, struct sent *sent)
{
    for (uint32_t node = 0; node < NODES; node++)
        for (const struct noc_packet *p; (p = noc_peek(noc, node, 0)); noc_pop(noc, node, 0)) {
            assert_int_equal(p->target, node);
            assert_int_equal(sent[p->payload].arrived, 0);
            sent[p->payload].arrived = p->arrived;
        }
}

// Checks that a lone sender's packets take the same time as in a crossbar.
static void check_alone(const char *settings, const char *overlay)
{
    struct network all, alone[SOURCES];
    static struct sent ours[PACKETS], theirs[PACKETS];
    uint64_t random = 9;
    uint32_t count = 0;
    memset(ours, 0, sizeof ours);
    memset(theirs, 0, sizeof theirs);
    begin(&all, overlay);
    for (uint32_t i = 0; i < SOURCES; i++)
        begin(&alone[i], settings);
    for (uint32_t cycle = 0; cycle < 6000; cycle++) {
        for (uint32_t i = 0; i < SOURCES; i++) {
            uint64_t draw = splitmix64(&random);
            const struct sent next = {.source = i * 2,
                                      .target = (uint32_t)(draw % NODES),
                                      .flits = draw >> 20 & 1 ? 9 : 1};
            bool wants = draw >> 24 & 1 && count < PACKETS;
            bool can = wants && noc_can_send(all.noc, next.source, 0, next.flits);
            if (wants)
                assert_int_equal(can, noc_can_send(alone[i].noc, next.source, 0, next.flits));
            if (!can)
                continue;
            struct noc_packet packet = packet_of(&next, count, cycle);
            ours[count] = theirs[count] = next;
            noc_send(all.noc, &packet);
            noc_send(alone[i].noc, &packet);
            count++;
        }
        noc_tick(all.noc);
        pop_all(all.noc, ours);
        for (uint32_t i = 0; i < SOURCES; i++) {
            noc_tick(alone[i].noc);
            pop_all(alone[i].noc, theirs);
        }
        if (cycle % 64 == 0)
            verify(&all);
    }
    assert_int_equal(noc_in_flight(all.noc), 0);
    assert_true(count > 500);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ours[i].arrived, theirs[i].arrived);
    end(&all);
    for (uint32_t i = 0; i < SOURCES; i++)
        end(&alone[i]);
}

static void test_alone(void **state)
{
    (void)state;
#define WIDE "injection_links=4 injection_vc=own injection_speedup=4 "
    check_alone(SETTINGS, SETTINGS "overlay=true");
    check_alone(SETTINGS WIDE, SETTINGS WIDE "overlay=true");
#undef WIDE
}

// Flits per cycle that a node sends to all others, and that one receives from all others. An
// ejection queue with room for four packets accepts four at a time.
static void test_bandwidth(void **state)
{
    (void)state;
    enum { CYCLES = 3000 };
    static const char *const networks[] = {
        SETTINGS "overlay=true", SETTINGS "overlay=true injection_links=4 injection_speedup=4",
        SETTINGS "overlay=true ejection_queue=36", SETTINGS};
    static const uint32_t sent[] = {1, 3, 1, 1}, taken[] = {6, 6, 4, 1};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t gets = 0; gets < 2; gets++) {
            struct network n;
            begin(&n, networks[i]);
            for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
                for (uint32_t k = 1; k < NODES; k++) {
                    const struct noc_packet packet = {.created = cycle,
                                                      .source = gets ? k : 0,
                                                      .target = gets ? 0 : (cycle + k) % 6 + 1,
                                                      .flits = 9};
                    if (noc_can_send(n.noc, packet.source, 0, 9))
                        noc_send(n.noc, &packet);
                }
                noc_tick(n.noc);
                for (uint32_t node = 0; node < NODES; node++)
                    while (noc_peek(n.noc, node, 0))
                        noc_pop(n.noc, node, 0);
            }
            double rate = (double)noc_class_stats(n.noc, 0)->flits / CYCLES;
            uint32_t expected = gets ? taken[i] : sent[i];
            if (rate < 0.75 * expected || rate > 1.2 * expected)
                fail_msg("%s, %u: %f", networks[i], gets, rate);
            verify(&n);
            end(&n);
        }
}

// Everything arrives, however small the buffers are.
static void test_drains(void **state)
{
    (void)state;
    static const char *const networks[] = {
        SETTINGS "overlay=true ejection_queue=9",
        SETTINGS "overlay=true ejection_queue=9 ejection_order=channels",
        SETTINGS "overlay=true classes=2 injection_nodes=[1,3] injection_links=2",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint64_t shuffle = 0; shuffle < 2; shuffle++) {
            struct network n;
            static uint64_t digest;
            begin(&n, networks[i]);
            noc_shuffle(n.noc, shuffle * 77);
            struct traffic_test t = traffic_begin(&n, 1, 1);
            t.flits_max = 9;
            traffic_run(&t, 2000);
            traffic_drain(&t);
            assert_true(t.sent > 1000);
            if (shuffle)
                assert_true(t.digest == digest);
            digest = t.digest;
            end(&n);
        }
}

static void test_refused(void **state)
{
    (void)state;
    struct network n;
    configure(&n, "overlay=true");
    assert_string_equal(noc_check(&n.arena, &n.config), "'overlay' needs 'topology' crossbar");
    end(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_drains),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
