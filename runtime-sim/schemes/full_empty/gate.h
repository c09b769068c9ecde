// The three queues of a partition [001 §4.3]: 0 for requests without a trigger, 1 for triggered
// requests of the CPU, 2 for those of the GPU. Each is in order; only its head is looked at. In a
// clock one head is released into the slice, of the first queue whose head may go [001 §6.3]; its
// action changes the bits then. A head that is blocked is looked at again when another request has
// been released.
#pragma once
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"

struct trace;

enum { FE_FREE, FE_CPU, FE_GPU, FE_QUEUES };

struct fe_request {
    uint32_t entry; // of the memory system
    uint32_t core;  // endpoint of the sender
    uint64_t line, arrived;
    uint32_t words;
    struct plane_line at;
    uint8_t trigger, action, kind;
    bool is_host;
    bool discards; // its words are not needed any more: it does not enter the slice
    bool waits;    // it was not allowed to go when it was looked at first
    bool delayed;  // it was allowed to go when it arrived
};

struct fe_queue {
    struct fe_request *list; // oldest first
    uint32_t count;
    uint64_t blocked; // clock from which its head is blocked; UINT64_MAX: it is not
};

struct fe_gate {
    const struct fe_config *config;
    const struct image *const *image;
    struct memsys *memsys;
    uint32_t partition;
    struct fe_queue queues[FE_QUEUES];
    uint64_t last; // clock of the last evaluation
    uint64_t past; // word that the last refused request of fe_gate_pass waits for; 0: none
    struct fe_stats stats;
    struct trace *trace; // NULL: no trace
    uint32_t process;
    uint64_t multiply, divide; // a clock, in units of the trace
};

void fe_gate_init(struct fe_gate *gate, struct arena *arena, const struct fe_config *config,
                  uint32_t partition);
bool fe_gate_has_room(const struct fe_gate *gate, const struct memsys_request *request);
void fe_gate_take(struct fe_gate *gate, uint32_t entry, const struct memsys_request *request,
                  uint64_t clock);
void fe_gate_tick(struct fe_gate *gate, uint64_t clock);
// Returns true if a head may go.
bool fe_gate_is_due(const struct fe_gate *gate);
// Serves a request that passes networks and slices, such as that of an SM in a memory stack: its
// trigger and action are those of the gate's requests. Returns false if it must wait. Then
// gate->past is the word, and the call is repeated.
bool fe_gate_pass(struct fe_gate *gate, const struct memsys_request *request);
// Returns the oldest blocked head of a queue, or NULL.
const struct fe_request *fe_gate_blocked(const struct fe_gate *gate, uint32_t queue);
// Returns the address of the first word that a request waits for.
uint64_t fe_gate_word(const struct fe_gate *gate, const struct fe_request *request);
