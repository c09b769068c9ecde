// The memory system: networks, slices of the last level and DRAM together.
#include "runtime-sim/gpu/memsys.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128 };

struct fixture {
    struct memory memory;
    struct arena arena;
    struct memsys_config values;
    struct config_section sections[MEMSYS_SECTIONS];
    struct config config;
    struct memsys *m;
    uint64_t served; // times that memsys_serve was called
};

static void count_served(void *context, const struct memsys_request *request)
{
    struct fixture *f = context;
    assert_true(request->core < f->values.memory.cores);
    f->served++;
}

// A memory system of a configuration, after settings up to a NULL.
static void begin(struct fixture *f, const char *name, const char *const *settings)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    memsys_sections(f->sections, &f->values);
    config_init(&f->config, &f->arena, f->sections, MEMSYS_SECTIONS);
    assert_true(config_load(&f->config, name));
    for (; settings && *settings; settings++)
        assert_true(config_set(&f->config, *settings));
}

static void start(struct fixture *f, memsys_serve *serve, void *context)
{
    assert_null(memsys_check(&f->arena, &f->values));
    f->m = memsys_new(&f->arena, &f->values, serve, context);
}

static void end(struct fixture *f)
{
    assert_int_equal(memsys_inside(f->m), 0);
    for (int i = 0; i < 2; i++)
        assert_null(noc_verify(memsys_network(f->m, (enum memsys_network)i), &f->arena));
    arena_free(&f->arena);
}

static struct memsys_request request(uint32_t core, uint64_t line, enum memsys_kind kind)
{
    return (struct memsys_request){.line = line,
                                   .bytes = mask_range(0, LINE),
                                   .core = core,
                                   .tag = (uint32_t)line,
                                   .carries = LINE,
                                   .returns = LINE,
                                   .kind = (uint8_t)kind};
}

// Sends one request into the idle system; returns the cycles until its answer can be taken.
static uint64_t round_trip(struct fixture *f, struct memsys_request r)
{
    uint64_t sent = memsys_cycle(f->m);
    assert_true(memsys_can_send(f->m, &r));
    memsys_send(f->m, &r);
    uint64_t then = memsys_advance(f->m, UINT64_MAX);
    assert_true(then != UINT64_MAX);
    const struct memsys_request *answer = memsys_peek(f->m, r.core);
    assert_non_null(answer);
    assert_true(memsys_answers(f->m, r.core / 64) >> (r.core % 64) & 1);
    assert_int_equal(answer->line, r.line);
    assert_int_equal(answer->tag, r.tag);
    memsys_pop(f->m, r.core);
    assert_int_equal(memsys_inside(f->m), 0);
    assert_int_equal(memsys_advance(f->m, then + 1000), then + 1000);
    return then - sent;
}

static uint32_t routers_between(const struct fixture *f, uint32_t core, uint32_t partition)
{
    uint32_t a = memsys_core_node(f->m, core), b = memsys_partition_node(f->m, partition);
    uint32_t width = (uint32_t)f->values.request_network.width;
    int x = (int)(a % width) - (int)(b % width), y = (int)(a / width) - (int)(b / width);
    return (uint32_t)(abs(x) + abs(y) + 1);
}

// Clocks at zero load, all of the same frequency: the packets' ways are 5·H + 2 + (L − 1), with H
// routers and L flits; a request that arrived in clock a is put into the slice at a + 1, has its
// access then, and its data of B bytes are ready `latency` + B / port − 1 clocks later; they are
// sent at once, arrive as above, and are seen in the cycle after.
static uint64_t hit_latency(const struct fixture *f, uint32_t routers)
{
    uint64_t request = 5 * routers + 2, reply = 5 * routers + 2 + 4;
    uint64_t slice = f->values.llc.latency + LINE / f->values.llc.port_bytes - 1;
    return request + 1 + slice + reply + 1;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_load_hits),
    };
    return cmocka_run_group_tests_name("memsys", tests, NULL, NULL);
}
