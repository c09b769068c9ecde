// A cache: configuration, initialisation, a clock, direct access to lines, and flushes.
// cache_internal.h lists the files.
#include "runtime-sim/cache/cache.h"
#include "runtime-sim/cache/cache_lines.h"
#include "runtime-sim/cache/cache_ports.h"
#include "support/bits.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

void cache_init(struct cache *c, struct arena *arena, const struct cache_config *config,
                uint32_t inputs)
{
    uint32_t places = config->sets * config->ways, mshrs = cache_mshrs(config);
    assert(inputs >= 1 && inputs <= CACHE_INPUTS);
    *c = (struct cache){.config = config,
                        .arena = arena,
                        .next = UINT64_MAX,
                        .changes = 1,
                        .freed = 1,
                        .input_count = inputs};
    c->whole = mask_range(0, config->line_bytes);
    c->ways = config->ways;
    c->sectors = config->line_bytes / config->sector_bytes;
    c->unit = config->sector_bytes;
    c->line_clocks = divide_up(config->line_bytes, config->port_bytes);
    for (uint32_t i = 0; i < inputs; i++)
        c->inputs[i].queue = ARENA_ARRAY(arena, struct cache_request, config->input);
    c->waiting = ARENA_ARRAY(arena, struct cache_request, config->access_queue + inputs + 1);
    c->before = ARENA_ARRAY(arena, uint16_t, config->access_queue + inputs + 1);
    c->places = arena_lines(arena, places * sizeof *c->places);
    c->links = ARENA_ARRAY(arena, struct cache_links, places);
    c->sets = ARENA_ARRAY(arena, struct cache_set_state, config->sets);
    c->hint_ways = (config->ways + CACHE_HINTS - 1) / CACHE_HINTS * CACHE_HINTS;
    c->hints = arena_lines(arena, config->sets * c->hint_ways * sizeof *c->hints);
    c->mshrs = ARENA_ARRAY(arena, struct cache_mshr, mshrs);
    c->free_mshrs = ARENA_ARRAY(arena, uint16_t, mshrs);
    while (c->free_count < mshrs) {
        c->free_mshrs[c->free_count] = (uint16_t)(mshrs - 1 - c->free_count);
        c->free_count++;
    }
    c->wake = bits_new(arena, mshrs);
    c->bank_free = ARENA_ARRAY(arena, uint64_t, config->banks);
    c->out = ARENA_ARRAY(arena, struct cache_out, config->out);
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        c->answers[i].ring = ARENA_ARRAY(arena, struct cache_reply, config->answers);
}

void cache_replies_in(struct cache *c, uint32_t bytes)
{
    if (bytes > c->unit)
        c->unit = bytes;
}

// Returns true if a request of one of these kinds to the line has not had its access. `kinds` is a
// set of enum cache_kind.
static bool is_queued(const struct cache *c, uint64_t line, uint32_t kinds)
{
    for (uint32_t i = 0; i < c->waiting_count; i++)
        if (c->waiting[i].line == line && kinds >> c->waiting[i].kind & 1)
            return true;
    for (uint32_t i = 0; i < c->input_count; i++)
        for (uint32_t k = 0; k < c->inputs[i].count; k++) {
            const struct cache_input *input = &c->inputs[i];
            const struct cache_request *r =
                &input->queue[cache_wrap(input->head + k, c->config->input)];
            if (r->line == line && kinds >> r->kind & 1)
                return true;
        }
    return false;
}

bool cache_has(const struct cache *c, uint64_t line)
{
    return cache_find(c, line) != NOWHERE || is_queued(c, line, 1 << CACHE_READ);
}

struct mask cache_known(const struct cache *c, uint64_t line)
{
    uint32_t place = cache_find(c, line);
    return place != NOWHERE ? c->places[place].known : (struct mask){{0}};
}

uint64_t cache_since(const struct cache *c, uint64_t line)
{
    uint32_t place = cache_find(c, line);
    return place != NOWHERE ? c->places[place].since : UINT64_MAX;
}

bool cache_holds(const struct cache *c, uint64_t line)
{
    uint32_t place = cache_find(c, line);
    return place != NOWHERE && !c->places[place].mshr;
}

bool cache_waits(const struct cache *c, uint64_t line, bool writes)
{
    uint32_t kinds = 1 << CACHE_WRITE | 1 << CACHE_ATOMIC;
    if (is_queued(c, line, writes ? kinds : kinds | 1 << CACHE_READ))
        return true;
    uint32_t place = cache_find(c, line);
    if (place == NOWHERE || !c->places[place].mshr)
        return false;
    const struct cache_mshr *mshr = &c->mshrs[c->places[place].mshr - 1];
    return writes ? mshr->writes : mshr->count;
}

enum cache_direct cache_read_directly(struct cache *c, uint64_t now, uint64_t line, uint64_t *ready)
{
    uint32_t place = cache_find(c, line);
    if (place == NOWHERE || !mask_within(c->whole, c->places[place].known))
        return CACHE_DIRECT_ABSENT;
    if (cache_free_at(c, line, c->whole) > now)
        return CACHE_DIRECT_BUSY;
    uint64_t clocks = cache_move(c, line, now, c->whole);
    cache_use(c, place, CACHE_KEEP);
    c->stats.reads++;
    c->stats.read_hits++;
    *ready = now + c->config->latency + clocks - 1;
    return CACHE_DIRECT_READ;
}

