// A read-only cache of instructions, constants or textures: tags and outstanding lines, without
// data.
#pragma once
#include "runtime-sim/base/config.h"

struct tags_config {
#define CONFIG_DEF "runtime-sim/gpu/core/tags.def"
#include "runtime-sim/base/config_fields.inc"
};

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

struct tag_cache {
    const struct tags_config *config;
    uint64_t *line, *used; // by set · ways + way; UINT64_MAX: free
    uint64_t uses;
    uint64_t coming; // set of MSHRs in use
    uint64_t *coming_line;
    struct tags_waiters *waiters;
    uint64_t hits, misses, merged, fulls;
};

// Initialises a cache.
void tags_init(struct tag_cache *tags, struct arena *arena, const struct tags_config *config);
// Looks up a line. On a miss, `waiter` waits for the line.
enum tags_result tag_cache_read(struct tag_cache *tags, uint64_t line, uint32_t waiter);
// Must be called when a line has arrived. Returns its waiters.
struct tags_waiters tags_fill(struct tag_cache *tags, uint64_t line);
// Removes all lines except the outstanding ones.
void tags_flush(struct tag_cache *tags);
