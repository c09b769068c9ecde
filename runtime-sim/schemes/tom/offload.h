// Block offloading [002 §4.2]: state of a machine and of its cores.
//
// When a warp reaches the first instruction of a block, the begin instruction uses an issue slot,
// and the warp waits for the decision. If the first access is not the first instruction, the warp
// saves its registers and executes ahead up to the access; in the stack the block restarts from its
// first instruction. The warp waits until its own results are ready and the stores of its core are
// acknowledged, then the packet is formed and sent. In the stack a detached warp executes the
// block. The acknowledgement carries live-outs and the list of written lines, which the core's L1
// and the L2 drop.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/stacks/stacks.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "runtime-sim/schemes/tom/block_table.h"
#include "runtime-sim/schemes/tom/rehearse.h"
#include "runtime-sim/schemes/tom/window.h"
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

extern const struct scheme_ops tom_blocks;

// Ages of lines in a stack's L1, so that the start of a block need not invalidate the whole L1: a
// line that was fetched before the block started is a miss for the block.

// Last fetch of a line. Lines share entries; a line without an entry counts as old.
struct tom_fetch {
    uint64_t line, cycle;
};

struct tom_epochs {
    struct tom_fetch *fetches;
    uint32_t size;   // a power of two
    uint64_t *began; // cycle in which the block of each slot started
};

// Initialises the ages for an L1 with this number of lines.
void tom_epochs_init(struct tom_epochs *epochs, struct arena *arena, uint64_t lines,
                     uint32_t slots);
// Records the fetch of a line.
void tom_epochs_fetch(struct tom_epochs *epochs, uint64_t line, uint64_t cycle);
// Returns true if the line was fetched before the block of this slot started.
bool tom_epochs_is_old(const struct tom_epochs *epochs, uint64_t line, uint32_t slot);

enum tom_state {
    TOM_NO_BLOCK,
    TOM_DECIDING,        // waits for the decision
    TOM_EXECUTING_AHEAD, // executes up to the first access
    TOM_AT_ACCESS,       // waits for the decision about the stack
    TOM_DRAINING,        // waits for results and stores
    TOM_PACKING,         // waits for the packet to be formed
    TOM_IN_STACK,        // from the sending of the packet to the acknowledgement
    TOM_IN_CORE,         // the warp executes the block itself
};

struct line_set {
    uint64_t *table; // line + 1; 0: free
    uint32_t size, count;
};

// A block of a warp slot.
struct tom_block_instance {
    const struct tom_block *block;
    uint8_t state; // enum tom_state
    bool has_values;
    uint32_t core, slot, number; // number: index in tom->runs
    uint32_t stack, mask, reached;
    uint32_t access;   // index in block->at of the access that determines the stack
    uint64_t age;      // age of the slot when the block began
    uint32_t declined; // innermost block around the warp whose condition was false, or TOM_NONE
    uint64_t asked, since, ready; // cycles: start of the block; start of a wait; next step
    uint64_t changed, began;      // for traces: last change of state; start in the stack
    int64_t iterations;           // value of the condition; 1 without a condition
    // TOM_MEASURED. It is outside from its admission until it has returned.
    bool outside, again, comes_back; // again: a later decision; comes_back: before an iteration
    bool is_past_start, is_overdue;  // state of the current iteration
    uint64_t left, passed;           // cycles: last request for a decision; start of the iteration
    uint64_t at_home, in_stack;      // ended iterations; those in the stack since `left`
    uint64_t bytes_in;               // size of its packet
    uint64_t waits[CORE_WORDS];      // slots whose stores it waits for
    uint8_t *values;                 // values of the block's registers, then of its live-outs
    struct cta *cta;                 // CTA of the detached warp, while it is in the stack
    struct line_set lines;           // lines that it has written
    struct map_instance map;
    VEC(uint64_t) sample; // first lines, under TOM_RANGES while a mapping is learnt
    uint32_t next;        // next in the stack's queue
};

// Codes, timings and scoreboard slots of a block.
struct tom_block_code {
    uint32_t begin, end;       // first code, and the code after the last one
    uint32_t first, last;      // indices in the list of timings
    uint32_t *accesses;        // indices in the list of timings, by block->at
    uint16_t *needs, *decides; // scoreboard slots of all registers; of those the decision needs
    uint32_t need_count, decide_count;
};

