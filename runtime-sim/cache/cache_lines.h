// Lines of a cache: their locations, ranks and sectors. Inline, because each access makes several
// calls.
#pragma once
#include "runtime-sim/cache/cache_internal.h"

enum { NOWHERE = UINT32_MAX };

// The rank of a line is in the bits above its count, so that lines of a lower rank are evicted
// first.
enum { RANK_SHIFT = 60 };
#define NORMAL_RANK (UINT64_C(1) << RANK_SHIFT)

// Returns the hint of a line, which is not 0.
static inline uint16_t cache_hint(uint64_t line)
{
    return (uint16_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 48 | 1);
}

// Returns the location of a line of a set, or NOWHERE. Hints of CACHE_HINTS ways are compared at
// once.
static inline uint32_t cache_find_in(const struct cache *c, uint32_t set, uint64_t line)
{
    uint32_t first = set * c->config->ways;
    uint16_t hint = cache_hint(line);
    const uint16_t *hints = &c->hints[set * c->hint_ways];
    for (uint32_t way = 0; way < c->sets[set].end; way += CACHE_HINTS) {
        uint16_t found = 0;
        for (uint32_t i = 0; i < CACHE_HINTS; i++)
            found |= (uint16_t)((hints[way + i] == hint) << i);
        for (uint32_t left = found; left; left &= left - 1) {
            uint32_t place = first + way + (uint32_t)__builtin_ctz(left);
            if (c->places[place].tag == line + 1)
                return place;
        }
    }
    return NOWHERE;
}

// Returns the location of a line, or NOWHERE.
static inline uint32_t cache_find(const struct cache *c, uint64_t line)
{
    return cache_find_in(c, cache_set(c->config, line), line);
}

// Adds the line at a location to the list of its rank, and removes it. Its count is usually the
// highest of the list.
static inline void cache_rank(struct cache *c, struct cache_set_state *set, uint32_t place)
{
    uint32_t first = (uint32_t)(set - c->sets) * c->config->ways;
    struct cache_links *links = &c->links[first];
    uint32_t rank = (uint32_t)(c->places[place].used >> RANK_SHIFT);
    uint16_t way = (uint16_t)(place - first + 1), older = set->newest[rank], newer = 0;
    while (older && c->places[first + older - 1].used > c->places[place].used) {
        newer = older;
        older = links[older - 1].older;
    }
    links[way - 1] = (struct cache_links){older, newer};
    *(older ? &links[older - 1].newer : &set->oldest[rank]) = way;
    *(newer ? &links[newer - 1].older : &set->newest[rank]) = way;
}

static inline void cache_unrank(struct cache *c, struct cache_set_state *set, uint32_t place)
{
    uint32_t first = (uint32_t)(set - c->sets) * c->config->ways;
    struct cache_links *links = &c->links[first], own = links[place - first];
    uint32_t rank = (uint32_t)(c->places[place].used >> RANK_SHIFT);
    *(own.older ? &links[own.older - 1].newer : &set->oldest[rank]) = own.newer;
    *(own.newer ? &links[own.newer - 1].older : &set->newest[rank]) = own.older;
}

// Removes the line at a location, which must not be free.
static inline void cache_clear(struct cache *c, uint32_t place)
{
    struct cache_set_state *set = &c->sets[place / c->config->ways];
    uint16_t way = (uint16_t)(place % c->config->ways);
    set->full = way < set->full ? way : set->full;
    set->end -= way + 1 == set->end;
    c->hints[place / c->config->ways * c->hint_ways + way] = 0;
    cache_unrank(c, set, place);
    c->places[place] = (struct cache_place){0};
    c->changes++;
}

// Records a use of the line. `keep` is an enum cache_keep.
static inline void cache_use(struct cache *c, uint32_t place, uint8_t keep)
{
    static const uint8_t ranks[] = {
        [CACHE_KEEP_SHORT] = 0, [CACHE_KEEP_NORMAL] = 1, [CACHE_KEEP_LONG] = 2};
    struct cache_place *at = &c->places[place];
    uint64_t rank = at->used >> RANK_SHIFT, count = at->used & (NORMAL_RANK - 1);
    if (keep == CACHE_KEEP_STILL)
        return;
    if (keep != CACHE_KEEP)
        rank = ranks[keep];
    if (c->config->replacement == CACHE_LRU)
        count = ++c->uses;
    struct cache_set_state *set = &c->sets[place / c->config->ways];
    uint64_t used = rank << RANK_SHIFT | count;
    bool moves = at->used >> RANK_SHIFT != rank || (at->used != used && c->links[place].newer);
    if (moves)
        cache_unrank(c, set, place);
    at->used = used;
    if (moves)
        cache_rank(c, set, place);
}

// Returns all bytes of the aligned parts of the line, of `size` bytes each, that contain one of
// `bytes`.
static inline struct mask cache_parts(const struct cache *c, struct mask bytes, uint32_t size)
{
    struct mask all = {{0}};
    if (size == c->config->line_bytes)
        return mask_intersects(c->whole, bytes) ? c->whole : all;
    for (uint32_t at = 0; at < c->config->line_bytes; at += size) {
        struct mask part = mask_range(at, at + size);
        if (mask_intersects(part, bytes))
            all = mask_or(all, part);
    }
    return all;
}

// Returns all bytes of the sectors that contain one of `bytes`.
static inline struct mask cache_sectors(const struct cache *c, struct mask bytes)
{
    return cache_parts(c, bytes, c->config->sector_bytes);
}

// Returns the number of sectors in `bytes`, which are whole sectors.
static inline uint32_t cache_count_sectors(const struct cache *c, struct mask bytes)
{
    if (mask_within(c->whole, bytes))
        return c->sectors;
    return mask_count(bytes) / c->config->sector_bytes;
}
