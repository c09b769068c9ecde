// The memory system at zero load and at full load: closed forms.
#include "tests/unit/runtime-sim/memsys_fixture.h"

static enum memsys_served count_served(void *context, const struct memsys_request *request)
{
    struct fixture *f = context;
    assert_true(request->core < f->values->memory.cores);
    f->served++;
    return MEMSYS_SERVED;
}

// Sends one request into the idle system. Returns the cycles until its reply can be popped.
static uint64_t round_trip(struct fixture *f, struct memsys_request r)
{
    uint64_t sent = f->now;
    assert_true(memsys_can_send(f->m, &r));
    memsys_send(f->m, &r);
    uint64_t then = advance(f, UINT64_MAX);
    assert_true(then != UINT64_MAX);
    const struct memsys_request *answer = memsys_peek(f->m, r.core);
    assert_non_null(answer);
    assert_true(memsys_reply_endpoints(f->m, r.core / 64) >> (r.core % 64) & 1);
    assert_int_equal(answer->line, r.line);
    assert_int_equal(answer->tag, r.tag);
    memsys_pop(f->m, r.core);
    assert_int_equal(memsys_inside(f->m), 0);
    assert_int_equal(advance(f, then + 1000), then + 1000);
    return then - sent;
}

static uint32_t routers_between(const struct fixture *f, uint32_t core, uint32_t partition)
{
    uint32_t a = memsys_endpoint_node(f->m, core), b = memsys_partition_node(f->m, partition);
    uint32_t width = (uint32_t)f->values->request_network.width;
    int x = (int)(a % width) - (int)(b % width), y = (int)(a / width) - (int)(b / width);
    return (uint32_t)(abs(x) + abs(y) + 1);
}

// Clocks at zero load, all of the same frequency. Packets take 5·H + 2 + (L − 1), with H routers
// and L flits. A request that arrived in clock a enters the slice at a + 1 and has its access then;
// its data of B bytes are ready `latency` + B / port − 1 clocks later, are sent at once, arrive as
// above, and are seen in the following cycle. A request with a delay enters the slice after the
// delay, and has its access a clock later.
static uint64_t delay(const struct fixture *f)
{
    return f->values->memory.request_delay ? f->values->memory.request_delay + 1 : 0;
}

static uint64_t hit_latency(const struct fixture *f, uint32_t routers)
{
    uint64_t request = 5 * routers + 2, reply = 5 * routers + 2 + 4;
    uint64_t slice = f->values->llc.latency + LINE / f->values->llc.port_bytes - 1;
    return request + 1 + delay(f) + slice + reply + 1;
}

static void zero_load_hits(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", NULL);
    start(&f, count_served, &f);
    for (uint32_t p = 0; p < 8; p++)
        round_trip(&f, request(0, p, MEMSYS_READ));
    for (uint32_t core = 0; core < 56; core++)
        for (uint32_t p = 0; p < 8; p++) {
            assert_int_equal(memsys_partition_of(f.m, p), p);
            assert_int_equal(round_trip(&f, request(core, p, MEMSYS_READ)),
                             hit_latency(&f, routers_between(&f, core, p)));
        }
    assert_int_equal(f.served, 8 + 56 * 8);
    memsys_stats_refresh(f.m);
    assert_int_equal(memsys_stats(f.m)->from_llc, 56 * 8);
    assert_int_equal(memsys_stats(f.m)->from_dram, 8);
    end(&f);
}

// With headers of 40 bytes a request has 2 flits instead of 1, and a line 6 instead of 5.
static void headers(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", (const char *const[]){"memory.header_bytes=40", NULL});
    start(&f, NULL, NULL);
    round_trip(&f, request(0, 0, MEMSYS_READ));
    assert_int_equal(round_trip(&f, request(0, 0, MEMSYS_READ)),
                     hit_latency(&f, routers_between(&f, 0, 0)) + 1 + 1);
    end(&f);
}

// Returns the latency of a read that misses, in a closed bank. Clocks of the DRAM begin at its next
// tick: ACT, RD tRCD later, data tCL later for `burst`. The slice takes them in its next clock and
// has them ready one clock later.
static uint64_t miss_latency(const struct fixture *f, uint32_t routers, uint64_t sent)
{
    const struct memsys_config *c = f->values;
    uint64_t fast = c->memory.llc_clock,
             slow = c->dram.clock; // tick k of a clock: at k / frequency
    uint64_t access = sent + 5 * routers + 2 + 1 + delay(f);
    uint64_t ready = (access * slow + fast - 1) / fast + c->dram.tRCD + c->dram.tCL +
                     c->dram.burst + c->dram.delay;
    uint64_t filled = (ready * fast + slow - 1) / slow;
    return filled + 1 + 5 * routers + 2 + 4 + 1 - sent;
}

