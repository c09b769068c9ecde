// A DRAM channel with its controller at command level: FR-FCFS scheduling over age-ordered queues,
// with tables of the earliest clock of each command. dram_tick returns the next clock in which a
// command can be issued, so that the clocks before it can be skipped.
//
// Reading order: dram.def (keys), dram_map.h (address mapping), dram_config.c (clocks between
// commands), dram.c (waiting requests, selection of the next command).
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"
#include <stdbool.h>
#include <stdint.h>

// Minimum clocks between commands, computed from the keys of dram.def.

struct dram_config {
#define CONFIG_DEF "runtime-sim/dram/dram.def"
#include "runtime-sim/base/config_fields.inc"
};

struct dram_timing {
    // within a bank
    uint32_t act_read, act_write, act_pre, act_act, pre_act, read_pre, write_pre;
    // within a channel, and within a bank group
    uint32_t act_any, act_group, act_fourth;
    uint32_t read_read, read_read_group, write_write, write_write_group;
    uint32_t read_write, write_read, write_read_group;
    uint32_t refresh;
    // to the clock after the last data transfer
    uint32_t read_end, write_end;
};

// Returns the clocks from one REF of the channel to the next; UINT64_MAX without refresh.
uint64_t dram_refresh_interval(const struct dram_config *config);
// Computes the timing of a configuration.
void dram_timing_init(struct dram_timing *timing, const struct dram_config *config);

// Waiting requests as sets of entries. Entries are allocated in order of arrival, so the lowest bit
// of a set is the oldest. When the last entry is allocated, the waiting requests are compacted,
// which happens at most once per 64 − capacity requests.

enum { DRAM_BANKS = 64, DRAM_GROUPS = 16, DRAM_ENTRIES = 64 };

struct dram_request {
    uint64_t id; // assigned by the sender
    uint32_t bank, row;
    bool write;
};

struct dram_queue {
    uint32_t count, capacity;
    uint32_t end;    // first entry that was not allocated yet
    uint64_t places; // entries in use
    uint64_t writes; // entries with writes
    uint64_t hits;   // requests that may be served from their open row
    uint64_t misses; // requests of banks without a member of `hits`
    uint64_t banks;  // banks that have had a request
    uint64_t of_bank[DRAM_BANKS];
    uint64_t hit[DRAM_BANKS]; // requests for the bank's open row
    uint8_t bank[DRAM_ENTRIES];
    uint32_t row[DRAM_ENTRIES];
    uint64_t id[DRAM_ENTRIES], since[DRAM_ENTRIES];
};

// Adds a request. Requires count < capacity. Returns its entry.
uint32_t dram_queue_add(struct dram_queue *queue, const struct dram_request *request,
                        uint64_t since);

// Removes the request in an entry.
static inline void dram_queue_remove(struct dram_queue *queue, uint32_t place)
{
    uint64_t others = ~(UINT64_C(1) << place);
    queue->places &= others;
    queue->writes &= others;
    queue->of_bank[queue->bank[place]] &= others;
    queue->hit[queue->bank[place]] &= others;
    queue->hits &= others;
    queue->misses &= others;
    queue->count--;
}

// Returns the requests for this bank and row.
static inline uint64_t dram_queue_find(const struct dram_queue *queue, uint32_t bank, uint32_t row)
{
    uint64_t found = 0;
    for (uint64_t rest = queue->of_bank[bank]; rest; rest &= rest - 1)
        if (queue->row[__builtin_ctzll(rest)] == row)
            found |= rest & -rest;
    return found;
}

// REF_BANK is the refresh of one bank.
enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_PREA, DRAM_REF, DRAM_RD, DRAM_WR, DRAM_REF_BANK };

// Called for each command, for traces and checks. `bank` and `row` are 0 if the command has none.
typedef void dram_trace(void *context, uint64_t now, enum dram_command command, uint32_t bank,
                        uint32_t row, uint64_t id);

struct dram_stats {
#define STATS_DEF "runtime-sim/dram/dram_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct dram_reply {
    uint64_t id, ready; // ready: the clock after the last data transfer
    bool write;
};

