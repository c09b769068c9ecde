// Accelerated reply injection: crossbar inputs from rates, counts and packets of a machine's
// controllers, and the added hardware.
#include "runtime-sim/schemes/ari/ari.h"
#include "tests/unit/runtime-sim/machine_fixture.h"
#include <math.h>

static const struct scheme_ops *const ari_alone[] = {&ari, NULL};
enum { CONTROLLERS = 8, LONG = 9 };

// Configures a machine, with settings up to a NULL.
static const char *configure(struct rig *r, const char *text, const char *name,
                             const char *const *settings)
{
    struct config config;
    *r = (struct rig){0};
    kernel_load(&r->k, text, NULL);
    uint32_t count;
    struct config_section *sections = machine_sections(&r->config, &r->k.arena, ari_alone, &count);
    config_init(&config, &r->k.arena, sections, count);
    assert_true(config_load(&config, name));
    for (; settings && *settings; settings++)
        assert_true(config_set(&config, *settings));
    return machine_check(&r->k.arena, &r->config);
}

static const struct ari_config *own_config(const struct rig *r)
{
    return r->config.of_scheme[0];
}

static const char nothing[] = HEAD("7.0", "sm_70") ".visible .entry k()\n{\nret;\n}\n";

// Equations (1) and (2)

static void test_speedup(void **state)
{
    (void)state;
    assert_int_equal(ari_speedup(0.55, 7.27, 4), 4);
    assert_int_equal(ari_speedup(0.30, 7.27, 4), 3);
    assert_int_equal(ari_speedup(0.05, 7.27, 4), 1);
    assert_int_equal(ari_speedup(0.55, 7.27, 3), 3); // a router at an edge
    assert_int_equal(ari_speedup(1, 9, 4), 4);       // a hit of the LLC in each cycle
    assert_int_equal(ari_speedup(0, 7.27, 4), 1);
    assert_int_equal(ari_speedup(0.5, 4, 4), 2); // exactly
    assert_int_equal(ari_speedup(0.5, 4.01, 4), 3);
}

static void test_bound(void **state)
{
    (void)state;
    struct rig r;
    assert_null(configure(&r, nothing, "ari", NULL));
    struct noc_config network = r.config.memsys.reply_network;
    assert_int_equal(ari_bound(&network, 7), 4);
    assert_int_equal(ari_bound(&network, 3), 3);
    assert_int_equal(ari_bound(&network, 0), 2);
    network.vcs = 2;
    assert_int_equal(ari_bound(&network, 7), 2);
    network.vcs = 4;
    network.topology = NOC_CROSSBAR;
    assert_int_equal(ari_bound(&network, 7), 4);
    network.topology = NOC_FLY;
    network.radix = 3;
    assert_int_equal(ari_bound(&network, 7), 3);
    rig_free(&r);
}

// Requirements on the machine

static const struct noc_config *network_with(struct rig *r, const char *const *settings)
{
    const char *wrong = configure(r, nothing, "ari", settings);
    if (wrong)
        fail_msg("%s", wrong);
    rig_build_planned(r, NULL);
    return &r->machine->config->memsys.reply_network;
}

static void test_requirements(void **state)
{
    (void)state;
    struct rig r;
    const struct noc_config *n = network_with(&r, SETTINGS("ari.injection=ari"));
    assert_int_equal(n->injection_links, 4);
    assert_int_equal(n->injection_vc, NOC_VC_OWN);
    assert_int_equal(n->injection_queue, 36); // of four queues together
    static const uint32_t by_outputs[CONTROLLERS] = {3, 4, 4, 3, 3, 4, 4, 3};
    assert_int_equal(n->injection_speedups.n, CONTROLLERS);
    assert_memory_equal(n->injection_speedups.v, by_outputs, sizeof by_outputs);
    assert_true(n->priority_decay);
    assert_int_equal(n->priority_wait, 1000);
    assert_int_equal(n->priority_lift, NOC_LIFT_INJECTION);
    // Only controllers, and only the reply network [004 §6.1].
    assert_int_equal(n->injection_nodes.n, CONTROLLERS);
    assert_int_equal(r.machine->config->memsys.request_network.injection_links, 1);
    rig_free(&r);

    n = network_with(&r, SETTINGS("ari.injection=supply", "ari.links=2"));
    assert_int_equal(n->injection_links, 2);
    assert_int_equal(n->injection_speedups.n, 0);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=consume", "ari.speedup_by=rate", "ari.rate=0.2"));
    assert_int_equal(n->injection_links, 1);
    assert_int_equal(n->injection_speedups.v[1], 2); // 0.2 · 7.27
    assert_int_equal(n->priority_wait, 0);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=consume", "ari.speedup_by=rate", "ari.rate=0.2",
                                  "ari.packet_flits=12"));
    assert_int_equal(n->injection_speedups.v[1], 3);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=ari", "ari.speedup=2", "ari.starvation=500"));
    assert_int_equal(n->injection_speedups.v[1], 2);
    assert_int_equal(n->priority_wait, 500);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=multiport"));
    assert_int_equal(n->injection_ports, 2);
    assert_true(n->injection_shared);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=multiport", "ari.ports=3"));
    assert_int_equal(n->injection_ports, 3);
    rig_free(&r);
    assert_string_equal(
        configure(&r, nothing, "ari", SETTINGS("ari.injection=supply", "ari.links=5")),
        "reply_network, with ari.injection: class 0 has 4 virtual channels, but "
        "needs one for each of 5 injection links");
    rig_free(&r);
}

