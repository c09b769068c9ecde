// A memory that another program feeds: all channels with one clock. dram_drive.c uses the first
// part, the library all of it.
#pragma once
#include "runtime-sim/dram/dram_map.h"

// One channel

// Called for each reply, at the clock in which it is popped.
typedef void dram_served(void *context, const struct dram_reply *reply);

// Pops the replies that are ready.
void dram_pop_all(struct dram_channel *channel, uint64_t now, dram_served *served, void *context);
// Evaluates a clock, after its replies were popped and requests accepted. Returns the next clock
// in which this must be done; UINT64_MAX: not before the next request, but there may be replies.
uint64_t dram_evaluate(struct dram_channel *channel, uint64_t now);

// All channels

// A request that was served.
struct dram_done {
    uint64_t number, arrived, replied; // replied: the clock after the last data transfer
};

// A request in a channel: its number and arrival, or the next free place.
struct dram_place {
    uint64_t number, arrived;
    uint32_t next;
};

struct dram_memory {
    struct arena *arena;
    const struct dram_config *config;
    struct dram_map map;
    struct dram_channel *channels;
    uint64_t *next; // of each channel: first clock that was not evaluated and must be
    uint64_t now;
    VEC(struct dram_place) places;
    uint32_t free; // first free place; UINT32_MAX: none
    VEC(struct dram_done) done;
    uint32_t taken; // members of `done` that were returned
};

// Initialises a memory. Requires a configuration without a fault, which must outlive it.
void dram_memory_init(struct dram_memory *memory, struct arena *arena,
                      const struct dram_config *config);
// Evaluates all clocks before `clock`, and then pops the replies that are ready at it.
void dram_memory_advance(struct dram_memory *memory, uint64_t clock);
// Advances to the end of the last request that was accepted.
void dram_memory_drain(struct dram_memory *memory);
// Offers a request of one transfer, which arrived at `arrived`, at most the present clock. Returns
// false if the queue of its channel is full.
bool dram_memory_offer(struct dram_memory *memory, uint64_t arrived, uint64_t address, bool write,
                       uint64_t number);
// Returns the next clock to which the memory can be advanced with an effect; UINT64_MAX if it is
// empty and has no refresh.
uint64_t dram_memory_next(const struct dram_memory *memory);
// Returns the number of requests that were accepted and not returned by dram_memory_done.
uint64_t dram_memory_pending(const struct dram_memory *memory);
// Returns the next request that was served, by the clock of its reply; NULL: none so far. The
// result is valid until the memory advances.
const struct dram_done *dram_memory_done(struct dram_memory *memory);
