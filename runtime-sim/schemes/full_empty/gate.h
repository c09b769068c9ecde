// The three queues of a partition [001 §4.3]: 0 for requests without a trigger, 1 for triggered
// requests of the CPU, 2 for those of the GPU. Each is in order: only its head is examined, and the
// fe.look_past requests after it. Each clock, at most one request is released into the slice, from
// the first queue that has one whose trigger is met [001 §6.3]. Its action changes the bits at that
// time. A blocked head is examined again after another request has been released.
#pragma once
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"

struct trace;

enum { FE_FREE, FE_CPU, FE_GPU, FE_QUEUES };

struct fe_request {
    uint32_t entry;         // number in the memory system
    uint32_t core;          // endpoint of the sender
    uint64_t line, arrived; // line number; clock of arrival
    uint32_t words;         // accessed words of the line
    struct plane_line at;
    uint8_t trigger, action, kind;
    bool is_host;
    bool discards; // instruction `discard`: it empties its words and does not enter the slice
    bool waits;    // it was blocked at the head of its queue
    bool delayed;  // its trigger was met when it arrived
};

struct fe_queue {
    struct fe_request *list; // oldest first
    uint32_t count;
    uint64_t blocked; // clock since which its head is blocked; UINT64_MAX: not blocked
};

struct fe_gate {
    const struct fe_config *config;
    const struct image *const *image;
    struct memsys *memsys;
    uint32_t partition;
    struct fe_queue queues[FE_QUEUES];
    uint64_t last; // clock up to which queue lengths are counted
    uint64_t past; // word that the last delayed request of fe_gate_pass waits for; 0: none
    struct fe_stats stats;
    struct trace *trace; // NULL: no trace
    uint32_t process;
    uint64_t multiply, divide; // units of the trace per clock: multiply / divide
};

// Initialises a gate with empty queues. The caller sets `memsys` and `image`.
void fe_gate_init(struct fe_gate *gate, struct arena *arena, const struct fe_config *config,
                  uint32_t partition);
// Returns true if the queue that the request would enter has room.
bool fe_gate_has_room(const struct fe_gate *gate, const struct memsys_request *request);
// Enqueues a request. Requires fe_gate_has_room. `entry` is its number in the memory system.
void fe_gate_accept(struct fe_gate *gate, uint32_t entry, const struct memsys_request *request,
                    uint64_t clock);
// Evaluates a clock of the LLC: releases at most one request.
void fe_gate_tick(struct fe_gate *gate, uint64_t clock);
// Returns true if a request can be released.
bool fe_gate_is_due(const struct fe_gate *gate);
// Applies trigger and action of a request that bypasses networks and slices, such as one of an SM
// in a memory stack. Returns false if it must wait: gate->past is then the word, and the caller
// repeats the call.
bool fe_gate_pass(struct fe_gate *gate, const struct memsys_request *request);
// Returns the head of a queue if it is blocked, or NULL.
const struct fe_request *fe_gate_blocked(const struct fe_gate *gate, uint32_t queue);
// Returns the address of the first word that a request waits for, or of its line if none.
uint64_t fe_gate_word(const struct fe_gate *gate, const struct fe_request *request);