// In a packet-wide crossbar split queues are those by output, and links and virtual channels do not
// exist; an input sends as many packets per cycle as its speed.
static void test_packet_wide(void **state)
{
    (void)state;
    struct rig r;
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const machines[] = {"v100", "a100", "h100"};
        assert_null(configure(&r, nothing, machines[i],
                              SETTINGS("ari.injection=ari", "reply_network.packet_voqs=false")));
        rig_build_planned(&r, NULL);
        const struct noc_config *n = &r.machine->config->memsys.reply_network;
        assert_true(n->packet_voqs);
        assert_int_equal(n->injection_links, 1);
        assert_int_equal(n->injection_speedups.n, n->injection_nodes.n);
        assert_int_equal(n->injection_speedups.v[n->injection_speedups.n - 1], 4);
        assert_int_equal(ari_bound(n, 0), n->nodes);
        rig_free(&r);
    }
    assert_string_equal(
        configure(&r, nothing, "v100",
                  SETTINGS("ari.injection=consume", "reply_network.packet_voqs=false")),
        "reply_network, with ari.injection: 'packet_wide' needs 'packet_voqs' true for "
        "injection_speedup and injection_speedups");
    rig_free(&r);
    assert_string_equal(configure(&r, nothing, "v100", SETTINGS("ari.injection=multiport")),
                        "reply_network, with ari.injection: 'packet_wide' needs 'injection_ports' "
                        "1");
    rig_free(&r);
}

// A controller

static void offer(struct ari_controller *c, uint64_t cycle, uint32_t waiting, bool taken)
{
    static const struct memsys_request read = {.kind = MEMSYS_READ};
    const struct memsys_offer given = {.cycle = cycle,
                                       .node = c->node,
                                       .flits = LONG,
                                       .waiting = waiting,
                                       .reply = &read,
                                       .taken = taken};
    ari_controller_offer(c, &given, 1);
}

static void test_intervals(void **state)
{
    (void)state;
    struct rig r;
    struct ari_controller *c = calloc(1, sizeof *c);
    const struct noc_config *n = network_with(&r, SETTINGS("ari.injection=both"));
    ari_controller_init(c, own_config(&r), 7, 4);
    // 19 intervals of 10 replies, one of 50, and one that has begun.
    for (uint32_t i = 0; i < 20; i++)
        for (uint32_t k = 0; k < (i == 7 ? 50u : 10u); k++)
            offer(c, i * 100 + 2 * k, 1, true);
    offer(c, 2000, 3, false);
    ari_controller_settle(c, noc_new(&r.k.arena, n));
    assert_int_equal(c->stats.intervals, 20);
    assert_int_equal(c->stats.interval_most, 50);
    assert_int_equal(c->stats.interval_95, 10);
    assert_int_equal(c->stats.above_bound, 1); // 450 flits, and 400 of the bound
    assert_int_equal(c->stats.speed_sum, 20 * 4);
    assert_int_equal(c->stats.replies, 240);
    assert_int_equal(c->stats.read_reply_flits, 240 * LONG);
    assert_int_equal(c->stats.read_request_flits, 240);
    assert_int_equal(c->stats.stall_cycles, 1);
    assert_int_equal(c->stats.stalled_replies, 3);
    rig_free(&r);
    n = network_with(&r, SETTINGS("ari.injection=both", "ari.interval=50"));
    ari_controller_init(c, own_config(&r), 7, 4);
    for (uint32_t i = 0; i < 20; i++)
        offer(c, i * 50, 1, true);
    ari_controller_settle(c, noc_new(&r.k.arena, n));
    assert_int_equal(c->stats.intervals, 19);
    rig_free(&r);
    free(c);
}

