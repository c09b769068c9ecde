// The memory system under random traffic: each request gets one reply, on machines of many kinds.
#include "tests/unit/runtime-sim/memsys_fixture.h"

// Random traffic: each core has up to `window` requests in flight, of random kinds and bytes, to
// random lines of `lines`. Sometimes a core does not accept a reply.
struct traffic {
    struct fixture f;
    uint64_t random, digest;
    uint32_t window;
    uint64_t lines, count, sent, answered, served;
    uint64_t kinds[4];
    uint64_t answered_at; // the last one
    uint32_t inside[64];
    bool answers[1 << 15]; // by tag
};

static uint64_t draw(struct traffic *t)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return t->random >> 8;
}

static void mix(struct traffic *t, uint64_t value)
{
    t->digest = (t->digest ^ value) * UINT64_C(0x100000001b3);
}

static enum memsys_served served(void *context, const struct memsys_request *r)
{
    struct traffic *t = context;
    mix(t, r->tag);
    t->served++;
    return MEMSYS_SERVED;
}

static struct memsys_request random_request(struct traffic *t, uint32_t core)
{
    uint32_t from = (uint32_t)(draw(t) % LINE),
             until = from + 1 + (uint32_t)(draw(t) % (LINE - from));
    struct memsys_request r = request(core, draw(t) % t->lines, (enum memsys_kind)(draw(t) % 4));
    if (draw(t) % 2)
        r.bytes = mask_range(from, until);
    r.tag = (uint32_t)t->sent;
    r.requester = (uint8_t)(draw(t) % REQUESTERS);
    r.carries = (uint16_t)(1 + draw(t) % LINE);
    r.returns = (uint16_t)(1 + draw(t) % LINE);
    return r;
}

static void pop_replies(struct traffic *t)
{
    struct memsys *m = t->f.m;
    for (uint64_t rest = memsys_reply_endpoints(m, 0); rest; rest &= rest - 1) {
        uint32_t core = (uint32_t)__builtin_ctzll(rest);
        const struct memsys_request *answer = memsys_peek(m, core);
        if (draw(t) % 8 == 0)
            continue;
        assert_int_equal(answer->core, core);
        assert_false(t->answers[answer->tag]);
        t->answers[answer->tag] = true;
        mix(t, answer->tag);
        mix(t, t->f.now);
        memsys_pop(m, core);
        t->inside[core]--;
        t->answered++;
        t->answered_at = t->f.now;
    }
}

static void send_requests(struct traffic *t)
{
    for (uint32_t core = 0; core < t->f.values->memory.cores; core++) {
        if (t->inside[core] == t->window || t->sent == t->count || draw(t) % 4)
            continue;
        struct memsys_request r = random_request(t, core);
        if (!memsys_can_send(t->f.m, &r))
            continue;
        memsys_send(t->f.m, &r);
        t->kinds[r.kind]++;
        t->inside[core]++;
        t->sent++;
    }
}

static uint64_t flits(const struct noc *noc, bool arrived)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < noc_nodes(noc); i++)
        sum += arrived ? noc_node(noc, i).flits_arrived : noc_node(noc, i).flits_entered;
    return sum;
}

static void check_sums(struct traffic *t)
{
    struct memsys *m = t->f.m;
    memsys_stats_refresh(m);
    const struct memsys_stats *stats = memsys_stats(m);
    assert_int_equal(stats->requests, t->count);
    assert_int_equal(stats->answers, t->count);
    assert_int_equal(t->served, t->count);
    assert_int_equal(stats->reads, t->kinds[MEMSYS_READ]);
    assert_int_equal(stats->writes, t->kinds[MEMSYS_WRITE]);
    assert_int_equal(stats->atomics, t->kinds[MEMSYS_ATOMIC]);
    assert_int_equal(stats->reductions, t->kinds[MEMSYS_REDUCE]);
    assert_int_equal(stats->data_answers, stats->reads + stats->atomics);
    assert_int_equal(stats->data_answers, stats->from_llc + stats->from_merge + stats->from_dram);
    for (int i = 0; i < 2; i++) {
        const struct noc *noc = memsys_network(m, (enum memsys_network)i);
        assert_int_equal(flits(noc, false), flits(noc, true));
        assert_int_equal(noc_in_flight(noc), 0);
    }
}

enum { COUNT = 6000 };

// Returns a digest of the order and times of services and replies.
static uint64_t run_traffic(const char *config, const char *const *settings, uint64_t lines,
                            uint64_t shuffle)
{
    struct traffic t = {.random = 88172645463325252, .window = 12, .lines = lines, .count = COUNT};
    begin(&t.f, config, settings);
    start(&t.f, served, &t);
    memsys_shuffle(t.f.m, shuffle);
    while (t.answered < t.count) {
        pop_replies(&t);
        send_requests(&t);
        advance(&t.f, t.f.now + 1 + draw(&t) % 3);
        if (t.f.now > t.answered_at + 100000) {
            memsys_report(t.f.m, stderr, 20);
            fail_msg("nothing is answered");
        }
    }
    check_sums(&t);
    end(&t.f);
    return t.digest;
}