struct tom_block_stats {
#define STATS_DEF "runtime-sim/schemes/tom/block_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// Measurements of a block.
struct tom_times {
    struct tom_block_stats stats;
    struct tom_window window;
};

// Utilisation of the SM of a stack: instructions issued since a cycle.
struct tom_meter {
    uint64_t since, issued;
    bool busy;
};

struct tom_core {
    struct tom *of;
    struct tom_block_instance *runs;  // by slot; NULL for a core in a stack
    struct tom_block_instance **here; // by slot of a core in a stack
    uint64_t polled[CORE_WORDS]; // slots that wait for the controller; in a stack: to come back
    uint32_t polls;              // number of these slots
    struct tom_epochs epochs;    // of a core in a stack
    uint64_t shared;             // accesses of blocks to shared memory
};

// Number of packets with parameters, which belong to no block.
enum { TOM_PARAMETERS = UINT32_MAX };

struct tom_queue {
    uint32_t first, last, count;
};

// Learning of a mapping [002 §4.3]: instances run in the GPU. Then all cores stop, the caches are
// flushed, and allocations that candidate blocks access get the best mapping. The copy of the data
// from the CPU takes as long as the copy before a launch without learning; neither is counted.
enum tom_phase { LEARN_NOT, LEARN_RUNNING, LEARN_STOPPING, LEARN_FLUSHING };

struct tom_learning {
    enum tom_phase phase;
    uint64_t since;
    uint64_t instances; // number that is needed
    uint32_t bit;       // lowest bit of the chosen pair; 0: none
    struct tom_allocations allocations;
    struct map_samples samples; // TOM_RANGES
};

struct tom_trace;

struct tom_stats {
#define STATS_DEF "runtime-sim/schemes/tom/tom_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct tom {
    const struct tom_config *config;
    const struct tom_table *table;
    struct machine *machine;
    struct stacks *stacks;
    struct tom_block_code *places; // by block
    struct tom_times *times;       // by block
    struct tom_meter meters[STACKS_MAX];
    uint64_t next_check; // cycle in which overdue instances are counted next
    struct tom_block_instance *runs;
    uint32_t run_count, values_max;
    uint64_t *polling; // set of cores with slots that wait for the controller
    uint32_t kind;     // kind of the stacks' cores
    uint8_t scheme;
    uint32_t pending[STACKS_MAX];
    struct tom_queue queues[STACKS_MAX];
    VEC(struct cta *) idle; // free CTAs for detached warps
    struct tom_learning learning;
    struct tom_trace *trace; // NULL: no trace
    struct tom_stats stats;
    struct map_stats map;
};

extern const struct scheme_issue tom_issue;
extern const struct stat_key tom_stat_keys[];
extern const uint32_t tom_stat_key_count;
extern const struct stat_key block_stat_keys[];
extern const uint32_t block_stat_key_count;

// Returns the scheme's state of a core.
static inline struct tom_core *tom_core_of(const struct core *core)
{
    return core_own(core, &tom_blocks);
}

// Implement `create`, `connect`, `place_launch`, `tick` and `next` of struct scheme_memory.
void *tom_create(struct machine *machine, const void *config, const void *plan);
void tom_connect(struct machine *machine, void *state);
void tom_place_launch(struct machine *machine, void *state, struct machine_launch *launch);
void tom_tick(struct machine *machine, void *state);
uint64_t tom_next(const struct machine *machine, const void *state);

// Mappings that are chosen (learn.c)

// Applies a mapping that is known at the start, or starts learning.
void tom_map_begin(struct tom *tom);
// Applies the mapping of a launch under TOM_STATIC.
void tom_map_launch(struct tom *tom, const struct launch *launch);
// Updates the statistics of mappings.
void tom_learn_settle(struct tom *tom);
// Marks the allocation of an address as accessed by a candidate block.
void tom_learn_note(struct tom *tom, const struct image *image, uint64_t address);
// Ends learning in steps when enough instances have ended. Called in the scheme's tick.
void tom_learn_tick(struct tom *tom);
// Counts an instance that has ended.
void tom_end_instance(struct tom *tom, struct tom_block_instance *run);
// Return true if the mapping is learnt during the run (tom_is_learnt), and if it is being learnt
// now (tom_learns).
static inline bool tom_is_learnt(const struct tom_config *config)
{
    return config->map == TOM_TMAP || config->map == TOM_RANGES;
}
static inline bool tom_learns(const struct tom *tom)
{
    return tom->learning.phase != LEARN_NOT;
}
// Returns true if the block's window decides.
static inline bool tom_is_measured(const struct tom *tom, const struct tom_block *block)
{
    return tom->config->policy == TOM_MEASURED && block->placed == TOM_ANYWHERE;
}

// Measurements (learn.c)

// Counts an instance that has ended in this cycle. `away` is true if it has returned from a stack.
void tom_measure(struct tom *tom, const struct tom_block_instance *run, uint64_t now, bool away);
// Returns true if the stack's SM has issued in most of the last cycles. Called in a scheme's tick.
bool tom_sm_is_busy(struct tom *tom, uint32_t stack);

// Changes the state of a slot's block.
void tom_set_state(struct tom *tom, struct tom_block_instance *run, uint64_t now,
                   enum tom_state state);
// Ends the slot's wait for the controller.
void tom_stop_polling(struct tom *tom, const struct tom_block_instance *run);
// Returns the core in a stack.
struct core *tom_sm_of(const struct tom *tom, uint32_t stack);
// Enqueues a block in its stack.
void tom_arrive(struct tom *tom, struct tom_block_instance *run);
// Ends an offloaded block, or its iterations in the stack. The warp continues in cycle `now`.
void tom_finish(struct tom *tom, struct tom_block_instance *run, uint64_t now);
// Starts blocks in stacks that have room.
void tom_start_waiting(struct tom *tom);
// Returns true if a block waits in the stack's queue and the SM has room for it.
bool tom_has_room(const struct tom *tom, uint32_t stack);

// Traces offloaded blocks: rows for warp slots, with the phases of a block, in the GPU and in the
// stacks.

// Implement `begin_trace` and `end_trace` of struct scheme_report.
void *tom_begin_trace(struct machine *machine, void *state, struct arena *arena, struct trace *to,
                      uint32_t *process);
void tom_end_trace(void *trace, uint64_t now);
// Writes the span of the state that the block of a slot leaves now, and entered at `since`.
void tom_trace_phase(struct tom_trace *trace, const struct tom_block_instance *run, uint64_t since,
                     uint64_t now);
// Writes the span of a block that has ended in a slot of its stack's core.
void tom_trace_block(struct tom_trace *trace, const struct tom_block_instance *run, uint32_t slot,
                     uint64_t now);
