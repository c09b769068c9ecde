// The memory system under random traffic, and its parts by themselves: packets, atomics, flushes,
// topologies, configurations that do not fit.
#include "support/file.h"
#include "tests/unit/runtime-sim/memsys_fixture.h"

// Random traffic: each core has up to `window` requests on their way, of random kinds and bytes, to
// random lines of a few or of many; sometimes it lets answers lie.
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
    r.client = (uint8_t)(draw(t) % REQUESTERS);
    r.carries = (uint16_t)(1 + draw(t) % LINE);
    r.returns = (uint16_t)(1 + draw(t) % LINE);
    return r;
}

static void take_answers(struct traffic *t)
{
    struct memsys *m = t->f.m;
    for (uint64_t rest = memsys_answers(m, 0); rest; rest &= rest - 1) {
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

// Returns a digest of what was served and answered when.
static uint64_t run_traffic(const char *config, const char *const *settings, uint64_t lines,
                            uint64_t shuffle)
{
    struct traffic t = {.random = 88172645463325252, .window = 12, .lines = lines, .count = COUNT};
    begin(&t.f, config, settings);
    start(&t.f, served, &t);
    memsys_shuffle(t.f.m, shuffle);
    while (t.answered < t.count) {
        take_answers(&t);
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

// Every queue holds as little as it can, and all of them are full.
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
    static const char *const few[] = {"memory.cores=1", NULL};
    run_traffic("isca19", fly, 1000, 0);
    run_traffic("isca19", crossbar, 1000, 0);
    run_traffic("isca19", parts, 1000, 0);
    run_traffic("isca19", small, 1000, 0);
    run_traffic("gtx480", few, 1000, 0);
}

// Packets

static struct memsys_request part(enum memsys_kind kind, uint32_t from, uint32_t until)
{
    struct memsys_request r = request(0, 0, kind);
    r.bytes = mask_range(from, until);
    return r;
}

static void check_flits(const struct fixture *f, struct memsys_request r, uint32_t request,
                        uint32_t reply)
{
    assert_int_equal(memsys_request_flits(f->m, &r), request);
    assert_int_equal(memsys_reply_flits(f->m, &r), reply);
}

// A header of 8 bytes, sectors of 32, and 16 bytes of mask where one is not written whole.
static void sizes_of_packets(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    check_flits(&f, part(MEMSYS_READ, 0, 4), 1, 5);
    check_flits(&f, part(MEMSYS_WRITE, 0, 128), 5, 1);
    check_flits(&f, part(MEMSYS_WRITE, 32, 64), 2, 1);
    check_flits(&f, part(MEMSYS_WRITE, 32, 63), 2, 1);
    check_flits(&f, part(MEMSYS_WRITE, 31, 33), 3, 1);
    check_flits(&f, part(MEMSYS_WRITE, 0, 127), 5, 1);
    struct memsys_request r = part(MEMSYS_ATOMIC, 0, 4);
    r.carries = 24;
    r.returns = 25;
    check_flits(&f, r, 1, 2);
    r.kind = MEMSYS_REDUCE;
    check_flits(&f, r, 1, 1);
    arena_free(&f.arena);
    begin(&f, "isca19", (const char *const[]){"memory.sectors=true", NULL});
    start(&f, NULL, NULL);
    check_flits(&f, part(MEMSYS_READ, 0, 4), 1, 2);
    check_flits(&f, part(MEMSYS_READ, 31, 33), 1, 3);
    arena_free(&f.arena);
}

// Hops of three accesses, as the networks count them.
static void count_hops(const uint32_t partitions[3], uint64_t hops, uint64_t weighted)
{
    struct fixture f;
    uint64_t sum = 0, weights = 0;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    uint32_t core = 0;
    while (memsys_end_node(f.m, core) != 18)
        core++;
    for (uint32_t i = 0; i < 3; i++) {
        struct memsys_request r = request(core, partitions[i], i < 2 ? MEMSYS_READ : MEMSYS_WRITE);
        assert_true(memsys_can_send(f.m, &r));
        memsys_send(f.m, &r);
        while (!memsys_peek(f.m, core))
            assert_true(advance(&f, UINT64_MAX) != UINT64_MAX);
        memsys_pop(f.m, core);
    }
    for (int i = 0; i < 2; i++) {
        const struct noc *noc = memsys_network(f.m, (enum memsys_network)i);
        sum += noc_class_stats(noc, 0)->hops;
        weights += noc_class_stats(noc, 0)->weighted_hops;
    }
    assert_int_equal(sum, hops);
    assert_int_equal(weights, weighted);
    end(&f);
}

static void hops(void **state)
{
    (void)state;
    count_hops((const uint32_t[]){5, 6, 7}, 42, 126);
    count_hops((const uint32_t[]){7, 7, 7}, 48, 144);
}

// Atomics

struct order {
    uint32_t count;
    uint64_t cycle[64];
    struct fixture f;
};

static enum memsys_served note(void *context, const struct memsys_request *r)
{
    struct order *o = context;
    if (r->kind == MEMSYS_ATOMIC)
        o->cycle[o->count++] = o->f.now;
    return MEMSYS_SERVED;
}

static uint64_t atomics(const char *const *settings, uint64_t stride)
{
    static struct order o;
    o = (struct order){0};
    begin(&o.f, "isca19", settings);
    start(&o.f, note, &o);
    for (uint32_t core = 0; core < 56; core++) {
        struct memsys_request r = request(core, 3 + core * stride, MEMSYS_ATOMIC);
        assert_true(memsys_can_send(o.f.m, &r));
        memsys_send(o.f.m, &r);
    }
    uint32_t answers = 0;
    while (answers < 56) {
        advance(&o.f, o.f.now + 1);
        for (uint64_t rest = memsys_answers(o.f.m, 0); rest; rest &= rest - 1, answers++)
            memsys_pop(o.f.m, (uint32_t)__builtin_ctzll(rest));
    }
    assert_int_equal(o.count, 56);
    uint64_t span = o.cycle[55] - o.cycle[0];
    end(&o.f);
    return span;
}

// Atomics to one line are served one after the other; to lines of all partitions they are not.
static void atomics_serialise(void **state)
{
    (void)state;
    assert_true(atomics(NULL, 0) >= 55);
    assert_true(atomics(NULL, 1) < 55 + 40);
}

// Flushes

static void flush(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    for (uint32_t i = 0; i < 40; i++) {
        struct memsys_request r = request(0, i, i < 10 ? MEMSYS_READ : MEMSYS_WRITE);
        while (!memsys_can_send(f.m, &r))
            advance(&f, UINT64_MAX);
        memsys_send(f.m, &r);
        advance(&f, f.now + 1);
        while (memsys_peek(f.m, 0))
            memsys_pop(f.m, 0);
    }
    while (memsys_inside(f.m)) {
        advance(&f, UINT64_MAX);
        while (memsys_peek(f.m, 0))
            memsys_pop(f.m, 0);
    }
    memsys_stats_refresh(f.m);
    assert_int_equal(memsys_stats(f.m)->dram_write, 0);
    memsys_flush(f.m);
    assert_true(memsys_flushing(f.m));
    while (memsys_flushing(f.m))
        assert_true(advance(&f, UINT64_MAX) != UINT64_MAX);
    assert_int_equal(advance(&f, UINT64_MAX), UINT64_MAX);
    memsys_stats_refresh(f.m);
    assert_int_equal(memsys_stats(f.m)->dram_write, 30 * LINE * 8);
    uint64_t reads = memsys_stats(f.m)->dram_read;
    struct memsys_request again = request(0, 39, MEMSYS_READ);
    memsys_send(f.m, &again);
    advance(&f, UINT64_MAX);
    memsys_pop(f.m, 0);
    memsys_stats_refresh(f.m);
    assert_int_equal(memsys_stats(f.m)->dram_read, reads + LINE * 8);
    end(&f);
}

// Other messages

// A packet of the owner's own class, from core to core, from partition to partition.
static void other_classes(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19",
          (const char *const[]){"request_network.classes=2", "memory.request_class=1", NULL});
    start(&f, NULL, NULL);
    const uint32_t ways[][2] = {{0, 63}, {3, 61}, {18, 3}, {61, 18}};
    for (uint32_t i = 0; i < 4; i++) {
        struct noc *noc = memsys_network(f.m, MEMSYS_REQUESTS);
        struct noc_packet packet = {.payload = 1234 + i,
                                    .source = ways[i][0],
                                    .target = ways[i][1],
                                    .created = noc_cycle(noc),
                                    .flits = 2};
        assert_true(noc_can_send(noc, packet.source, 0, 2));
        noc_send(noc, &packet);
        assert_true(advance(&f, UINT64_MAX) != UINT64_MAX);
        const struct noc_packet *there = noc_peek(noc, packet.target, 0);
        assert_non_null(there);
        assert_int_equal(there->payload, 1234 + i);
        noc_pop(noc, packet.target, 0);
    }
    struct memsys_request r = request(0, 0, MEMSYS_READ);
    memsys_send(f.m, &r);
    advance(&f, UINT64_MAX);
    memsys_pop(f.m, 0);
    end(&f);
}

// A core that was refused is told when there is room, and only then.
static void refused(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", (const char *const[]){"request_network.injection_queue=5", NULL});
    start(&f, NULL, NULL);
    struct memsys_request r = request(0, 0, MEMSYS_WRITE);
    assert_true(memsys_can_send(f.m, &r));
    memsys_send(f.m, &r);
    assert_false(memsys_can_send(f.m, &r));
    assert_int_equal(memsys_may_send(f.m, 0), 0);
    assert_int_equal(advance(&f, 1000), 5); // one flit leaves the queue in each cycle
    assert_int_equal(memsys_may_send(f.m, 0), 1);
    assert_true(memsys_can_send(f.m, &r));
    assert_int_equal(memsys_may_send(f.m, 0), 0);
    while (!memsys_peek(f.m, 0))
        advance(&f, UINT64_MAX);
    memsys_pop(f.m, 0);
    end(&f);
}

// What does not fit

static void wrong_configurations(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"memory.cores=57", NULL,
         "memory.cores is 57, but 64 nodes, of which 8 have a partition, leave 56"},
        {"memory.partition_nodes=[64]", NULL,
         "memory.partition_nodes has 64, but there are 64 nodes"},
        {"memory.partition_nodes=[1, 2, 1]", NULL, "memory.partition_nodes has 1 twice"},
        {"memory.partition_nodes=[]", NULL, "memory.partition_nodes is empty"},
        {"memory.partition_nodes=[1, 2, 5]", "memory.rule=xor",
         "memory.rule: xor needs a power of two of partitions, not 3"},
        {"memory.chunk=64", NULL, "memory.chunk is 64, no multiple of llc.line_bytes: 128"},
        {"memory.sector_bytes=48", NULL,
         "llc.line_bytes is 128, no multiple of memory.sector_bytes: 48"},
        {"dram.request_bytes=32", "llc.sector_bytes=128", NULL},
        {"reply_network.width=4", NULL, "request_network has 64 nodes, reply_network 32"},
        {"memory.reply_class=1", NULL, "memory.reply_class is 1, but reply_network.classes is 1"},
        {"request_network.classes=9", NULL,
         "request_network: class 8 has 0 virtual channels, but needs one"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fixture f;
        begin(&f, "isca19", (const char *const[]){wrong[i][0], wrong[i][1], NULL});
        const char *text = memsys_check(&f.arena, f.values);
        if (wrong[i][2])
            assert_string_equal(text, wrong[i][2]);
        else
            assert_null(text);
        arena_free(&f.arena);
    }
}

// Nodes at routers of butterflies are for both networks, of which the one is the other turned
// round; they have neither cores nor partitions.
static void wrong_butterflies(void **state)
{
    enum { SETTINGS_MOST = 5 };
    (void)state;
    static const struct {
        const char *settings[SETTINGS_MOST], *wrong;
    } cases[] = {
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true"},
         NULL},
        {{"request_network.router_nodes=true", "reply_network.reversed=true"},
         "request_network.router_nodes needs reply_network.router_nodes"},
        {{"reply_network.router_nodes=true", "reply_network.reversed=true"},
         "reply_network.router_nodes needs request_network.router_nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true"},
         "router_nodes needs request_network.reversed: false and reply_network.reversed: true"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "request_network.reversed=true"},
         "router_nodes needs request_network.reversed: false and reply_network.reversed: true"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "reply_network.radix=8", "reply_network.stages=2"},
         "router_nodes needs butterflies of the same radix and stages"},
        {{"request_network.router_nodes=true", "reply_network.topology=mesh"},
         "request_network.router_nodes needs reply_network.router_nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "memory.partition_nodes=[64]"},
         "memory.partition_nodes has 64, but there are 64 nodes"},
        {{"request_network.router_nodes=true", "reply_network.router_nodes=true",
          "reply_network.reversed=true", "memory.cores=57"},
         "memory.cores is 57, but 64 nodes, of which 8 have a partition, leave 56"},
        {{"reply_network.reversed=true"}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        const char *all[SETTINGS_MOST + 3] = {"request_network.topology=fly",
                                              "reply_network.topology=fly"};
        memcpy(all + 2, cases[i].settings, sizeof cases[i].settings);
        begin(&f, "isca19", all);
        const char *text = memsys_check(&f.arena, f.values);
        if (cases[i].wrong)
            assert_string_equal(text, cases[i].wrong);
        else
            assert_null(text);
        arena_free(&f.arena);
    }
}