bool cache_drop(struct cache *c, uint64_t line)
{
    uint32_t place = cache_find(c, line);
    if (place == NOWHERE || c->places[place].mshr)
        return false;
    cache_clear(c, place);
    return true;
}

uint32_t cache_forget(struct cache *c)
{
    uint32_t removed = 0, ways = c->config->ways;
    for (uint32_t set = 0; set < c->config->sets; set++)
        for (uint32_t way = c->sets[set].end; way-- > 0;) { // so that `end` follows
            const struct cache_place *place = &c->places[set * ways + way];
            if (!place->tag || place->mshr)
                continue;
            removed++;
            cache_clear(c, set * ways + way);
        }
    return removed;
}

void cache_use_ways(struct cache *c, uint32_t ways)
{
    assert(ways >= 1 && ways <= c->config->ways);
    if (ways == c->ways || c->free_count < cache_mshrs(c->config))
        return;
    cache_forget(c);
    c->ways = ways;
}

uint64_t cache_tick(struct cache *c, uint64_t now)
{
    struct waits waits = {.until = UINT64_MAX};
    if (now < c->next)
        return c->next;
    c->clock = now;
    if (c->waking)
        cache_wake_one(c, now, &waits);
    cache_accept(c, &waits);
    if (c->flush.active)
        cache_flush_one(c, now, &waits);
    else
        cache_access_all(c, now, &waits);
    c->free = now + 1;
    c->next = waits.done ? now + 1 : waits.until;
    return c->next;
}

uint32_t cache_inside(const struct cache *c)
{
    uint32_t inside = c->waiting_count + cache_reply_count(c);
    for (uint32_t i = 0; i < c->input_count; i++)
        inside += c->inputs[i].count;
    for (uint32_t i = 0; i < cache_mshrs(c->config); i++)
        inside += c->mshrs[i].count;
    return inside;
}

// The keys of cache.def, and checks of combinations of values.

const struct config_key cache_keys[] = {
#define CONFIG_DEF "runtime-sim/cache/cache.def"
#define CONFIG_OF struct cache_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t cache_key_count = ARRAY_LENGTH(cache_keys);

const struct stat_key cache_stat_keys[] = {
#define STATS_DEF "runtime-sim/cache/cache_stats.def"
#define STATS_OF struct cache_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t cache_stat_key_count = ARRAY_LENGTH(cache_stat_keys);

static bool is_power(uint64_t value)
{
    return !(value & (value - 1));
}

const char *cache_config_fault(const struct cache_config *c, const char *name, struct arena *arena)
{
    if (c->line_bytes % c->sector_bytes)
        return arena_printf(arena, "%s.line_bytes is %u, not a multiple of %s.sector_bytes: %u",
                            name, c->line_bytes, name, c->sector_bytes);
    if (c->bank_bytes && c->line_bytes % c->bank_bytes)
        return arena_printf(arena, "%s.line_bytes is %u, not a multiple of %s.bank_bytes: %u", name,
                            c->line_bytes, name, c->bank_bytes);
    if (c->hash == CACHE_XOR && !is_power(c->sets))
        return arena_printf(arena, "%s.hash: xor needs a power of two as %s.sets", name, name);
    if (c->forward_misses && c->out < 3)
        return arena_printf(arena,
                            "%s.forward_misses needs %s.out of 3: a forwarded write, the "
                            "fetch of its line, and a write-back",
                            name, name);
    if (c->forward_misses && (c->write != CACHE_BACK || !c->allocate_writes))
        return arena_printf(arena,
                            "%s.forward_misses needs %s.write: back and "
                            "%s.allocate_writes: true",
                            name, name, name);
    return NULL;
}

// Write-back and invalidation of a range of lines.

void cache_flush(struct cache *c, uint64_t now, uint64_t first, uint64_t last, bool drop)
{
    assert(!c->flush.active);
    c->flush = (struct cache_flush){.active = true, .drop = drop, .first = first, .last = last};
    cache_wake_at(c, now);
}

void cache_flush_one(struct cache *c, uint64_t now, struct waits *waits)
{
    struct cache_flush *flush = &c->flush;
    uint32_t places = c->config->sets * c->config->ways;
    bool sent = false;
    if (c->free_count < cache_mshrs(c->config))
        return;
    for (; flush->at < places; flush->at++) {
        struct cache_place *place = &c->places[flush->at];
        if (!place->tag || place->tag - 1 < flush->first || place->tag - 1 > flush->last)
            continue;
        if (mask_any(place->dirty)) {
            if (sent || cache_lacks_room(c, 1))
                break;
            cache_write_back(c, flush->at, now);
            place->dirty = (struct mask){{0}};
            sent = true;
        }
        if (flush->drop)
            cache_clear(c, flush->at);
    }
    flush->active = flush->at < places;
    waits->done |= sent || !flush->active;
}
