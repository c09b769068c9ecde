// A DRAM channel with its controller, command by command: FR-FCFS over requests that wait in queues
// by age, with the earliest clock of every command kept in tables. Nothing happens at clocks at
// which no command can be issued: dram_tick says when to come again.
//
// In the order in which one reads it: dram.def (what can be set), dram_map.h (where an address
// lies), dram_timing.h (from keys to clocks between commands), dram_queue.h (who waits), dram.c
// (who is next).
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"
#include "runtime-sim/dram/dram_queue.h"
#include "runtime-sim/dram/dram_timing.h"

enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_PREA, DRAM_REF, DRAM_RD, DRAM_WR };

// Told of every command: for traces and checks. `bank` and `row` are 0 where a command has none.
typedef void dram_trace(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id);

struct dram_stats {
#define STATS_DEF "runtime-sim/dram/dram_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct dram_answer {
    uint64_t id, ready; // the clock after the last data
    bool write;
};

// Earliest clocks of commands, as far as one bank alone says.
struct dram_banks {
    uint64_t open; // the set of those with an open row
    uint32_t row[DRAM_BANKS];
    uint32_t served[DRAM_BANKS]; // requests since the row was opened
    uint8_t group[DRAM_BANKS];
    uint64_t act[DRAM_BANKS], pre[DRAM_BANKS], read[DRAM_BANKS], write[DRAM_BANKS];
};

// The request that a bank keeps to, with scheduler: bank_slots.
struct dram_slot {
    struct dram_request request;
    uint64_t since;
};

// What one group of banks, or all of them, say.
struct dram_limits {
    uint64_t act, read, write;
};

struct dram_channel {
    const struct dram_config *config;
    struct dram_timing time;
    uint64_t next; // nothing is to be done before
    uint64_t free; // the command bus, or the row command bus
    bool draining;
    bool wrote;                  // the last data were of a write
    struct dram_queue queues[2]; // reads, writes; with write_queue 0 all are in the first
    struct dram_banks banks;
    struct dram_slot slots[DRAM_BANKS];
    uint64_t slots_used; // the set of banks with one
    uint32_t slot_turn;  // bank to begin with
    struct dram_limits all, groups[DRAM_GROUPS];
    uint64_t faw[4]; // when the fourth ACT after each of the last four may be
    uint32_t faw_at;
    uint64_t refresh_due, refresh_ready;
    struct dram_answer *answers; // a ring, in the order of `ready`
    uint32_t answer_head, answer_count;
    uint64_t least_latency; // of reads; UINT64_MAX before the first
    uint64_t least_write_latency;
    struct dram_stats stats;
    dram_trace *trace; // NULL: nobody listens
    void *trace_context;
};

extern const struct config_key dram_keys[];
extern const uint32_t dram_key_count;
extern const struct stat_key dram_stat_keys[];
extern const uint32_t dram_stat_key_count;

// What is wrong with keys that do not fit together, as a sentence; NULL: nothing.
const char *dram_config_fault(const struct dram_config *config, struct arena *arena);

// Needs a configuration without fault, which stays.
void dram_init(struct dram_channel *channel, struct arena *arena, const struct dram_config *config);

static inline bool dram_can_take(const struct dram_channel *channel, bool write)
{
    const struct dram_queue *queue = &channel->queues[write && channel->config->write_queue];
    return queue->count < queue->capacity;
}

// Needs dram_can_take. The request came at `since` (at most `now`) and may be served from `now` on.
void dram_take(struct dram_channel *channel, uint64_t now, uint64_t since,
               const struct dram_request *request);

uint64_t dram_step(struct dram_channel *channel, uint64_t now);

// Does what is to be done at this clock. Returns the next clock at which it wants to be called
// (UINT64_MAX: not before a request); calls before that do nothing, later ones would change
// results.
static inline uint64_t dram_tick(struct dram_channel *channel, uint64_t now)
{
    return now < channel->next ? channel->next : dram_step(channel, now);
}

// The oldest answer if it is ready, else NULL. It stays until dram_pop.
static inline const struct dram_answer *dram_peek(const struct dram_channel *channel, uint64_t now)
{
    const struct dram_answer *answer = &channel->answers[channel->answer_head];
    return channel->answer_count && answer->ready <= now ? answer : NULL;
}

// Needs an answer that dram_peek has shown. What it makes room for is issued at `now` or later.
void dram_pop(struct dram_channel *channel, uint64_t now);

// Requests that were taken and not yet popped.
uint32_t dram_inside(const struct dram_channel *channel);
