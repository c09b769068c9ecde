// Compares the cache with a model without time, and with closed forms of its times.
#include "runtime-sim/memsys/partition.h"
#include "tests/unit/runtime-sim/documented.h"
#include "support/random.h"
#include "tests/unit/runtime-sim/cache_fixture.h"

enum { PAUSE = 50 }; // clocks

static bool unlocked(void *context, const struct cache_request *r, uint64_t now)
{
    (void)r;
    (void)now;
    return !((struct fixture *)context)->locked;
}

static void start_two(struct fixture *f)
{
    start(f, 2);
    f->cache.inputs[1].condition = unlocked;
    if (!f->memory_latency)
        f->memory_latency = 20;
}

// Moves requests to the next level and its replies back.
static void next_level(struct fixture *f)
{
    for (const struct cache_out *out; (out = cache_out_peek(&f->cache));) {
        if (out->write && out->line < LINES && f->values.write == CACHE_BACK) {
            // Bytes that are written back were written, and not written back before.
            assert_true(mask_within(out->bytes, f->unsaved[out->line]));
            f->unsaved[out->line] = mask_without(f->unsaved[out->line], out->bytes);
            f->saved_bytes += mask_count(out->bytes);
        } else if (!out->write) {
            uint64_t late = f->seed ? splitmix64(&f->seed) % 30 : 0;
            vec_push(&f->arena, &f->out, *out);
            vec_push(&f->arena, &f->due, f->now + f->memory_latency + late);
        }
        cache_out_pop(&f->cache, f->now);
    }
    for (; f->first < f->out.n && f->due.v[f->first] <= f->now; f->first++)
        cache_fill(&f->cache, f->now, f->out.v[f->first].line, f->out.v[f->first].bytes);
}

static void one_clock(struct fixture *f)
{
    next_level(f);
    cache_tick(&f->cache, f->now);
    for (uint32_t path = 0; path < CACHE_PATHS; path++)
        if ((f->now / PAUSE + path) % 2 * f->pauses == 0)
            pop_replies(f, path);
    f->now++;
}

static void settle(struct fixture *f)
{
    while (cache_inside(&f->cache) || cache_out_peek(&f->cache) || f->first < f->out.n ||
           cache_flushing(&f->cache))
        one_clock(f);
}

// One request after the other, each to its end

struct model_line {
    uint64_t line, used;
    bool there;
    struct mask known, dirty;
};

struct model {
    const struct cache_config *config;
    struct model_line lines[64];
    uint64_t uses, read_hits, write_hits, fetches, write_backs;
};

static uint64_t model_set(const struct cache_config *c, uint64_t line)
{
    uint64_t set = line % c->sets;
    for (uint64_t rest = line / c->sets; c->hash && c->sets > 1 && rest; rest /= c->sets)
        set ^= rest % c->sets;
    return set;
}

static struct mask model_sectors(const struct cache_config *c, struct mask bytes)
{
    for (uint32_t i = 0; i < 128; i++)
        if (mask_intersects(bytes, mask_range(i, i + 1)))
            for (uint32_t k = 0; k < 128; k++)
                if (k / c->sector_bytes == i / c->sector_bytes)
                    bytes = mask_or(bytes, mask_range(k, k + 1));
    return bytes;
}

static struct model_line *model_find(struct model *m, uint64_t line, bool take)
{
    struct model_line *set = &m->lines[model_set(m->config, line) * m->config->ways], *oldest = set;
    for (uint32_t i = 0; i < m->config->ways; i++)
        if (set[i].there && set[i].line == line)
            return &set[i];
    if (!take)
        return NULL;
    for (uint32_t i = 0; i < m->config->ways; i++)
        if (!set[i].there || (oldest->there && set[i].used < oldest->used))
            oldest = &set[i];
    m->write_backs += oldest->there && mask_any(oldest->dirty);
    *oldest = (struct model_line){.line = line, .there = true, .used = ++m->uses};
    return oldest;
}

