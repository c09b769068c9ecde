// Arrival of lines, and the requests that wait for them in MSHRs.
#include "runtime-sim/cache/cache_lines.h"
#include "runtime-sim/cache/cache_ports.h"
#include "support/bits.h"
#include <assert.h>

static void begin_waking(struct cache *c, uint32_t number)
{
    c->waking += !bits_test(c->wake, number);
    bits_set(c->wake, number);
}

static void stop_waking(struct cache *c, uint32_t number)
{
    c->waking -= bits_test(c->wake, number);
    bits_clear(c->wake, number);
}

static void free_mshr(struct cache *c, uint32_t number)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    stop_waking(c, number);
    if (mask_any(mshr->coming))
        return;
    c->mshr_of[mshr->place] = 0;
    c->freed++;
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        c->used_by[i] -= mshr->paths >> i & 1;
    c->free_mshrs[c->free_count++] = (uint16_t)number;
}

void cache_fill(struct cache *c, uint64_t now, uint64_t line, struct mask bytes)
{
    uint32_t place = cache_find(c, line);
    assert(place != NOWHERE && c->mshr_of[place]);
    uint32_t number = c->mshr_of[place] - 1U;
    struct cache_mshr *mshr = &c->mshrs[number];
    mshr->coming = mask_without(mshr->coming, bytes);
    c->known[place] = mask_or(c->known[place], bytes);
    c->stats.fills += cache_count_sectors(c, bytes);
    cache_move_in(c, line, now, bytes);
    __builtin_prefetch(&c->targets[number * c->config->merges + mshr->head]); // for waking
    if (mshr->count)
        begin_waking(c, number);
    else
        free_mshr(c, number);
    cache_wake_at(c, now);
}

void cache_fill_more(struct cache *c, uint64_t line, struct mask bytes)
{
    uint32_t place = cache_find(c, line);
    assert(place != NOWHERE && c->mshr_of[place]);
    c->known[place] = mask_or(c->known[place], bytes);
}

// Returns the request with index `at`, oldest first, of those that wait at an MSHR.
static struct cache_request *target_at(const struct cache *c, uint32_t number, uint32_t at)
{
    uint64_t merges = c->config->merges;
    return &c->targets[number * merges + cache_wrap(c->mshrs[number].head + at, merges)];
}

// Returns the index of the oldest request at this MSHR whose path has room for the reply, or the
// number of requests. A write neither passes another request nor is passed.
static uint32_t find_target(const struct cache *c, uint32_t number)
{
    const struct cache_mshr *mshr = &c->mshrs[number];
    uint32_t max = mshr->writes ? 1 : mshr->count, at = 0;
    while (at < max && !cache_can_reply(c, target_at(c, number, at)->path))
        at++;
    return at < max ? at : mshr->count;
}

static void remove_target(struct cache *c, uint32_t number, uint32_t at)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    for (; at; at--)
        *target_at(c, number, at) = *target_at(c, number, at - 1);
    mshr->head = cache_wrap(mshr->head + 1, c->config->merges);
    if (!--mshr->count) {
        mshr->writes = false;
        free_mshr(c, number);
    }
}

// Serves a request that waits at this MSHR. Returns false if it must still wait.
static bool wake_target(struct cache *c, uint32_t number, uint32_t at, uint64_t now)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    const struct cache_request r = *target_at(c, number, at);
    uint32_t place = mshr->place;
    if (r.kind != CACHE_WRITE && !mask_within(r.bytes, c->known[place])) {
        stop_waking(c, number); // until more of the line arrives
        return false;
    }
    bool fetches = r.kind == CACHE_WRITE && mask_any(cache_rest(c, &r, place));
    if (cache_lacks_room(c, cache_passes_on(c, &r) + fetches))
        return false;
    if (r.silent)
        mshr->silent--;
    else
        cache_complete(c, &r, place, now, now + c->config->wake_latency);
    if (r.kind == CACHE_WRITE)
        cache_fetch_rest(c, &r, place);
    c->held[r.path]--;
    remove_target(c, number, at);
    return true;
}

// Returns true if a path has both waiting requests and room for a reply.
static bool may_wake(const struct cache *c)
{
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        if (c->held[i] && cache_can_reply(c, i))
            return true;
    return false;
}

void cache_wake_one(struct cache *c, uint64_t now, struct waits *waits)
{
    uint32_t count = cache_mshrs(c->config);
    bool may = may_wake(c);
    c->stats.answer_waits += !may;
    for (uint32_t i = 0; may && i < 2; i++) {
        uint32_t from = i ? 0 : c->wake_turn, to = i ? c->wake_turn : count;
        for (uint32_t at; (at = bits_next(c->wake, from, count)) < to; from = at + 1) {
            uint32_t next = find_target(c, at);
            if (next < c->mshrs[at].count && wake_target(c, at, next, now)) {
                c->wake_turn = (at + 1) % count;
                waits->done = true;
                return;
            }
        }
    }
}
