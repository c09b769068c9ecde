#include "runtime-sim/gpu/core/tags.h"
#include <string.h>

const struct config_key tags_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/core/tags.def"
#define CONFIG_OF struct tags_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t tags_key_count = ARRAY_LENGTH(tags_keys);

void tags_flush(struct tag_cache *tags)
{
    memset(tags->line, 0xff, tags->config->sets * tags->config->ways * sizeof *tags->line);
}

void tags_init(struct tag_cache *tags, struct arena *arena, const struct tags_config *config)
{
    uint64_t places = config->sets * config->ways;
    *tags = (struct tag_cache){.config = config};
    tags->line = ARENA_ARRAY(arena, uint64_t, places);
    tags->used = ARENA_ARRAY(arena, uint64_t, places);
    tags->coming_line = ARENA_ARRAY(arena, uint64_t, config->mshrs);
    tags->waiters = ARENA_ARRAY(arena, struct tags_waiters, config->mshrs);
    tags_flush(tags);
}

static uint64_t first_way(const struct tag_cache *tags, uint64_t line)
{
    return line % tags->config->sets * tags->config->ways;
}

static bool find(struct tag_cache *tags, uint64_t line)
{
    uint64_t first = first_way(tags, line);
    for (uint64_t i = first; i < first + tags->config->ways; i++)
        if (tags->line[i] == line) {
            tags->used[i] = ++tags->uses;
            return true;
        }
    return false;
}

// Returns the MSHR of a line; config->mshrs if it has none.
static uint32_t find_coming(const struct tag_cache *tags, uint64_t line)
{
    for (uint64_t rest = tags->coming; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (tags->coming_line[i] == line)
            return i;
    }
    return tags->config->mshrs;
}

enum tags_result tag_cache_read(struct tag_cache *tags, uint64_t line, uint32_t waiter)
{
    if (tags->config->perfect || find(tags, line)) {
        tags->hits++;
        return TAGS_HIT;
    }
    uint32_t mshr = find_coming(tags, line);
    bool merged = mshr < tags->config->mshrs;
    if (!merged) {
        uint64_t free = ~tags->coming;
        mshr = free ? (uint32_t)__builtin_ctzll(free) : 64;
        if (mshr >= tags->config->mshrs) {
            tags->fulls++;
            return TAGS_FULL;
        }
        tags->coming |= UINT64_C(1) << mshr;
        tags->coming_line[mshr] = line;
        tags->waiters[mshr] = (struct tags_waiters){{0}};
    }
    tags->waiters[mshr].w[waiter / 64] |= UINT64_C(1) << waiter % 64;
    tags->merged += merged;
    tags->misses += !merged;
    return merged ? TAGS_MERGED : TAGS_MISS;
}

struct tags_waiters tags_fill(struct tag_cache *tags, uint64_t line)
{
    uint64_t first = first_way(tags, line), oldest = first;
    for (uint64_t i = first; i < first + tags->config->ways; i++) {
        if (tags->line[i] == UINT64_MAX) {
            oldest = i;
            break;
        }
        if (tags->used[i] < tags->used[oldest])
            oldest = i;
    }
    tags->line[oldest] = line;
    tags->used[oldest] = ++tags->uses;
    uint32_t mshr = find_coming(tags, line);
    tags->coming &= ~(UINT64_C(1) << mshr);
    return tags->waiters[mshr];
}