static void zero_load_misses(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", (const char *const[]){"dram.page=closed", NULL});
    start(&f, count_served, &f);
    for (uint32_t core = 0; core < 56; core++)
        for (uint32_t p = 0; p < 8; p++) {
            uint64_t sent = f.now;
            assert_int_equal(round_trip(&f, request(core, core * 8 + p, MEMSYS_READ)),
                             miss_latency(&f, routers_between(&f, core, p), sent));
        }
    memsys_stats_refresh(f.m);
    assert_int_equal(memsys_stats(f.m)->from_dram, 56 * 8);
    assert_int_equal(memsys_stats(f.m)->dram_activate, 56 * 8);
    assert_int_equal(memsys_stats(f.m)->dram_read, 56 * 8 * LINE * 8);
    end(&f);
}

// In the latency of a hit the reply does not wait, and the slice has its clocks.
static void parts_of_latency(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "isca19", NULL);
    start(&f, NULL, NULL);
    round_trip(&f, request(0, 5, MEMSYS_READ));
    memsys_stats_refresh(f.m);
    struct memsys_stats before = *memsys_stats(f.m);
    round_trip(&f, request(7, 5, MEMSYS_READ));
    memsys_stats_refresh(f.m);
    const struct memsys_stats *after = memsys_stats(f.m);
    uint32_t routers = routers_between(&f, 7, 5);
    assert_int_equal(after->latency_sum - before.latency_sum, hit_latency(&f, routers) - 1);
    assert_int_equal(after->service_sum - before.service_sum,
                     1 + delay(&f) + f.values->llc.latency + LINE / f.values->llc.port_bytes - 1);
    assert_int_equal(after->injection_sum, before.injection_sum);
    assert_int_equal(after->noc_sum - before.noc_sum, 2 * (5 * routers + 2) + 4);
    end(&f);
}

// Streams

struct stream {
    struct fixture f;
    uint64_t lines, sent, answered;
    uint32_t window; // requests of a core on their way
    uint32_t inside[64];
};

static void stream_cycle(struct stream *s)
{
    struct memsys *m = s->f.m;
    for (uint64_t rest = memsys_reply_endpoints(m, 0); rest; rest &= rest - 1) {
        uint32_t core = (uint32_t)__builtin_ctzll(rest);
        memsys_pop(m, core);
        s->inside[core]--;
        s->answered++;
    }
    for (uint32_t core = 0; core < s->f.values->memory.cores; core++) {
        struct memsys_request r = request(core, s->sent % s->lines, MEMSYS_READ);
        if (s->inside[core] == s->window || !memsys_can_send(m, &r))
            continue;
        memsys_send(m, &r);
        s->inside[core]++;
        s->sent++;
    }
    advance(&s->f, s->f.now + 1);
}

// Returns the lines per cycle that all cores together read from the saturated system, with this
// many different lines in turn.
static double stream(const char *const *settings, uint64_t lines, uint32_t window)
{
    enum { WARM_UP = 20000, CYCLES = 20000 };
    struct stream s = {.lines = lines, .window = window};
    begin(&s.f, "isca19", settings);
    start(&s.f, NULL, NULL);
    while (s.f.now < WARM_UP)
        stream_cycle(&s);
    uint64_t before = s.answered;
    while (s.f.now < WARM_UP + CYCLES)
        stream_cycle(&s);
    double rate = (double)(s.answered - before) / CYCLES;
    arena_free(&s.f.arena);
    return rate;
}

static void assert_near(double value, double expected)
{
    if (value < expected * 0.97 || value > expected * 1.001)
        fail_msg("%g is not within 3 %% below %g", value, expected);
}

static void bandwidth(void **state)
{
    (void)state;
    const uint64_t cold = UINT64_C(1) << 40, fits = 8192;
    // A line is 5 flits, and each of 8 partitions sends one flit in a cycle.
    assert_near(stream(NULL, fits, 48), 8.0 / 5);
    // A slice's port moves 16 bytes in a clock.
    assert_near(stream((const char *const[]){"llc.port_bytes=16", "llc.banks=1", NULL}, fits, 48),
                8 * 16.0 / LINE);
    // A channel moves a line in 2 of its clocks.
    assert_near(stream((const char *const[]){"dram.clock=400", "dram.delay=0", NULL}, cold, 8),
                8 / 2.0 * 400 / 1400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_load_hits),   cmocka_unit_test(headers),
        cmocka_unit_test(zero_load_misses), cmocka_unit_test(parts_of_latency),
        cmocka_unit_test(bandwidth),
    };
    return cmocka_run_group_tests_name("memsys", tests, NULL, NULL);
}
