// Functions and types that the files of a cache share:
//
//     cache_lines.h    places of lines, their ranks and sectors
//     cache_ports.h    ports of banks, the output queue, the reply queues
//     cache_banks.c    banks that interleave the bytes of a line
//     cache_ends.c     the queues that other components use
//     cache_queue.c    the access queue
//     cache_access.c   the access of a request: hits and misses
//     cache_fill.c     arrival of lines, and the requests that wait for them
//     cache.c          configuration, initialisation, a clock, direct access to lines, flushes
#pragma once
#include "runtime-sim/cache/cache.h"

// The outcome of a clock.
struct waits {
    uint64_t until; // the earliest clock in which a known wait ends
    bool done;      // the state of the cache changed in this clock
};

// Schedules an evaluation in this clock, or in the next one that was not evaluated.
static inline void cache_wake_at(struct cache *c, uint64_t now)
{
    uint64_t at = now > c->free ? now : c->free;
    if (c->next > at)
        c->next = at;
}

// Returns the number of MSHRs: the configured ones, and one that each path leaves to the others.
static inline uint32_t cache_mshrs(const struct cache_config *config)
{
    return config->mshrs + 1;
}

// Returns the index in a ring of `count` elements. Requires at < 2 · count.
static inline uint32_t cache_wrap(uint64_t at, uint64_t count)
{
    return (uint32_t)(at < count ? at : at - count);
}

// Moves requests from the input queues to the access queue.
void cache_accept(struct cache *c, struct waits *waits);
// Serves the requests of the access queue that can be served in this clock.
void cache_access_all(struct cache *c, uint64_t now, struct waits *waits);

// Reads or writes the line at `place` (NOWHERE: the write goes to the next level only), and puts
// the reply, which is ready in clock `ready`, into the queue of its path. The replies of a path are
// in the order in which its requests were served.
void cache_complete(struct cache *c, const struct cache_request *r, uint32_t place, uint64_t now,
                    uint64_t ready);
// Serves a request whose line is at `place` (NOWHERE: absent), or makes it wait in an MSHR. Returns
// false, after counting the reason, if it stays in the access queue.
bool cache_access_read(struct cache *c, struct cache_request *r, uint32_t place, uint64_t now);
bool cache_access_write(struct cache *c, struct cache_request *r, uint32_t place, uint64_t now);
// Returns the bytes to fetch for a write with `partial: fetch`: the bytes of the written sectors
// that remain unknown.
struct mask cache_rest(const struct cache *c, const struct cache_request *r, uint32_t place);
// Fetches these bytes for a write that was served, and counts the sectors that the write covers. If
// there are such bytes, requires room for a request to the next level.
void cache_fetch_rest(struct cache *c, const struct cache_request *r, uint32_t place);

// Serves one request whose line has arrived; MSHRs are served round-robin. Requires c->waking.
void cache_wake_one(struct cache *c, uint64_t now, struct waits *waits);

// Processes the next line of a flush. Waits for lines in flight.
void cache_flush_one(struct cache *c, uint64_t now, struct waits *waits);
