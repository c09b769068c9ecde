#include "runtime-sim/gpu/core/tags.h"
#include <string.h>

const struct config_key tags_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/core/tags.def"
#define CONFIG_OF struct tags_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t tags_key_count = ARRAY_LENGTH(tags_keys);

const struct config_key level_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/core/tags_level.def"
#define CONFIG_OF struct level_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t level_key_count = ARRAY_LENGTH(level_keys);

enum { NOWHERE = UINT32_MAX };

static void init_lines(struct tags_lines *lines, struct arena *arena, uint32_t sets, uint32_t ways)
{
    uint64_t places = (uint64_t)sets * ways;
    *lines = (struct tags_lines){.sets = sets, .ways = ways};
    lines->line = ARENA_ARRAY(arena, uint64_t, places);
    lines->used = ARENA_ARRAY(arena, uint64_t, places);
    lines->ready = ARENA_ARRAY(arena, uint64_t, places);
    memset(lines->line, 0xff, places * sizeof *lines->line);
}

static uint32_t find(struct tags_lines *lines, uint64_t line)
{
    uint32_t first = (uint32_t)(line % lines->sets) * lines->ways;
    for (uint32_t i = first; i < first + lines->ways; i++)
        if (lines->line[i] == line) {
            lines->used[i] = ++lines->uses;
            return i;
        }
    return NOWHERE;
}

// Stores a line in a free place of its set, or in that of the least recently used line.
static void put(struct tags_lines *lines, uint64_t line, uint64_t ready)
{
    uint32_t first = (uint32_t)(line % lines->sets) * lines->ways, oldest = first;
    for (uint32_t i = first; i < first + lines->ways; i++) {
        if (lines->line[i] == UINT64_MAX) {
            oldest = i;
            break;
        }
        if (lines->used[i] < lines->used[oldest])
            oldest = i;
    }
    lines->line[oldest] = line;
    lines->ready[oldest] = ready;
    lines->used[oldest] = ++lines->uses;
}

void tags_flush(struct tag_cache *tags)
{
    memset(tags->lines.line, 0xff, tags->config->sets * tags->config->ways * sizeof(uint64_t));
}

void tags_init(struct tag_cache *tags, struct arena *arena, const struct tags_config *config)
{
    *tags = (struct tag_cache){.config = config};
    init_lines(&tags->lines, arena, config->sets, config->ways);
    tags->coming_line = ARENA_ARRAY(arena, uint64_t, config->mshrs);
    tags->waiters = ARENA_ARRAY(arena, struct tags_waiters, config->mshrs);
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

// Looks up a line here, and then in the L1.5, which stores it here.
static bool is_present(struct tag_cache *tags, uint64_t now, uint64_t line, uint64_t *ready)
{
    uint32_t at = tags->config->perfect ? NOWHERE : find(&tags->lines, line);
    *ready = now + tags->config->latency;
    if (at != NOWHERE && tags->lines.ready[at] > now)
        *ready = tags->lines.ready[at] + tags->config->latency;
    if (tags->config->perfect || at != NOWHERE)
        return true;
    if (!tags->next || find_coming(tags, line) < tags->config->mshrs ||
        !level_read(tags->next, now, line, ready))
        return false;
    put(&tags->lines, line, *ready);
    *ready += tags->config->latency;
    return true;
}

// Allocates an MSHR without waiters. Returns config->mshrs if all are in use.
static uint32_t allocate(struct tag_cache *tags, uint64_t line)
{
    uint64_t free = ~tags->coming;
    uint32_t mshr = free ? (uint32_t)__builtin_ctzll(free) : 64;
    if (mshr >= tags->config->mshrs)
        return tags->config->mshrs;
    tags->coming |= UINT64_C(1) << mshr;
    tags->coming_line[mshr] = line;
    tags->waiters[mshr] = (struct tags_waiters){{0}};
    return mshr;
}

enum tags_result tag_cache_read(struct tag_cache *tags, uint64_t now, uint64_t line,
                                uint32_t waiter, uint64_t *ready)
{
    if (is_present(tags, now, line, ready)) {
        tags->hits++;
        return TAGS_HIT;
    }
    uint32_t mshr = find_coming(tags, line);
    bool merged = mshr < tags->config->mshrs;
    if (!merged && (mshr = allocate(tags, line)) == tags->config->mshrs) {
        tags->fulls++;
        return TAGS_FULL;
    }
    tags->waiters[mshr].w[waiter / 64] |= UINT64_C(1) << waiter % 64;
    tags->merged += merged;
    tags->misses += !merged;
    return merged ? TAGS_MERGED : TAGS_MISS;
}

bool tags_prefetch(struct tag_cache *tags, uint64_t now, uint64_t line)
{
    uint64_t ready;
    return find_coming(tags, line) == tags->config->mshrs && !is_present(tags, now, line, &ready) &&
           allocate(tags, line) < tags->config->mshrs;
}

struct tags_waiters tags_fill(struct tag_cache *tags, uint64_t now, uint64_t line)
{
    uint32_t mshr = find_coming(tags, line);
    put(&tags->lines, line, now);
    if (tags->next)
        level_put(tags->next, line, now);
    tags->coming &= ~(UINT64_C(1) << mshr);
    return tags->waiters[mshr];
}

void level_init(struct tags_level *level, struct arena *arena, const struct level_config *config)
{
    *level = (struct tags_level){.config = config};
    init_lines(&level->lines, arena, config->sets, config->ways);
}

bool level_read(struct tags_level *level, uint64_t now, uint64_t line, uint64_t *ready)
{
    uint32_t at = level->lines.sets ? find(&level->lines, line) : NOWHERE;
    if (at == NOWHERE)
        return false;
    *ready = (level->lines.ready[at] > now ? level->lines.ready[at] : now) + level->config->latency;
    return true;
}

void level_put(struct tags_level *level, uint64_t line, uint64_t ready)
{
    if (level->lines.sets && find(&level->lines, line) == NOWHERE)
        put(&level->lines, line, ready);
}

void level_flush(struct tags_level *level, uint64_t limit)
{
    for (uint32_t i = 0; i < level->lines.sets * level->lines.ways; i++)
        if (level->lines.line[i] < limit)
            level->lines.line[i] = UINT64_MAX;
}
