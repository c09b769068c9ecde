// A cache of a configuration, for tests.
#pragma once
#include "runtime-sim/cache/cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 64 }; // lines whose written bytes are followed

static const struct mask whole = {{UINT64_MAX, UINT64_MAX}};

struct fixture {
    struct memory memory;
    struct arena arena;
    struct cache_config values;
    struct config_section section;
    struct config config;
    struct cache cache;
    uint64_t now, answers, last_reply, last_id;
    VEC(uint64_t) served;       // ids, in the order of service
    VEC(struct cache_out) out;  // requests to the next level
    struct mask unsaved[LINES]; // bytes that were written and that only the cache has
    // The next level of cache.c, which replies in order after its latency.
    uint64_t memory_latency, seed, saved_bytes;
    VEC(uint64_t) due; // of each element of `out`
    uint32_t first;    // of `out` without a reply
    bool locked;       // the condition of input 1 does not hold
    bool pauses;       // replies of one path are taken at a time
};

static inline void note_served(void *context, const struct cache_request *r, uint64_t now)
{
    struct fixture *f = context;
    (void)now;
    vec_push(&f->arena, &f->served, r->id);
    if (r->kind != CACHE_READ && r->line < LINES && f->values.write == CACHE_BACK)
        f->unsaved[r->line] = mask_or(f->unsaved[r->line], r->bytes);
}

static inline void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->section = (struct config_section){"llc", cache_keys, cache_key_count, &f->values};
    config_init(&f->config, &f->arena, &f->section, 1);
}

static inline void start(struct fixture *f, uint32_t inputs)
{
    assert_null(cache_config_fault(&f->values, "llc", &f->arena));
    cache_init(&f->cache, &f->arena, &f->values, inputs);
    for (uint32_t i = 0; i < inputs; i++) {
        f->cache.inputs[i].serve = note_served;
        f->cache.inputs[i].context = f;
    }
    f->now = 0;
}

static inline void put(struct fixture *f, uint64_t id, enum cache_kind kind, uint64_t line,
                       struct mask bytes)
{
    struct cache_request r = {.id = id, .line = line, .bytes = bytes, .kind = (uint8_t)kind};
    cache_put(&f->cache, f->now, &r);
}

// Pops the ready replies of a path.
static inline void pop_replies(struct fixture *f, uint32_t path)
{
    for (const struct cache_reply *a; (a = cache_reply_peek(&f->cache, path, f->now));) {
        f->answers++;
        f->last_reply = f->now;
        f->last_id = a->id;
        cache_reply_pop(&f->cache, path, f->now);
    }
}
