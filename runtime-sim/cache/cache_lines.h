// Lines of a cache: their locations, ranks and sectors. Inline, because each access makes several
// calls.
#pragma once
#include "runtime-sim/cache/cache_internal.h"

enum { NOWHERE = UINT32_MAX };

#define NO_LINE UINT64_MAX

// The rank of a line is in the bits above its count, so that lines of a lower rank are evicted
// first.
enum { RANK_SHIFT = 60 };
#define NORMAL_RANK (UINT64_C(1) << RANK_SHIFT)

// Returns the location of a line, or NOWHERE.
static inline uint32_t cache_find(const struct cache *c, uint64_t line)
{
    uint32_t set = cache_set(c->config, line), first = set * c->config->ways;
    for (uint32_t i = first; i < first + c->end[set]; i++)
        if (c->line[i] == line)
            return i;
    return NOWHERE;
}

// Forgets the bytes of a location, whose line is replaced.
static inline void cache_clear_bytes(struct cache *c, uint32_t place)
{
    c->known[place] = (struct mask){{0}};
    if (c->is_dirty[place])
        c->dirty[place] = (struct mask){{0}};
    c->is_dirty[place] = false;
}

// Removes the line at a location.
static inline void cache_clear(struct cache *c, uint32_t place)
{
    uint32_t set = place / c->config->ways, way = place % c->config->ways;
    c->full[set] = way < c->full[set] ? way : c->full[set];
    c->end[set] -= way + 1 == c->end[set];
    c->line[place] = NO_LINE;
    c->changes++;
    cache_clear_bytes(c, place);
}

// Records a use of the line. `keep` is an enum cache_keep.
static inline void cache_use(struct cache *c, uint32_t place, uint8_t keep)
{
    static const uint8_t ranks[] = {
        [CACHE_KEEP_SHORT] = 0, [CACHE_KEEP_NORMAL] = 1, [CACHE_KEEP_LONG] = 2};
    uint64_t rank = c->used[place] >> RANK_SHIFT, count = c->used[place] & (NORMAL_RANK - 1);
    if (keep == CACHE_KEEP_STILL)
        return;
    if (keep != CACHE_KEEP)
        rank = ranks[keep];
    if (c->config->replacement == CACHE_LRU)
        count = ++c->uses;
    c->used[place] = rank << RANK_SHIFT | count;
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