// State of the banks, and the earliest clock of each command within a bank.
struct dram_banks {
    uint64_t open; // set of banks with an open row
    uint32_t row[DRAM_BANKS];
    uint32_t served[DRAM_BANKS]; // requests since the row was opened
    uint8_t group[DRAM_BANKS];
    uint64_t act[DRAM_BANKS], pre[DRAM_BANKS], read[DRAM_BANKS], write[DRAM_BANKS];
};

// The request in a bank's slot, with scheduler: bank_slots.
struct dram_bank_entry {
    struct dram_request request;
    uint64_t since;
};

// Earliest clocks of commands in a bank group or in all banks.
struct dram_limits {
    uint64_t act, read, write;
};

struct dram_channel {
    const struct dram_config *config;
    struct dram_timing time;
    uint64_t next; // earliest clock in which an evaluation is needed
    uint64_t free; // clock from which the command bus, or the row command bus, is free
    bool draining;
    bool wrote;                  // the last data transfer was a write
    struct dram_queue queues[2]; // reads, writes; with write_queue 0 the first has all requests
    struct dram_banks banks;
    struct dram_bank_entry bank_entries[DRAM_BANKS];
    uint64_t entries_used; // set of banks with a slot in use
    uint32_t entry_turn;   // first bank in round-robin order
    struct dram_limits all, groups[DRAM_GROUPS];
    uint64_t faw[4]; // earliest clocks of the fourth ACT after each of the last four
    uint32_t faw_at;
    uint64_t refresh_due, refresh_ready;
    uint32_t refresh_bank;      // with refresh: bank, the next bank
    bool holds;                 // requests to this bank wait for its refresh
    struct dram_reply *answers; // a ring, in the order of `ready`
    uint32_t reply_head, reply_count;
    uint64_t min_latency; // minimum over reads; UINT64_MAX before the first
    uint64_t min_write_latency;
    struct dram_stats stats;
    dram_trace *trace; // NULL: no trace
    void *trace_context;
};

extern const struct config_key dram_keys[];
extern const uint32_t dram_key_count;
extern const struct stat_key dram_stat_keys[];
extern const uint32_t dram_stat_key_count;

// Returns a fault of the combination of keys as a sentence, or NULL.
const char *dram_config_fault(const struct dram_config *config, struct arena *arena);

// Initialises a channel. Requires a configuration without a fault, which must outlive the channel.
void dram_init(struct dram_channel *channel, struct arena *arena, const struct dram_config *config);

// Returns true if the queue for reads or writes has room.
static inline bool dram_can_accept(const struct dram_channel *channel, bool write)
{
    const struct dram_queue *queue = &channel->queues[write && channel->config->write_queue];
    return queue->count < queue->capacity;
}

// Adds a request. Requires dram_can_accept. The request arrived at clock `since` (at most `now`)
// and may be served from `now` on.
void dram_accept(struct dram_channel *channel, uint64_t now, uint64_t since,
                 const struct dram_request *request);

// Evaluates a clock that is due. Called by dram_tick.
uint64_t dram_step(struct dram_channel *channel, uint64_t now);

// Evaluates a clock. Returns the next clock in which it must be called; UINT64_MAX if not before
// the next request. Earlier calls have no effect; later calls would change results.
static inline uint64_t dram_tick(struct dram_channel *channel, uint64_t now)
{
    return now < channel->next ? channel->next : dram_step(channel, now);
}

// Counts the refreshes of an idle channel that are long before `clock` without evaluating them.
// Returns false, without an effect, if there is no such refresh, and with a trace.
bool dram_pass_refreshes(struct dram_channel *channel, uint64_t clock);

// Returns the oldest reply if it is ready, else NULL. The result is valid until dram_pop.
static inline const struct dram_reply *dram_peek(const struct dram_channel *channel, uint64_t now)
{
    const struct dram_reply *reply = &channel->answers[channel->reply_head];
    return channel->reply_count && reply->ready <= now ? reply : NULL;
}

// Removes the reply that dram_peek returns, which must exist. Commands that waited for its room are
// issued at `now` or later.
void dram_pop(struct dram_channel *channel, uint64_t now);

// Returns the number of requests added whose reply was not popped.
uint32_t dram_inside(const struct dram_channel *channel);