static void model_fetch(struct model *m, struct model_line *at, struct mask bytes)
{
    struct mask sectors = model_sectors(m->config, mask_without(bytes, at->known));
    m->fetches += mask_count(sectors) / m->config->sector_bytes;
    at->known = mask_or(at->known, sectors);
}

static void model_access(struct model *m, enum cache_kind kind, uint64_t line, struct mask bytes)
{
    struct model_line *at = model_find(m, line, false);
    bool hit = at && (kind == CACHE_WRITE || mask_within(bytes, at->known));
    *(kind == CACHE_WRITE ? &m->write_hits : &m->read_hits) += hit;
    if (!at && kind == CACHE_WRITE && !m->config->allocate_writes)
        return;
    at = model_find(m, line, true);
    if (m->config->replacement == CACHE_LRU)
        at->used = ++m->uses;
    if (kind != CACHE_WRITE)
        model_fetch(m, at, bytes);
    if (kind != CACHE_READ) {
        at->known = mask_or(at->known, bytes);
        at->dirty = m->config->write != CACHE_BACK ? at->dirty : mask_or(at->dirty, bytes);
    }
    if (kind == CACHE_WRITE && m->config->partial == CACHE_FETCH)
        model_fetch(m, at, model_sectors(m->config, bytes));
}

static struct mask some_bytes(uint64_t *random)
{
    uint64_t from = splitmix64(random) % 32 * 4;
    uint64_t length = 4 + splitmix64(random) % 32 * 4;
    if (splitmix64(random) % 3 == 0)
        return whole;
    return mask_range((uint32_t)from, (uint32_t)(from + length < 128 ? from + length : 128));
}

static void random_config(struct cache_config *c, uint64_t *random)
{
    c->sets = UINT64_C(1) << splitmix64(random) % 4;
    c->ways = 1 + splitmix64(random) % 4;
    c->sector_bytes = UINT64_C(16) << splitmix64(random) % 4;
    c->replacement = splitmix64(random) % 4 == 0;
    c->hash = splitmix64(random) % 2;
    c->write = splitmix64(random) % 3 == 0;
    c->allocate_writes = splitmix64(random) % 3;
    c->partial = splitmix64(random) % 2;
    c->banks = 1 + splitmix64(random) % 3;
}

static void against_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct fixture f;
        uint64_t random = seed;
        begin(&f);
        random_config(&f.values, &random);
        start_two(&f);
        struct model m = {.config = &f.values};
        for (uint64_t id = 0; id < 400; id++) {
            enum cache_kind kind = (enum cache_kind)(splitmix64(&random) % 7 / 3);
            uint64_t line = splitmix64(&random) % (seed % 2 ? LINES : 20);
            struct mask bytes = some_bytes(&random);
            put(&f, id, kind, line, bytes);
            settle(&f);
            model_access(&m, kind, line, bytes);
        }
        assert_int_equal(f.answers, 400);
        assert_int_equal(f.cache.stats.reads + f.cache.stats.writes, 400);
        assert_int_equal(f.cache.stats.read_hits, m.read_hits);
        assert_int_equal(f.cache.stats.write_hits, m.write_hits);
        assert_int_equal(f.cache.stats.fetches, m.fetches);
        assert_int_equal(f.cache.stats.fills, m.fetches);
        assert_int_equal(f.cache.stats.write_backs, m.write_backs);
        arena_free(&f.arena);
    }
}