// Crossbar inputs follow the amount that the controller has to send.
static void test_speed_by_interval(void **state)
{
    (void)state;
    struct rig r;
    const struct noc_config *n =
        network_with(&r, SETTINGS("ari.injection=both", "ari.speedup_by=interval"));
    struct noc *noc = noc_new(&r.k.arena, n);
    struct ari_controller *c = calloc(1, sizeof *c);
    static const struct {
        uint32_t sent, waiting, speed;
    } intervals[] = {{5, 0, 1}, {20, 0, 2}, {20, 4, 3}, {10, 40, 4}, {80, 0, 4}, {1, 0, 1}};
    enum { COUNT = sizeof intervals / sizeof *intervals };
    ari_controller_init(c, own_config(&r), 7, 4);
    for (uint32_t i = 0; i <= COUNT; i++) {
        static const struct memsys_request read = {.kind = MEMSYS_READ};
        struct memsys_offer given = {
            .network = noc, .node = 7, .flits = LONG, .reply = &read, .taken = true};
        for (uint32_t k = 0; k < (i < COUNT ? intervals[i].sent : 1); k++) {
            given.cycle = i * 100 + k;
            given.waiting = 1 + (i < COUNT ? intervals[i].waiting : 0);
            ari_controller_offer(c, &given, 1);
            if (i && !k)
                assert_int_equal(c->speed, intervals[i - 1].speed);
        }
    }
    // The network has what was chosen last, and no more than it was built with.
    assert_int_equal(noc_set_entry_speed(noc, 7, 9), 4);
    assert_int_equal(noc_set_entry_speed(noc, 3, 9), 3);
    assert_int_equal(noc_set_entry_speed(noc, 3, 0), 1);
    assert_int_equal(noc_set_entry_speed(noc, 8, 4), 1);
    rig_free(&r);
    free(c);
}

static uint32_t ranked_of(struct ari_controller *c, uint8_t kind, uint32_t count)
{
    const struct memsys_request reply = {.kind = kind};
    uint32_t ranked = 0;
    for (uint32_t i = 0; i < count; i++)
        ranked += ari_controller_priority(c, &reply) > 0;
    return ranked;
}

static void test_priority(void **state)
{
    (void)state;
    struct rig r;
    struct ari_controller *c = calloc(1, sizeof *c);
    const struct memsys_request read = {.kind = MEMSYS_READ};
    network_with(&r, SETTINGS("ari.injection=ari", "ari.levels=4", "ari.results=false"));
    ari_controller_init(c, own_config(&r), 7, 4);
    assert_int_equal(ari_controller_priority(c, &read), 3);
    assert_int_equal(ranked_of(c, MEMSYS_WRITE, 10), 10);
    assert_int_equal(ranked_of(c, MEMSYS_PACKET, 10), 0);
    rig_free(&r);
    network_with(&r, SETTINGS("ari.injection=ari", "ari.levels=1"));
    ari_controller_init(c, own_config(&r), 7, 4);
    assert_int_equal(ranked_of(c, MEMSYS_READ, 10), 0);
    rig_free(&r);
    network_with(&r, SETTINGS("ari.injection=both"));
    ari_controller_init(c, own_config(&r), 7, 4);
    assert_int_equal(ranked_of(c, MEMSYS_READ, 10), 0);
    rig_free(&r);
    // A share of the replies: an eighth more after each interval with stalls, an eighth less after
    // each other one.
    network_with(&r, SETTINGS("ari.injection=ari", "ari.ranked=stalls"));
    ari_controller_init(c, own_config(&r), 7, 4);
    for (uint32_t i = 0; i < 6; i++) {
        offer(c, i * 100, 1, true);
        assert_int_equal(ranked_of(c, MEMSYS_READ, 80), i * 10);
        offer(c, i * 100 + 50, 2, false);
    }
    for (uint32_t i = 6; i < 14; i++) {
        offer(c, i * 100, 1, true);
        assert_int_equal(ranked_of(c, MEMSYS_READ, 80), i < 12 ? (12 - i) * 10 : 0);
    }
    rig_free(&r);
    free(c);
}

// A machine

