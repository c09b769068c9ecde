// An LLC slice on top of a DRAM channel, as in a memory partition.
#include "runtime-sim/cache/cache.h"
#include "runtime-sim/dram/dram.h"
#include "runtime-sim/dram/dram_map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct cache_config llc;
    struct dram_config dram;
    struct config_section sections[2];
    struct config config;
    struct cache cache;
    struct dram_channel channel;
    struct dram_map map;
    uint64_t now, answers;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->sections[0] = (struct config_section){"llc", cache_keys, cache_key_count, &f->llc};
    f->sections[1] = (struct config_section){"dram", dram_keys, dram_key_count, &f->dram};
    config_init(&f->config, &f->arena, f->sections, 2);
    assert_true(config_load(&f->config, "dram/gddr5_isca19"));
    f->llc.port_bytes = 128;
    f->llc.mshrs = 96;
    f->llc.access_queue = 16;
    cache_init(&f->cache, &f->arena, &f->llc, 1);
    dram_init(&f->channel, &f->arena, &f->dram);
    dram_map_init(&f->map, &f->dram);
}

static void exchange(struct fixture *f)
{
    const struct dram_reply *answer;
    const struct cache_out *out;
    while ((answer = dram_peek(&f->channel, f->now))) {
        if (!answer->write)
            cache_fill(&f->cache, f->now, answer->id, mask_range(0, 128));
        dram_pop(&f->channel, f->now);
    }
    while ((out = cache_out_peek(&f->cache)) && dram_can_accept(&f->channel, out->write)) {
        struct dram_coordinates at = dram_map_local(&f->map, out->line);
        struct dram_request request = {
            .id = out->line, .bank = at.bank, .row = at.row, .write = out->write};
        dram_accept(&f->channel, f->now, f->now, &request);
        cache_out_pop(&f->cache, f->now);
    }
}

static void one_clock(struct fixture *f)
{
    exchange(f);
    dram_tick(&f->channel, f->now);
    cache_tick(&f->cache, f->now);
    while (cache_reply_peek(&f->cache, 0, f->now)) {
        cache_reply_pop(&f->cache, 0, f->now);
        f->answers++;
    }
    f->now++;
}

static void settle(struct fixture *f)
{
    while (cache_inside(&f->cache) || cache_out_peek(&f->cache) || cache_flushing(&f->cache) ||
           dram_inside(&f->channel))
        one_clock(f);
}

static void put(struct fixture *f, uint64_t line, enum cache_kind kind)
{
    struct cache_request request = {
        .id = line, .line = line, .bytes = mask_range(0, 128), .kind = (uint8_t)kind};
    while (!cache_can_put(&f->cache, 0))
        one_clock(f);
    cache_put(&f->cache, f->now, &request);
}

enum { COUNT = 20000, ELSEWHERE = 1 << 20 };

// Lines that are read once arrive at the channel's bandwidth.
static void stream(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (uint64_t line = 0; line < COUNT; line++)
        put(&f, line, CACHE_READ);
    settle(&f);
    assert_int_equal(f.answers, COUNT);
    assert_int_equal(f.channel.stats.reads, COUNT);
    assert_int_equal(f.channel.stats.writes, 0);
    assert_in_range(f.now, 2 * COUNT, 2 * COUNT + 200);
    arena_free(&f.arena);
}

// A copy: every line is read once and written once; no line is fetched to be written.
static void copy(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (uint64_t line = 0; line < COUNT; line++) {
        put(&f, line, CACHE_READ);
        put(&f, ELSEWHERE + line, CACHE_WRITE);
    }
    settle(&f);
    assert_true(f.channel.stats.writes < COUNT);
    cache_flush(&f.cache, f.now, 0, UINT64_MAX - 1, true);
    settle(&f);
    assert_int_equal(f.answers, 2 * COUNT);
    assert_int_equal(f.channel.stats.reads, COUNT);
    assert_int_equal(f.channel.stats.writes, COUNT);
    arena_free(&f.arena);
}

// Data that fit are fetched once, however often they are read.
static void reuse(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint64_t lines = f.llc.sets * f.llc.ways;
    for (uint64_t i = 0; i < 5 * lines; i++)
        put(&f, i % lines, CACHE_READ);
    settle(&f);
    assert_int_equal(f.answers, 5 * lines);
    assert_int_equal(f.channel.stats.reads, lines);
    assert_int_equal(f.cache.stats.read_hits, 4 * lines);
    // One line more, and with the oldest giving way none of its set is there when it is wanted.
    uint64_t before = f.cache.stats.read_hits;
    for (uint64_t i = 0; i < 3 * (f.llc.ways + 1); i++) {
        put(&f, i % (f.llc.ways + 1) * f.llc.sets, CACHE_READ);
        settle(&f);
    }
    assert_int_equal(f.cache.stats.read_hits - before, f.llc.ways);
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream),
        cmocka_unit_test(copy),
        cmocka_unit_test(reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
