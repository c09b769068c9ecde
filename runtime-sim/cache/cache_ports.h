// The ports of a cache's banks, its output queue and its reply queues. Inline, because each access
// makes several calls.
#pragma once
#include "runtime-sim/cache/cache_internal.h"

// Returns the bank of a line that is in one bank.
static inline uint32_t cache_bank(const struct cache *c, uint64_t line)
{
    return c->config->banks == 1 ? 0 : (uint32_t)(line % c->config->banks);
}

// For lines that are interleaved over the banks: returns the clock from which all banks of the
// bytes are free; keeps these banks busy until `until`; transfers the bytes through their ports,
// and returns the clocks of the slowest.
uint64_t cache_banks_free(const struct cache *c, uint64_t line, struct mask bytes);
void cache_keep_banks(struct cache *c, uint64_t line, struct mask bytes, uint64_t until);
uint64_t cache_move_interleaved(struct cache *c, uint64_t line, uint64_t now, struct mask bytes);

// Returns the clock from which the banks of these bytes are free.
static inline uint64_t cache_free_at(const struct cache *c, uint64_t line, struct mask bytes)
{
    return c->config->bank_bytes ? cache_banks_free(c, line, bytes)
                                 : c->bank_free[cache_bank(c, line)];
}

// Transfers bytes through the port of the line's bank. Returns the number of clocks that this
// takes.
static inline uint64_t cache_move(struct cache *c, uint64_t line, uint64_t now, struct mask moved)
{
    if (c->config->bank_bytes)
        return cache_move_interleaved(c, line, now, moved);
    uint32_t bytes = mask_count(moved);
    uint64_t clocks =
        bytes == c->config->line_bytes ? c->line_clocks : divide_up(bytes, c->config->port_bytes);
    uint64_t *until = &c->bank_free[cache_bank(c, line)];
    *until = (*until > now ? *until : now) + clocks;
    c->stats.port_clocks += clocks;
    return clocks;
}

// Keeps the banks of these bytes busy in this clock, if they are not.
static inline void cache_use_banks(struct cache *c, uint64_t line, struct mask bytes, uint64_t now)
{
    uint64_t *bank_free = &c->bank_free[cache_bank(c, line)];
    if (c->config->bank_bytes)
        cache_keep_banks(c, line, bytes, now + 1);
    else
        *bank_free = *bank_free > now ? *bank_free : now + 1;
}

// Transfers arriving bytes through the bank's port or the fill port.
static inline void cache_move_in(struct cache *c, uint64_t line, uint64_t now, struct mask bytes)
{
    if (c->config->fill_port == CACHE_FILL_OWN)
        c->fill_free = (c->fill_free > now ? c->fill_free : now) +
                       divide_up(mask_count(bytes), c->config->port_bytes);
    else
        cache_move(c, line, now, bytes);
}

// Returns true if the output queue has room for `requests` requests.
static inline bool cache_out_has_room(const struct cache *c, uint32_t requests)
{
    return c->out_count + requests <= c->config->out;
}

// Returns true, and counts a wait, if the output queue has no room for `requests` requests.
static inline bool cache_lacks_room(struct cache *c, uint32_t requests)
{
    bool lacks = !cache_out_has_room(c, requests);
    c->stats.out_waits += lacks;
    return lacks;
}

// Sends a request to the next level. Requires cache_out_has_room.
static inline void cache_send(struct cache *c, uint64_t line, uint64_t id, struct mask bytes,
                              bool write, uint8_t keep)
{
    uint32_t at = cache_wrap(c->out_head + c->out_count++, c->config->out);
    c->out[at] = (struct cache_out){line, id, bytes, write, keep, c->clock};
}

// Writes back the dirty bytes of the line at a location.
static inline void cache_write_back(struct cache *c, uint32_t place, uint64_t now)
{
    const struct cache_place *at = &c->places[place];
    cache_send(c, at->tag - 1, CACHE_NOBODY, at->dirty, true, CACHE_KEEP);
    cache_move(c, at->tag - 1, now, at->dirty);
    c->stats.write_backs++;
}

// Returns true if the reply queue of the path has room.
static inline bool cache_can_reply(const struct cache *c, uint32_t path)
{
    return c->answers[path].count < c->config->answers;
}

// Returns true for a write that is also sent to the next level.
static inline bool cache_passes_on(const struct cache *c, const struct cache_request *r)
{
    return r->kind != CACHE_READ && c->config->write != CACHE_BACK;
}
