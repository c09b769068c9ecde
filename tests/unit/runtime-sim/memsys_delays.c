// Delays before the slices and the DRAM, stores that the DRAM acknowledges, and the stages of a
// read's latency.
#include "tests/unit/runtime-sim/memsys_fixture.h"

static enum memsys_served serve(void *context, const struct memsys_request *request)
{
    struct fixture *f = context;
    (void)request;
    f->served++;
    return MEMSYS_SERVED;
}

static uint64_t round_trip(struct fixture *f, uint64_t line, enum memsys_kind kind)
{
    struct memsys_request r = request(0, line, kind);
    uint64_t sent = f->now;
    memsys_send(f->m, &r);
    uint64_t then = advance(f, UINT64_MAX);
    assert_true(then != UINT64_MAX);
    assert_non_null(memsys_peek(f->m, 0));
    memsys_pop(f->m, 0);
    advance(f, then + 1000);
    return then - sent;
}

// Cycles of a read miss, a read hit, a store miss and a store hit.
struct trips {
    uint64_t miss, hit, store_miss, store_hit;
    struct memsys_stats stats;
};

static struct trips trips(const char *const *settings)
{
    struct fixture f;
    struct trips t;
    begin(&f, "isca19", settings);
    start(&f, serve, &f);
    t.miss = round_trip(&f, 0, MEMSYS_READ);
    t.hit = round_trip(&f, 0, MEMSYS_READ);
    t.store_miss = round_trip(&f, 8, MEMSYS_WRITE);
    t.store_hit = round_trip(&f, 8, MEMSYS_WRITE);
    assert_int_equal(f.served, 4);
    memsys_stats_refresh(f.m);
    t.stats = *memsys_stats(f.m);
    end(&f);
    return t;
}

// Equal clocks, and a DRAM and a slice without delays of their own.
#define CLOCKS "dram.clock=1400", "dram.page=closed", "dram.delay=0", "memory.request_delay=0"

// A request enters the slice when its delay has passed, and has its access one clock later.
static void request_delay(void **state)
{
    (void)state;
    struct trips plain = trips((const char *const[]){CLOCKS, NULL});
    struct trips late = trips((const char *const[]){CLOCKS, "memory.request_delay=120", NULL});
    assert_int_equal(late.hit, plain.hit + 121);
    assert_int_equal(late.miss, plain.miss + 121);
    assert_int_equal(late.store_hit, plain.store_hit + 121);
    assert_int_equal(plain.stats.in_request_delay, 0);
    assert_int_equal(late.stats.in_request_delay, 2 * 120);
}

static void dram_delay(void **state)
{
    (void)state;
    struct trips plain = trips((const char *const[]){CLOCKS, NULL});
    struct trips late = trips((const char *const[]){CLOCKS, "memory.dram_delay=70", NULL});
    assert_int_equal(late.hit, plain.hit);
    assert_int_equal(late.miss, plain.miss + 71); // the scheduler sees it a clock later
    assert_int_equal(plain.stats.in_dram_delay, 0);
    assert_int_equal(late.stats.in_dram_delay, 70);
    assert_int_equal(late.stats.in_dram, plain.stats.in_dram + 1);
}

// The acknowledgement of a store miss comes from the DRAM, which also reads its line.
static void forwarded_stores(void **state)
{
    (void)state;
    struct trips kept = trips((const char *const[]){CLOCKS, NULL});
    struct trips sent = trips((const char *const[]){CLOCKS, "llc.forward_misses=true", NULL});
    uint64_t write = 11 + 4 + 2; // tRCD, CWL, burst
    assert_int_equal(kept.stats.dram_write, 0);
    assert_int_equal(sent.stats.dram_write, LINE * 8);
    assert_int_equal(kept.stats.dram_read, LINE * 8);
    assert_int_equal(sent.stats.dram_read, 2 * LINE * 8);
    assert_in_range(sent.store_miss, kept.store_miss + write - 10, kept.store_miss + write + 10);
    assert_true(sent.store_miss > kept.store_miss);
    assert_int_equal(sent.store_hit, kept.store_hit);
}

// The stages of a read add up to its latency, and each has its share.
static void stages(void **state)
{
    (void)state;
    static const char *const settings[] = {CLOCKS, "memory.request_delay=20",
                                           "memory.dram_delay=30", NULL};
    struct trips t = trips(settings);
    const struct memsys_stats *s = &t.stats;
    assert_int_equal(s->reads_answered, 2);
    assert_int_equal(s->in_request_network + s->in_request_delay + s->in_slice + s->in_slice_out +
                         s->in_dram_delay + s->in_dram + s->in_fill + s->in_reply_queue +
                         s->in_reply_network,
                     t.miss + t.hit - 2); // seen a cycle after the arrival
    assert_int_equal(s->in_request_delay, 2 * 20);
    assert_int_equal(s->in_dram_delay, 30);
    assert_int_equal(s->in_dram, 1 + 11 + 11 + 2);
    assert_int_equal(s->in_fill, 1);
    assert_true(s->in_slice > 0 && s->in_request_network > 0 && s->in_reply_network > 0);
}

// A delay without limit holds all requests; as many wait before the DRAM as it has room for.
static void under_load(void **state)
{
    (void)state;
    static const char *const settings[] = {
        CLOCKS,           "memory.request_delay=50", "memory.dram_delay=40", "dram.queue=2",
        "dram.answers=2", "llc.forward_misses=true", "memory.reply_queue=1", NULL};
    enum { REQUESTS = 400, CORES = 56 };
    struct fixture f;
    uint32_t sent = 0, answered = 0;
    begin(&f, "isca19", settings);
    start(&f, serve, &f);
    while (answered < REQUESTS) {
        for (uint32_t core = 0; core < CORES; core++) {
            struct memsys_request r =
                request(core, sent / 2 * 8, sent % 2 ? MEMSYS_READ : MEMSYS_WRITE);
            if (sent < REQUESTS && memsys_can_send(f.m, &r)) {
                memsys_send(f.m, &r);
                sent++;
            }
            if (!memsys_peek(f.m, core))
                continue;
            memsys_pop(f.m, core);
            answered++;
        }
        assert_true(f.now < 1000000);
        advance(&f, f.now + 1);
    }
    assert_int_equal(f.served, REQUESTS);
    end(&f);
}

// Each write has one acknowledgement, so a line must be one request of the DRAM.
static void faults(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19",
          (const char *const[]){"llc.forward_misses=true", "dram.request_bytes=64", NULL});
    assert_non_null(strstr(memsys_check(&f.arena, f.values), "dram.request_bytes to be a line"));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_delay),    cmocka_unit_test(dram_delay),
        cmocka_unit_test(forwarded_stores), cmocka_unit_test(stages),
        cmocka_unit_test(under_load),       cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
