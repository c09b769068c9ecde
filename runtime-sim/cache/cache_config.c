// The keys of cache.def, and checks of combinations of values.
#include "runtime-sim/cache/cache.h"
#include <inttypes.h>

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