// Every queue has its minimum capacity, and all of them fill up.
static const char *const tiny[] = {
    "request_network.injection_queue=5",
    "request_network.ejection_queue=5",
    "request_network.vcs=1",
    "request_network.vc_buffer=1",
    "reply_network.injection_queue=5",
    "reply_network.ejection_queue=5",
    "reply_network.vcs=1",
    "reply_network.vc_buffer=1",
    "memory.reply_queue=1",
    "llc.input=1",
    "llc.access_queue=1",
    "llc.answers=1",
    "llc.out=2",
    "llc.mshrs=1",
    "llc.merges=1",
    "llc.sets=2",
    "llc.ways=1",
    "dram.queue=1",
    "dram.answers=1",
    NULL,
};

static void every_request_is_answered_once(void **state)
{
    (void)state;
    run_traffic("isca19", NULL, 64, 0);
    run_traffic("isca19", NULL, UINT64_C(1) << 30, 0);
    run_traffic("gtx480", NULL, 1000, 0);
}

static void tiny_queues_do_not_lock(void **state)
{
    (void)state;
    run_traffic("isca19", tiny, 16, 0);
    run_traffic("isca19", tiny, 100000, 0);
    run_traffic("gtx480", tiny, 300, 0);
}

static void shuffled(void **state)
{
    (void)state;
    uint64_t plain = run_traffic("isca19", NULL, 500, 0);
    assert_int_equal(run_traffic("isca19", NULL, 500, 0), plain);
    assert_int_equal(run_traffic("isca19", NULL, 500, 1), plain);
    assert_int_equal(run_traffic("isca19", NULL, 500, 77), plain);
    assert_int_not_equal(run_traffic("isca19", NULL, 501, 0), plain);
    plain = run_traffic("isca19", tiny, 500, 0);
    assert_int_equal(run_traffic("isca19", tiny, 500, 5), plain);
}

static void other_machines(void **state)
{
    (void)state;
    static const char *const fly[] = {"request_network.topology=fly",
                                      "reply_network.topology=fly",
                                      "memory.partition_nodes=[0,63,20,40]",
                                      "memory.cores=60",
                                      "memory.rule=xor",
                                      NULL};
    static const char *const crossbar[] = {"request_network.topology=crossbar",
                                           "reply_network.topology=crossbar", NULL};
    static const char *const parts[] = {"dram.channels=2",
                                        "dram.request_bytes=32",
                                        "dram.channel_bytes=64",
                                        "llc.sector_bytes=32",
                                        "memory.sectors=true",
                                        "llc.banks=2",
                                        "memory.chunk=256",
                                        "memory.llc_clock=933",
                                        "memory.core_clock=1700",
                                        "llc.partial=fetch",
                                        NULL};
    static const char *const small[] = {
        "memory.cores=3",    "memory.partition_nodes=[9]", "request_network.routing=adaptive",
        "llc.write=through", "llc.allocate_writes=false",  NULL};
    static const char *const wide[] = {"request_network.topology=crossbar",
                                       "reply_network.topology=crossbar",
                                       "request_network.nodes=64",
                                       "reply_network.nodes=64",
                                       "request_network.packet_wide=true",
                                       "reply_network.packet_wide=true",
                                       "request_network.ejection_queue=2",
                                       "reply_network.injection_queue=1",
                                       "reply_network.clusters=4",
                                       "reply_network.cluster_nodes=10",
                                       "memory.channel_slices=4",
                                       "memory.rule=ipoly",
                                       "memory.sectors=true",
                                       "memory.sector_replies=true",
                                       "memory.far_delay=33",
                                       "llc.sector_bytes=32",
                                       "llc.bank_bytes=32",
                                       "llc.banks=2",
                                       "llc.hash=ipoly",
                                       "dram.request_bytes=32",
                                       "dram.bank_bits=[8, 13, 12]",
                                       "dram.tREFI=400",
                                       "dram.tRFC=20",
                                       "dram.refresh=bank",
                                       "dram.bank_xor=false",
                                       NULL};
    static const char *const few[] = {"memory.cores=1", NULL};
    run_traffic("isca19", fly, 1000, 0);
    run_traffic("isca19", crossbar, 1000, 0);
    run_traffic("isca19", parts, 1000, 0);
    run_traffic("isca19", small, 1000, 0);
    uint64_t plain = run_traffic("isca19", wide, 1000, 0);
    assert_int_equal(run_traffic("isca19", wide, 1000, 9), plain);
    run_traffic("gtx480", few, 1000, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_once),
        cmocka_unit_test(tiny_queues_do_not_lock),
        cmocka_unit_test(shuffled),
        cmocka_unit_test(other_machines),
    };
    return cmocka_run_group_tests_name("memsys_traffic", tests, NULL, NULL);
}
