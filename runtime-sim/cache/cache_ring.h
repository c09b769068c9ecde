// What the files of a cache share: cache.c (lines, access, fills, flushing) and cache_ends.c (its
// queues, as those around it see them).
#pragma once
#include "runtime-sim/cache/cache.h"

// There is something to do at this clock.
static inline void cache_wake_at(struct cache *c, uint64_t now)
{
    uint64_t at = now > c->free ? now : c->free;
    if (c->next > at)
        c->next = at;
}

// Those of the configuration, and one that a path leaves to others.
static inline uint32_t cache_mshrs(const struct cache_config *config)
{
    return (uint32_t)config->mshrs + 1;
}

// A place of a ring of so many: at most once round.
static inline uint32_t cache_wrap(uint64_t at, uint64_t count)
{
    return (uint32_t)(at < count ? at : at - count);
}
