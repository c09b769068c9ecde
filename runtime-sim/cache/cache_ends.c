// The queues of a cache that other components use: requests are put; replies and requests to the
// next level are popped.
#include "runtime-sim/cache/cache_lines.h"
#include <assert.h>

// Prefetches into the host's cache what the access in a later clock needs if it misses: the hints
// of the set, and the location that is evicted next.
static void prefetch_set(const struct cache *c, uint32_t number)
{
    uint32_t oldest = c->sets[number].oldest[NORMAL_RANK >> RANK_SHIFT];
    __builtin_prefetch(&c->hints[number * c->hint_ways]);
    if (oldest)
        __builtin_prefetch(&c->places[number * c->config->ways + oldest - 1]);
}

void cache_put(struct cache *c, uint64_t now, const struct cache_request *request)
{
    struct cache_input *input = &c->inputs[request->input];
    assert(input->count < c->config->input && mask_any(request->bytes));
    uint32_t at = cache_wrap(input->head + input->count++, c->config->input);
    input->queue[at] = *request;
    input->queue[at].set = cache_set(c->config, request->line);
    prefetch_set(c, input->queue[at].set);
    cache_wake_at(c, now);
}

const struct cache_reply *cache_reply_peek(const struct cache *c, uint32_t path, uint64_t now)
{
    const struct cache_replies *answers = &c->answers[path];
    const struct cache_reply *first = &answers->ring[answers->head];
    return answers->count && first->ready <= now ? first : NULL;
}

uint64_t cache_reply_next(const struct cache *c, uint32_t path)
{
    const struct cache_replies *answers = &c->answers[path];
    return answers->count ? answers->ring[answers->head].ready : UINT64_MAX;
}

void cache_reply_pop(struct cache *c, uint32_t path, uint64_t now)
{
    struct cache_replies *answers = &c->answers[path];
    assert(answers->count);
    answers->head = cache_wrap(answers->head + 1, c->config->answers);
    if (answers->count-- == c->config->answers)
        cache_wake_at(c, now);
}

uint32_t cache_reply_count(const struct cache *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CACHE_PATHS; i++)
        count += c->answers[i].count;
    return count;
}

const struct cache_out *cache_out_peek(const struct cache *c)
{
    return c->out_count ? &c->out[c->out_head] : NULL;
}

// Wakes the cache, since a waiting request may need this room.
void cache_out_pop(struct cache *c, uint64_t now)
{
    assert(c->out_count);
    c->out_head = cache_wrap(c->out_head + 1, c->config->out);
    c->out_count--;
    cache_wake_at(c, now);
}
