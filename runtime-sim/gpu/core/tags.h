// A read-only cache of instructions, constants or textures: tags and outstanding lines, without
// data.
#pragma once
#include "runtime-sim/base/config.h"

struct tags_config {
#define CONFIG_DEF "runtime-sim/gpu/core/tags.def"
#include "runtime-sim/base/config_fields.inc"
};

struct level_config {
#define CONFIG_DEF "runtime-sim/gpu/core/tags_level.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct config_key level_keys[];
extern const uint32_t level_key_count;
extern const struct config_key tags_keys[];
extern const uint32_t tags_key_count;

enum tags_result {
    TAGS_HIT,
    TAGS_MISS,   // the line must be requested; tags_fill will return the waiter
    TAGS_MERGED, // the line is in flight
    TAGS_FULL,   // too many lines are in flight; the caller must retry
};

enum { TAGS_WAITERS = 1024, TAGS_WORDS = TAGS_WAITERS / 64 };

struct tags_waiters {
    uint64_t w[TAGS_WORDS];
};

// Tags of a set-associative cache, and the cycle from which each line can be read.
struct tags_lines {
    uint32_t sets, ways;
    uint64_t *line, *used, *ready; // by set · ways + way; line UINT64_MAX: free
    uint64_t uses;
};

// A cache without misses of its own: an L0 or an L1.5. Without `config->sets` it is always empty.
struct tags_level {
    const struct level_config *config;
    struct tags_lines lines;
};

struct tag_cache {
    const struct tags_config *config;
    struct tags_lines lines;
    struct tags_level *next; // L1.5, or NULL
    uint64_t coming;         // set of MSHRs in use
    uint64_t *coming_line;
    struct tags_waiters *waiters;
    uint64_t hits, misses, merged, fulls;
};

// Initialise caches.
void tags_init(struct tag_cache *tags, struct arena *arena, const struct tags_config *config);
void level_init(struct tags_level *level, struct arena *arena, const struct level_config *config);
// Looks up a line. On a hit, also in the L1.5, sets `ready` to the cycle in which it has been read.
// On a miss, `waiter` waits for the line.
enum tags_result tag_cache_read(struct tag_cache *tags, uint64_t now, uint64_t line,
                                uint32_t waiter, uint64_t *ready);
// Looks up a line to be prefetched. Returns true if it must be requested.
bool tags_prefetch(struct tag_cache *tags, uint64_t now, uint64_t line);
// Must be called when a line has arrived. Returns its waiters.
struct tags_waiters tags_fill(struct tag_cache *tags, uint64_t now, uint64_t line);
// Removes all lines except the outstanding ones.
void tags_flush(struct tag_cache *tags);
// Looks up a line. On a hit, sets `ready` to the cycle in which it has been read.
bool level_read(struct tags_level *level, uint64_t now, uint64_t line, uint64_t *ready);
// Stores a line that can be read from the cycle `ready` on.
void level_put(struct tags_level *level, uint64_t line, uint64_t ready);
// Removes the lines below `limit`.
void level_flush(struct tags_level *level, uint64_t limit);