// Warming leaves the same lines and bytes as a served request.
static void warming(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct fixture f, warm;
        uint64_t random = seed;
        begin(&f);
        begin(&warm);
        random_config(&f.values, &random);
        f.values.write = splitmix64(&random) % 3;
        f.values.forward_misses =
            f.values.write == CACHE_BACK && f.values.allocate_writes && splitmix64(&random) % 2;
        warm.values = f.values;
        start_two(&f);
        start(&warm, 1);
        for (uint64_t id = 0; id < 400; id++) {
            struct cache_request r = {.id = id,
                                      .line = splitmix64(&random) % (seed % 2 ? LINES : 20),
                                      .bytes = some_bytes(&random),
                                      .kind = (uint8_t)(splitmix64(&random) % 7 / 3),
                                      .keep = (uint8_t)(splitmix64(&random) % 5)};
            cache_put(&f.cache, f.now, &r);
            settle(&f);
            cache_warm(&warm.cache, &r);
            for (uint32_t i = 0; i < f.values.sets * f.values.ways; i++) {
                const struct cache_place *a = &f.cache.places[i], *b = &warm.cache.places[i];
                assert_int_equal(a->tag, b->tag);
                assert_memory_equal(&a->known, &b->known, sizeof a->known);
                assert_memory_equal(&a->dirty, &b->dirty, sizeof a->dirty);
            }
        }
        struct cache_stats none = {0};
        assert_memory_equal(&warm.cache.stats, &none, sizeof none);
        assert_null(cache_out_peek(&warm.cache));
        arena_free(&f.arena);
        arena_free(&warm.arena);
    }
}

// Many at once

// Checks that requests to one line are served in order if one of them writes.
static void check_order(const struct fixture *f, const struct cache_request *list, uint32_t count)
{
    assert_int_equal(f->served.n, count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count && k < i + 60; k++) {
            const struct cache_request *a = &list[f->served.v[i]], *b = &list[f->served.v[k]];
            bool orders = a->kind != CACHE_READ || b->kind != CACHE_READ;
            if (a->line == b->line && orders && a->id > b->id)
                fail_msg("request %d was served before %d", (int)a->id, (int)b->id);
        }
}

static void at_once(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fixture f;
        uint64_t random = seed;
        begin(&f);
        random_config(&f.values, &random);
        f.values.mshrs = 1 + splitmix64(&random) % 6;
        f.values.merges = 1 + splitmix64(&random) % 5;
        f.values.access_queue = 1 + splitmix64(&random) % 8;
        f.values.answers = 1 + splitmix64(&random) % 8;
        f.values.out = 2 + splitmix64(&random) % 8;
        f.values.accept = 1 + splitmix64(&random) % 3;
        start_two(&f);
        f.seed = seed;
        f.pauses = seed % 3 == 0;
        struct cache_request *list = ARENA_ARRAY(&f.arena, struct cache_request, COUNT);
        uint32_t gap = 1 + splitmix64(&random) % 8, id = 0;
        for (uint64_t idle = 0; id < COUNT || cache_inside(&f.cache); idle++) {
            if (id < COUNT && f.now % gap == 0 && cache_can_put(&f.cache, 0)) {
                list[id] = (struct cache_request){.id = id,
                                                  .line = splitmix64(&random) % LINES,
                                                  .bytes = some_bytes(&random),
                                                  .kind = splitmix64(&random) % 7 / 3,
                                                  .path = f.pauses && splitmix64(&random) % 2};
                cache_put(&f.cache, f.now, &list[id++]);
            }
            one_clock(&f);
            assert_true(idle < 400000);
        }
        settle(&f);
        assert_int_equal(f.answers, COUNT);
        check_order(&f, list, COUNT);
        cache_flush(&f.cache, f.now, 0, LINES, true);
        settle(&f);
        for (int i = 0; i < LINES; i++) {
            assert_false(mask_any(f.unsaved[i]));
            assert_false(cache_drop(&f.cache, (uint64_t)i));
        }
        assert_int_equal(f.cache.free_count, f.values.mshrs + 1);
        arena_free(&f.arena);
    }
}

// Times

static uint64_t answered_at(struct fixture *f)
{
    uint64_t before = f->answers;
    while (f->answers == before)
        one_clock(f);
    return f->now - 1;
}

