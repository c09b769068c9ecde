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
    c->places[mshr->place].mshr = 0;
    c->freed++;
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        c->used_by[i] -= mshr->paths >> i & 1;
    c->free_mshrs[c->free_count++] = (uint16_t)number;
}

void cache_fill(struct cache *c, uint64_t now, uint64_t line, struct mask bytes)
{
    uint32_t place = cache_find(c, line);
    assert(place != NOWHERE && c->places[place].mshr);
    uint32_t number = c->places[place].mshr - 1U;
    struct cache_mshr *mshr = &c->mshrs[number];
    mshr->coming = mask_without(mshr->coming, bytes);
    c->places[place].known = mask_or(c->places[place].known, bytes);
    c->stats.fills += cache_count_sectors(c, bytes);
    cache_move_in(c, line, now, bytes);
    if (mshr->count) {
        __builtin_prefetch(&c->targets.v[mshr->first]); // for waking
        begin_waking(c, number);
    } else
        free_mshr(c, number);
    cache_wake_at(c, now);
}

void cache_fill_more(struct cache *c, uint64_t line, struct mask bytes)
{
    uint32_t place = cache_find(c, line);
    assert(place != NOWHERE && c->places[place].mshr);
    c->places[place].known = mask_or(c->places[place].known, bytes);
}

// Returns the place in the list of the MSHR of the oldest request whose path has room for the
// reply, or NULL. A write neither passes another request nor is passed. Sets `before` to the
// request before it.
static uint32_t *find_target(const struct cache *c, struct cache_mshr *mshr, uint32_t *before)
{
    uint32_t *at = &mshr->first;
    for (uint32_t left = mshr->writes ? 1 : mshr->count; left; left--) {
        struct cache_request *target = &c->targets.v[*at];
        if (cache_can_reply(c, target->path))
            return at;
        *before = *at;
        at = &target->next;
    }
    return NULL;
}

// Removes the request at `at` from the list of an MSHR.
static void remove_target(struct cache *c, uint32_t number, uint32_t *at, uint32_t before)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    uint32_t target = *at;
    mshr->last = target == mshr->last ? before : mshr->last;
    *at = c->targets.v[target].next;
    c->targets.v[target].next = c->free_target;
    c->free_target = target + 1;
    if (!--mshr->count) {
        mshr->writes = false;
        free_mshr(c, number);
    }
}

// Serves a request that waits at this MSHR. Returns false if all must still wait.
static bool wake_target(struct cache *c, uint32_t number, uint64_t now)
{
    struct cache_mshr *mshr = &c->mshrs[number];
    uint32_t before = 0, *at = find_target(c, mshr, &before), place = mshr->place;
    if (!at)
        return false;
    const struct cache_request *r = &c->targets.v[*at];
    bool writes = r->kind == CACHE_WRITE;
    if (!writes && !mask_within(r->bytes, c->places[place].known)) {
        stop_waking(c, number); // until more of the line arrives
        return false;
    }
    bool fetches = writes && mask_any(cache_rest(c, r, place));
    if (cache_lacks_room(c, cache_passes_on(c, r) + fetches))
        return false;
    if (r->silent)
        mshr->silent--;
    else
        cache_complete(c, r, place, now, now + c->config->wake_latency);
    if (writes)
        cache_fetch_rest(c, r, place);
    c->held[r->path]--;
    remove_target(c, number, at, before);
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
            if (wake_target(c, at, now)) {
                c->wake_turn = (at + 1) % count;
                waits->done = true;
                return;
            }
        }
    }
}