// c[t] is the sum of N words, each in a line that no other thread reads.
#define TEXT_OF_STREAM                                                                             \
    HEAD("7.0", "sm_70")                                                                           \
    ".visible .entry k(.param .u64 a, .param .u64 c, .param .u32 n)\n{\n"                          \
    ".reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<6>;\n"                                           \
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [c]; ld.param.u32 %r7, [n];\n"                       \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, %nctaid.x;\n"  \
    "mad.lo.u32 %r5, %r1, %r2, %r3; mul.lo.u32 %r6, %r4, %r2;\n"                                   \
    "mul.wide.u32 %d3, %r5, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"                    \
    "mul.wide.u32 %d4, %r6, 4; mov.u32 %r8, 0;\n"                                                  \
    "L: ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+0];\n"                                   \
    "add.u32 %r8, %r8, %r1; add.u64 %d1, %d1, %d4;\n"                                              \
    "sub.u32 %r7, %r7, 1; setp.ne.u32 %p, %r7, 0; @%p bra L;\n"                                    \
    "st.global.u32 [%d2], %r8;\nret;\n}\n"

enum { CTAS = 112, THREADS = 256, WORDS = 8 };

static void run_stream(struct rig *r, const char *const *settings, uint64_t shuffle)
{
    const char *wrong = configure(r, TEXT_OF_STREAM, "ari", settings);
    if (wrong)
        fail_msg("%s", wrong);
    r->shuffle = shuffle;
    rig_build_planned(r, NULL);
    uint32_t threads = CTAS * THREADS;
    uint32_t *a = kernel_buffer(&r->k, threads * WORDS * 4), *c = kernel_buffer(&r->k, threads * 4);
    kernel_u32(&r->k, WORDS);
    for (uint32_t i = 0; i < threads * WORDS; i++)
        a[i] = i * 7;
    rig_run(r, "k", CTAS, THREADS);
    for (uint32_t i = 0; i < threads; i++)
        assert_int_equal(c[i], WORDS * (i * 7) + 7 * threads * (WORDS * (WORDS - 1) / 2));
}

// Returns the data rate of a controller in GB/s, the mean over the run.
static double data_rate(const struct rig *r)
{
    double bytes = rig_stat(r, "ari.read_reply_flits") / LONG * 128;
    return bytes / (rig_stat(r, "machine.cycles") / 1.126) / CONTROLLERS;
}

#define ADAPTIVE "request_network.routing=adaptive", "reply_network.routing=adaptive"

enum { PLAIN, SHARED, ACCELERATED, IDEAL, RUNS };

// Checks that the packets do not depend on the injection, and that each is counted once.
static void check_counts(const struct rig *r, double packets)
{
    double each = 0;
    assert_true(packets == rig_stat(r, "ari.replies"));
    assert_true(packets == rig_stat(r, "reply.class0.packets"));
    assert_true(rig_stat(r, "ari.reply_flits") == rig_stat(r, "reply.class0.flits"));
    assert_true(rig_stat(r, "ari.entered_flits") == rig_stat(r, "reply.class0.flits"));
    assert_true(rig_stat(r, "ari.read_reply_flits") + rig_stat(r, "ari.write_reply_flits") ==
                rig_stat(r, "ari.reply_flits"));
    assert_true(rig_stat(r, "ari.read_request_flits") + rig_stat(r, "ari.write_request_flits") ==
                rig_stat(r, "request.class0.flits"));
    for (uint32_t k = 0; k < CONTROLLERS; k++) {
        char name[32];
        snprintf(name, sizeof name, "ari%u.stall_cycles", k);
        each += rig_stat(r, name);
    }
    assert_true(each == rig_stat(r, "ari.stall_cycles"));
}

// The link to the router carries 16 GB/s, of which 128 bytes of each 144 are data. A DRAM supplies
// 28 GB/s, less the cost of rows.
static void test_share_of_the_dram(void **state)
{
    (void)state;
    static const char *const settings[RUNS][4] = {
        [PLAIN] = {"ari.monitor=true"},
        [SHARED] = {"ari.injection=multiport"},
        [ACCELERATED] = {"ari.injection=ari", ADAPTIVE},
        [IDEAL] = {"ari.monitor=true", "reply_network.ideal=true"},
    };
    double stalls[RUNS], rate[RUNS], packets = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        struct rig r;
        run_stream(&r, settings[i], 0);
        rate[i] = data_rate(&r);
        stalls[i] = rig_stat(&r, "ari.stall_part");
        packets = i ? packets : rig_stat(&r, "ari.replies");
        check_counts(&r, packets);
        assert_true(rig_stat(&r, "ari.ranked") == (i == ACCELERATED ? packets : 0));
        rig_free(&r);
    }
    assert_in_range(rate[PLAIN] * 1000, 12500, 16000 * 128 / 144);
    assert_in_range(rate[SHARED] * 1000, 12500, 16000 * 128 / 144);
    assert_true(rate[ACCELERATED] > 1.3 * rate[PLAIN] && rate[ACCELERATED] <= rate[IDEAL]);
    assert_true(rate[IDEAL] > 17 && rate[IDEAL] < 28);
    assert_true(stalls[PLAIN] > 0.5);
    assert_true(stalls[ACCELERATED] < 0.5 * stalls[PLAIN]);
    assert_true(stalls[IDEAL] == 0);
}

