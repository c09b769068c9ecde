// Shared by the files of the load/store unit: lsu.c (memory instructions), lsu_send.c (their
// parts), lsu_network.c (requests and replies), lsu_profile.c (counts of cache accesses).
#pragma once
#include "runtime-sim/gpu/core/core.h"

// A tag identifies a part of an entry. Requests to caches and to the memory system carry it.
enum { PART_BITS = 16 };

// Returns the tag of a part.
static inline uint32_t lsu_part_tag(uint32_t entry, uint32_t part)
{
    return entry << PART_BITS | part;
}

// Returns the entry of a tag.
static inline uint32_t lsu_entry_of(uint64_t tag)
{
    return (uint32_t)(tag >> PART_BITS);
}

// Returns the part of a tag.
static inline uint32_t lsu_part_of(uint64_t tag)
{
    return (uint32_t)tag & ((1u << PART_BITS) - 1);
}

// Returns the tag of a store of the entry.
uint32_t lsu_store_tag(const struct core *core, const struct entry *entry);

// Returns the first cycle in which the oldest entry of the queue may be accessed. Requires a
// non-empty queue.
static inline uint64_t lsu_first_access(const struct core *core)
{
    uint64_t begin = core->lsu.entries[core->lsu.queue[core->lsu.queue_head]].dispatched;
    uint64_t first = begin + core->kind->config->access_delay;
    return first > core->units.banks_free ? first : core->units.banks_free;
}

// Returns true if the core itself has requests to send to the network.
static inline bool lsu_has_requests(const struct core *core)
{
    return core->lsu.direct.count || core->lsu.missed.count || cache_out_peek(&core->l1);
}

// Schedules moving the values of a part in core_commit.
static inline void lsu_move_values(struct core *core, uint32_t entry, uint32_t part)
{
    struct core_effect effect = {entry, part};
    vec_push(core->arena, &core->results.effects, effect);
    __builtin_prefetch(core->lsu.entries[effect.entry].held); // used by core_commit
}

// Returns true for a line of local memory. Its values are moved when a part is sent, because the L1
// and the network keep only accesses to the same line in order, and a local access has a line per
// word.
static inline bool lsu_is_local(uint64_t line)
{
    return line >= LOCAL_LINES;
}

// Returns the sectors of the touched bytes, which are the bytes that a read requests.
struct mask lsu_sectors(const struct core *core, struct mask touched);
// Ends a part. The entry ends with its last part.
void lsu_part_done(struct core *core, uint64_t now, uint32_t entry, uint32_t part);
// Sends the next part of the oldest entry of the queue. Requires that its access may start now.
void lsu_send_next(struct core *core, uint64_t now);
// Sends a request to the network if there is room for one.
void lsu_send_out(struct core *core, uint64_t now);
// Counts an access that the L1 serves. Requires a run with a profile.
void lsu_count_l1(const struct core *core, const struct cache_request *request);
// Counts the reply to a load or atomic of any requester of the core. Requires a run with a profile,
// and that the entry waits for the reply.
void lsu_count_llc(const struct core *core, const struct memsys_request *reply);