// Every row of the statistics has its group, and totals are the sums of their parts.
static void statistics(void **state)
{
    (void)state;
    struct fixture f;
    struct stats stats;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    stats_init(&stats, &f.arena);
    memsys_stats_add(f.m, &stats);
    for (uint32_t i = 0; i < 100; i++) {
        struct memsys_request r = request(i % 56, i, MEMSYS_READ);
        r.client = (uint8_t)(i % 2);
        memsys_send(f.m, &r);
        advance(&f, UINT64_MAX);
        memsys_pop(f.m, i % 56);
    }
    memsys_stats_refresh(f.m);
    double total, parts = 0, code, bits;
    for (uint32_t i = 0; i < 8; i++) {
        double reads;
        assert_true(stats_find(&stats, NULL, arena_printf(&f.arena, "dram%u.reads", i), &reads));
        parts += reads;
    }
    assert_true(stats_find(&stats, NULL, "dram.reads", &total));
    assert_true(stats_find(&stats, NULL, "memory.code.from_dram", &code));
    assert_true(stats_find(&stats, NULL, "memory.dram_read", &bits));
    assert_true(total == 100 && parts == 100 && code == 50 && bits == 100 * LINE * 8);
    assert_true(stats_find(&stats, NULL, "request.class0.flits", &total));
    assert_true(total == 100);
    assert_true(stats_find(&stats, NULL, "reply.class0.flits", &total));
    assert_true(total == 500);
    end(&f);
}