static void test_shuffled(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (uint64_t i = 0; i < 2; i++) {
        struct rig r;
        run_stream(
            &r,
            SETTINGS("ari.injection=ari", "ari.speedup_by=interval", "ari.ranked=stalls", ADAPTIVE),
            i);
        cycles[i] = r.cycles;
        assert_in_range(rig_stat(&r, "ari.speed_mean") * 100, 150, 350);
        rig_free(&r);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

// Flits of a mix of reads and writes of lines [004 §3]: 72.7 % are replies if 78.4 % are reads.
static void test_flits_of_packets(void **state)
{
    (void)state;
    struct rig r;
    network_with(&r, NULL);
    double mean[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        const struct memsys_request request = {.bytes = mask_range(0, 128),
                                               .kind = i ? MEMSYS_WRITE : MEMSYS_READ};
        double part = i ? 1 - 0.784 : 0.784;
        mean[0] += part * memsys_request_flits(rig_memsys(&r), &request);
        mean[1] += part * memsys_reply_flits(rig_memsys(&r), &request);
    }
    assert_in_range(mean[0] * 1000, 2720, 2735);
    assert_in_range(mean[1] * 1000, 7265, 7280);
    rig_free(&r);
}

// Hardware

static struct ari_storage storage_with(struct rig *r, const char *const *settings)
{
    assert_null(configure(r, nothing, "ari", settings));
    return ari_storage_of(own_config(r), &r->config);
}

static void test_storage(void **state)
{
    (void)state;
    struct rig r;
    struct ari_storage s = storage_with(&r, SETTINGS("ari.injection=ari"));
    assert_int_equal(s.part[ARI_QUEUES].before, 36 * 128);
    assert_int_equal(s.part[ARI_QUEUES].after, 36 * 128);
    assert_int_equal(s.part[ARI_POINTERS].before, 3 * 6);    // 0 to 36
    assert_int_equal(s.part[ARI_POINTERS].after, 4 * 3 * 4); // 0 to 9
    assert_int_equal(s.part[ARI_PRIORITIES].after, 1);
    assert_int_equal(s.part[ARI_WAITING].after, 4 * 4 * 10);
    assert_int_equal(s.part[ARI_LINKS].after, 4 * 128);
    assert_int_equal(s.part[ARI_CROSSBAR].before, 5 * 5 * 128);
    assert_int_equal(s.part[ARI_CROSSBAR].after, 8 * 5 * 128);
    double before = (4608 + 18 + 23040) * 4.522 + 3200 * 1.862;
    double added = (30 + 160) * 4.522 + 1920 * 1.862;
    assert_true(fabs(ari_storage_pair(&s, CROSSBAR_CELLS) - added / before) < 1e-9);
    double wires = 128 * 0.14 * 128 * 0.14; // of a crosspoint
    before += 25 * wires - 3200 * 1.862;
    added += 15 * wires - 1920 * 1.862;
    assert_true(fabs(ari_storage_pair(&s, CROSSBAR_THIN) - added / before) < 1e-9);
    assert_int_equal(s.controllers, 8);
    assert_int_equal(s.routers, 72);
    rig_free(&r);
    s = storage_with(&r, NULL);
    assert_true(ari_storage_pair(&s, CROSSBAR_MIDDLE) == 0);
    rig_free(&r);
    s = storage_with(&r, SETTINGS("ari.injection=multiport"));
    assert_int_equal(s.part[ARI_BUFFERS].after, 6 * 4 * LONG * 128);
    assert_int_equal(s.part[ARI_CROSSBAR].after, 6 * 5 * 128);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speedup),      cmocka_unit_test(test_bound),
        cmocka_unit_test(test_requirements), cmocka_unit_test(test_packet_wide),
        cmocka_unit_test(test_intervals),    cmocka_unit_test(test_speed_by_interval),
        cmocka_unit_test(test_priority),     cmocka_unit_test(test_share_of_the_dram),
        cmocka_unit_test(test_shuffled),     cmocka_unit_test(test_flits_of_packets),
        cmocka_unit_test(test_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