static void latencies(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.latency = 7;
    start_two(&f);
    // A miss: requested at 0, back at 20, served then, answered a clock later.
    put(&f, 1, CACHE_READ, 5, whole);
    assert_int_equal(answered_at(&f), 1 + 20 + 1);
    // A hit: the first data after the latency, the last of 128 bytes three clocks later.
    f.now = 100;
    put(&f, 2, CACHE_READ, 5, whole);
    assert_int_equal(answered_at(&f), 100 + 7 + 3);
    f.now = 200;
    put(&f, 3, CACHE_READ, 5, mask_range(32, 64));
    assert_int_equal(answered_at(&f), 200 + 7);
    f.now = 300;
    put(&f, 4, CACHE_WRITE, 9, whole);
    assert_int_equal(answered_at(&f), 300 + 7 + 3);
    assert_int_equal(f.cache.stats.fetches, 1);
    assert_int_equal(f.cache.stats.full_stores, 1);
    arena_free(&f.arena);
}

// Hits of 128 bytes through a port of 32 bytes: one per four clocks and bank, as far as accept
// allows. More banks do not speed up lines of one bank.
static void ports(void **state)
{
    (void)state;
    static const struct {
        uint64_t banks, port, step, clocks; // between two of them, times 4
    } cases[] = {{1, 32, 1, 16}, {2, 32, 1, 8},  {4, 32, 1, 4}, {4, 32, 4, 16},
                 {4, 32, 2, 8},  {1, 128, 1, 4}, {1, 64, 1, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        f.values.banks = cases[i].banks;
        f.values.port_bytes = cases[i].port;
        start_two(&f);
        for (uint64_t line = 0; line < 16; line++) {
            put(&f, line, CACHE_READ, line * cases[i].step, whole);
            settle(&f);
        }
        uint64_t begins = f.now, before = f.answers;
        for (uint64_t n = 0; f.answers < before + 160;) {
            if (n < 160 && cache_can_put(&f.cache, 0)) {
                put(&f, n, CACHE_READ, n % 16 * cases[i].step, whole);
                n++;
            }
            one_clock(&f);
        }
        assert_int_equal(f.cache.stats.read_hits, 160);
        assert_in_range((f.now - begins) * 4, 160 * cases[i].clocks,
                        160 * cases[i].clocks + 4 * 20);
        arena_free(&f.arena);
    }
}

static void merging(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.merges = 3;
    f.values.mshrs = 2;
    f.memory_latency = 100;
    start_two(&f);
    for (uint64_t id = 0; id < 4; id++)
        put(&f, id, CACHE_READ, 7, whole);
    put(&f, 4, CACHE_READ, 8, whole);
    put(&f, 5, CACHE_READ, 9, whole);
    while (f.now < 50)
        one_clock(&f);
    // The fourth finds no room at the MSHR, line 8 passes it, line 9 finds no MSHR.
    assert_int_equal(f.cache.stats.fetches, 2);
    assert_int_equal(f.cache.stats.merged, 2);
    assert_int_equal(f.cache.stats.reads, 4);
    settle(&f);
    assert_int_equal(f.cache.stats.fetches, 3);
    assert_int_equal(f.cache.stats.read_hits, 1);
    assert_int_equal(f.answers, 6);
    arena_free(&f.arena);
}

static void stores(void **state)
{
    (void)state;
    for (int partial = 0; partial < 2; partial++) {
        struct fixture f;
        begin(&f);
        f.values.sector_bytes = 32;
        f.values.partial = partial;
        start_two(&f);
        put(&f, 0, CACHE_WRITE, 1, whole);
        put(&f, 1, CACHE_WRITE, 2, mask_range(32, 96));
        settle(&f);
        assert_int_equal(f.cache.stats.fetches, 0);
        assert_int_equal(f.cache.stats.full_stores, 4 + 2);
        put(&f, 2, CACHE_WRITE, 3, mask_range(30, 70)); // parts of three sectors, one whole
        settle(&f);
        assert_int_equal(f.cache.stats.fetches, partial ? 2 : 0);
        put(&f, 3, CACHE_READ, 3, mask_range(40, 60));
        settle(&f);
        assert_int_equal(f.cache.stats.read_hits, 1);
        put(&f, 4, CACHE_READ, 3, mask_range(64, 96));
        settle(&f);
        assert_int_equal(f.cache.stats.read_hits, partial ? 2 : 1);
        assert_int_equal(f.cache.stats.fetches, partial ? 2 : 1);
        // A flush that keeps lines writes them once; the next one has nothing to do.
        cache_flush(&f.cache, f.now, 0, 100, false);
        settle(&f);
        assert_int_equal(f.cache.stats.write_backs, 3);
        assert_int_equal(f.saved_bytes, 128 + 64 + 40);
        cache_flush(&f.cache, f.now, 0, 100, false);
        settle(&f);
        assert_int_equal(f.cache.stats.write_backs, 3);
        assert_true(cache_drop(&f.cache, 3));
        arena_free(&f.arena);
    }
}

// An L1 forwards writes, and write misses allocate no line.
static void write_through(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    f.values.write = CACHE_THROUGH;
    f.values.allocate_writes = false;
    start_two(&f);
    put(&f, 0, CACHE_WRITE, 1, mask_range(0, 4));
    put(&f, 1, CACHE_READ, 2, whole);
    put(&f, 2, CACHE_WRITE, 2, mask_range(0, 4));
    settle(&f);
    put(&f, 3, CACHE_READ, 1, mask_range(0, 4));
    put(&f, 4, CACHE_READ, 2, whole);
    settle(&f);
    assert_int_equal(f.cache.stats.write_throughs, 2);
    assert_int_equal(f.cache.stats.write_backs, 0);
    assert_int_equal(f.cache.stats.fetches, 2);
    assert_int_equal(f.cache.stats.read_hits, 1);
    arena_free(&f.arena);
}

// A request whose condition does not hold waits. Others pass it, except to the same line.
static void conditions(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    start_two(&f);
    f.locked = true;
    struct cache_request r = {.id = 1, .line = 4, .bytes = whole, .input = 1};
    cache_put(&f.cache, 0, &r);
    one_clock(&f);
    put(&f, 2, CACHE_READ, 4, whole);
    put(&f, 3, CACHE_READ, 5, whole);
    while (f.now < 100)
        one_clock(&f);
    assert_int_equal(f.answers, 1);
    assert_int_equal(f.served.v[0], 3);
    f.locked = false;
    settle(&f);
    assert_int_equal(f.answers, 3);
    assert_int_equal(f.served.v[1], 1);
    arena_free(&f.arena);
}

// Lines 4, 69 and 134 share a group of the access queue (cache_queue.c). Line 4 is there but
// locked, and line 134 finds no MSHR while line 69 is fetched: a read of line 4 behind it waits for
// the locked one.
static void groups(void **state)
{
    (void)state;
    static const uint64_t order[] = {0, 3, 4, 1, 2, 5};
    struct fixture f;
    begin(&f);
    f.values.mshrs = 1;
    f.memory_latency = 50;
    start_two(&f);
    put(&f, 0, CACHE_READ, 4, whole);
    settle(&f);
    f.locked = true;
    struct cache_request r = {.id = 1, .line = 4, .bytes = whole, .input = 1};
    cache_put(&f.cache, f.now, &r);
    one_clock(&f);
    uint64_t begun = f.now;
    put(&f, 2, CACHE_READ, 4, whole);
    put(&f, 3, CACHE_READ, 69, whole);
    put(&f, 4, CACHE_READ, 134, whole);
    put(&f, 5, CACHE_READ, 4, whole);
    while (f.now < begun + 30)
        one_clock(&f);
    assert_int_equal(f.cache.waiting_count, 4);
    while (f.now < begun + 300)
        one_clock(&f);
    assert_int_equal(f.answers, 3);
    f.locked = false;
    settle(&f);
    assert_int_equal(f.answers, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(f.served.v[i], order[i]);
    arena_free(&f.arena);
}

// Nothing happens in clocks that cache_tick allows to skip.
static void skipping(void **state)
{
    (void)state;
    uint64_t sums[2];
    for (int skip = 0; skip < 2; skip++) {
        struct fixture f;
        uint64_t random = 5, next = 0, sum = 0;
        begin(&f);
        f.values.sets = 4;
        f.values.ways = 2;
        start_two(&f);
        for (uint64_t id = 0; id < 300 || cache_inside(&f.cache);) {
            if (id < 300 && f.now % 37 == 0) {
                put(&f, id++, CACHE_READ, splitmix64(&random) % LINES, whole);
                next = f.now;
            }
            uint64_t out = f.cache.out_count, first = f.first;
            next_level(&f);
            if (out || f.first != first)
                next = f.now;
            if (!skip || f.now >= next)
                next = cache_tick(&f.cache, f.now);
            for (const struct cache_reply *a; (a = cache_reply_peek(&f.cache, 0, f.now));) {
                sum = sum * 31 + a->id * 7 + f.now;
                cache_reply_pop(&f.cache, 0, f.now);
            }
            f.now++;
        }
        sums[skip] = sum;
        arena_free(&f.arena);
    }
    assert_int_equal(sums[0], sums[1]);
}

// Partitions: every address has one partition and a local address of its own within a fixed range.
static void partitions(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    for (enum partition_rule rule = PARTITION_MODULO; rule <= PARTITION_IPOLY; rule++) {
        struct partition_map map;
        struct partition_range all = {.rule = rule, .count = 8, .chunk = 256};
        partition_init(&map, &f.arena, &all);
        uint8_t *seen = arena_alloc(&f.arena, 1 << 16);
        for (uint64_t address = 0; address < 1 << 16; address += 64) {
            uint64_t local = partition_local(&map, address);
            uint32_t partition = partition_of(&map, address);
            assert_true(partition < 8 && local < 1 << 13);
            assert_int_equal(seen[partition << 13 | local]++, 0);
            assert_int_equal(partition_address(&map.ranges.v[0], partition, local), address);
        }
        // All columns of a matrix of a power of two are in one partition, unless XOR spreads them.
        uint32_t partitions_met = 0;
        for (uint64_t row = 0; row < 8; row++)
            partitions_met |= 1U << partition_of(&map, row * 2048);
        assert_int_equal(partitions_met, rule ? 0xff : 1);
        struct partition_range own = {0x1000, 0x1fff, 4, PARTITION_MODULO, 1 << 10};
        partition_replace(&map, &own);
        own = (struct partition_range){0x1800, 0x27ff, 2, PARTITION_MODULO, 1 << 11};
        partition_replace(&map, &own);
        assert_int_equal(map.ranges.n, 4);
        assert_int_equal(partition_range_of(&map, 0xfff)->count, 8);
        assert_int_equal(partition_of(&map, 0x1400), 1);
        assert_int_equal(partition_of(&map, 0x17ff), 1);
        assert_int_equal(partition_of(&map, 0x1800), 1);
        assert_int_equal(partition_of(&map, 0x2000), 0);
        assert_int_equal(partition_range_of(&map, 0x2800)->count, 8);
    }
    arena_free(&f.arena);
}

static void print_keys(FILE *to)
{
    struct fixture f;
    begin(&f);
    config_keys_print_markdown(&f.config, to);
    arena_free(&f.arena);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/memory.md", print_keys);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--keys")) {
        print_keys(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_model), cmocka_unit_test(at_once),    cmocka_unit_test(latencies),
        cmocka_unit_test(ports),         cmocka_unit_test(merging),    cmocka_unit_test(stores),
        cmocka_unit_test(write_through), cmocka_unit_test(conditions), cmocka_unit_test(groups),
        cmocka_unit_test(skipping),      cmocka_unit_test(partitions), cmocka_unit_test(documented),
        cmocka_unit_test(warming),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
