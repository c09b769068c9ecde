// Single messages of the memory system: sizes of packets, hops, atomics, flushes, packets of other
// classes, rejected requests.
#include "tests/unit/runtime-sim/memsys_fixture.h"

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

// A packet has a header of 8 bytes, sectors of 32, and 16 bytes of mask if a sector is written
// partly.
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

// Counts the hops of three accesses in the networks.
static void count_hops(const uint32_t partitions[3], uint64_t hops, uint64_t weighted)
{
    struct fixture f;
    uint64_t sum = 0, weights = 0;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    uint32_t core = 0;
    while (memsys_endpoint_node(f.m, core) != 18)
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
        for (uint64_t rest = memsys_reply_endpoints(o.f.m, 0); rest; rest &= rest - 1, answers++)
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

// Packets of the owner's own class, from core to core and from partition to partition.
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

// A core whose request was rejected is notified when there is room, and only then.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_packets),  cmocka_unit_test(hops),
        cmocka_unit_test(atomics_serialise), cmocka_unit_test(flush),
        cmocka_unit_test(other_classes),     cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("memsys_messages", tests, NULL, NULL);
}