// The report names what is inside.
static void report(void **state)
{
    (void)state;
    struct fixture f;
    char *text = NULL;
    size_t size = 0;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    struct memsys_request r = request(0, 3, MEMSYS_READ);
    memsys_send(f.m, &r);
    advance(&f, 50);
    FILE *to = open_memstream(&text, &size);
    memsys_report(f.m, to, 10);
    fclose(to);
    assert_non_null(strstr(text, "in cycle 50: 1 requests are not answered"));
    const char moved[] = "the last one moved in cycle ";
    assert_non_null(strstr(text, moved));
    assert_in_range(strtoull(strstr(text, moved) + strlen(moved), NULL, 10), 1, 50);
    assert_non_null(strstr(text, "partition 3 at node 29"));
    assert_non_null(strstr(text, "DRAM: 1 requests"));
    assert_null(strstr(text, "partition 2"));
    free(text);
    advance(&f, UINT64_MAX);
    memsys_pop(f.m, 0);
    end(&f);
}

// The keys of the section `memory`, as a table.
static void print_keys(FILE *to)
{
    struct fixture f;
    begin(&f, "isca19", NULL);
    f.config.section_count = 1;
    config_keys_print_markdown(&f.config, to);
    arena_free(&f.arena);
}

static void documented(void **state)
{
    (void)state;
    struct fixture f;
    struct file_text document;
    char *table;
    size_t length;
    FILE *to = open_memstream(&table, &length);
    print_keys(to);
    fclose(to);
    begin(&f, "isca19", NULL);
    assert_null(file_read(&f.arena, SOURCE_ROOT "/docs/machine.md", &document));
    if (!strstr(document.text, table))
        fail_msg("docs/machine.md does not have the keys as they are");
    free(table);
    arena_free(&f.arena);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--keys")) {
        print_keys(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_once),
        cmocka_unit_test(tiny_queues_do_not_lock),
        cmocka_unit_test(shuffled),
        cmocka_unit_test(other_machines),
        cmocka_unit_test(sizes_of_packets),
        cmocka_unit_test(hops),
        cmocka_unit_test(atomics_serialise),
        cmocka_unit_test(flush),
        cmocka_unit_test(other_classes),
        cmocka_unit_test(refused),
        cmocka_unit_test(wrong_configurations),
        cmocka_unit_test(wrong_butterflies),
        cmocka_unit_test(statistics),
        cmocka_unit_test(report),
        cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests_name("memsys_traffic", tests, NULL, NULL);
}
