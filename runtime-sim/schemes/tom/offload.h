// Offloading of blocks [002 §4.2]: state of a machine and of its cores.
//
// A warp comes to the first instruction of a block; the begin instruction takes an issue slot, and
// the warp waits for the decision. If the first access is not the first instruction, the warp
// executes on up to it, with the registers saved; then the block starts again from its begin in the
// stack. The warp waits until its own results and the stores of its core are there, the packet is
// formed and sent. In the stack a detached warp executes the block; the acknowledgement brings
// live-outs and the lines that were written, which the core's L1 and the L2 drop.
#pragma once
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "runtime-sim/schemes/tom/block_table.h"
#include "runtime-sim/schemes/tom/epochs.h"
#include "runtime-sim/schemes/tom/range_map.h"
#include "runtime-sim/schemes/tom/rehearse.h"
#include "runtime-sim/schemes/tom/tom.h"
#include "runtime-sim/schemes/tom/window.h"

enum tom_state {
    RUN_NONE,
    RUN_ASKING,    // for the decision
    RUN_AHEAD,     // executes up to the first access
    RUN_AT_ACCESS, // for the decision about the stack
    RUN_DRAINING,
    RUN_PACKING,
    RUN_AWAY,
    RUN_HOME, // executes the block itself
};

struct line_set {
    uint64_t *table; // line + 1; 0: free
    uint32_t size, count;
};

// A block of a warp slot.
struct tom_run {
    const struct tom_block *block;
    uint8_t state; // enum tom_state
    bool has_values;
    uint32_t core, slot, number; // number: among all
    uint32_t stack, mask, reached;
    uint32_t access;              // in block->at: that decides about the stack
    uint64_t age;                 // of the slot
    uint64_t asked, since, ready; // cycles: of its begin; of its state
    uint64_t changed, began;      // for traces: of its state; of its begin in the stack
    int64_t iterations;           // by the condition; 1 without one
    // TOM_MEASURED. It is outside from its admission until it has returned.
    bool outside, again, comes_back; // outside; asks again; returns in front of an iteration
    bool is_past_begin, is_overdue;  // in its iteration
    uint64_t left, passed;           // cycles: of its last ask; of the begin of its iteration
    uint64_t at_home, in_stack;      // iterations that have ended; in a stack: since `left`
    uint64_t bytes_in;               // of its packet
    uint64_t waits[CORE_WORDS];      // slots whose stores it waits for
    uint8_t *values;                 // of the block's registers, then of its live-outs
    struct cta *cta;                 // while it is in the stack
    struct line_set lines;           // that it has written
    struct map_instance map;
    VEC(uint64_t) sample; // TOM_RANGES, while a mapping is learnt: its first lines
    uint32_t next;        // in the stack's queue
};

// Codes and slots of the scoreboard of a block.
struct tom_place {
    uint32_t begin, end;       // codes
    uint32_t first, last;      // in the list of timings
    uint32_t *accesses;        // the same, of block->at
    uint16_t *needs, *decides; // of all registers; of those that decide
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

// Utilisation of the SM of a stack: instructions since a cycle.
struct tom_meter {
    uint64_t since, issued;
    bool busy;
};

struct tom_core {
    struct tom *of;
    struct tom_run *runs;        // of each slot; NULL: a core of a stack
    struct tom_run **here;       // of each slot of a core of a stack
    uint64_t polled[CORE_WORDS]; // slots that wait for the controller; in a stack: to come back
    uint32_t polls;
    struct tom_epochs epochs; // of a core of a stack
    uint64_t lines_old;       // dropped because they are older than a block
    uint64_t shared;          // accesses of blocks to shared memory
};

// Number of packets with parameters, which are no block's.
enum { TOM_PARAMETERS = UINT32_MAX };

struct tom_queue {
    uint32_t first, last, count;
};

// Learning of a mapping [002 §4.3]: instances run in the GPU; then all cores stop, the caches are
// emptied, and allocations that candidate blocks access get the best mapping. The copy of the data
// from the CPU takes as long as that in front of a launch without learning; neither counts.
enum tom_phase { LEARN_NOT, LEARN_RUNNING, LEARN_STOPPING, LEARN_FLUSHING };

struct tom_learning {
    enum tom_phase phase;
    uint64_t since;
    uint64_t instances; // that are needed
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
    struct tom_place *places; // of each block
    struct tom_times *times;  // the same
    struct tom_meter meters[STACKS_MOST];
    uint64_t looks_at; // cycle in which overdue instances are counted next
    struct tom_run *runs;
    uint32_t run_count, values_most;
    uint64_t *polling; // set of the cores with slots that wait for the controller
    uint32_t kind;     // of the stacks' cores
    uint8_t scheme;
    uint32_t pending[STACKS_MOST];
    struct tom_queue queues[STACKS_MOST];
    VEC(struct cta *) idle; // for detached warps
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

static inline struct tom_core *tom_core_of(const struct core *core)
{
    return core_own(core, &tom_blocks);
}

void *tom_create(struct machine *machine, const void *config, const void *plan);
void tom_join(struct machine *machine, void *state);
void tom_place_launch(struct machine *machine, void *state, struct machine_launch *launch);
void tom_tick(struct machine *machine, void *state);
uint64_t tom_next(const struct machine *machine, const void *state);

// Mappings that are chosen (learn.c).
void tom_map_begin(struct tom *tom);
void tom_map_launch(struct tom *tom, const struct launch *launch);
void tom_learn_settle(struct tom *tom);
void tom_learn_note(struct tom *tom, const struct image *image, uint64_t address);
void tom_learn_tick(struct tom *tom);
// An instance is over.
void tom_end_instance(struct tom *tom, struct tom_run *run);
static inline bool tom_is_learnt(const struct tom_config *config)
{
    return config->map == TOM_TMAP || config->map == TOM_RANGES;
}
static inline bool tom_learns(const struct tom *tom)
{
    return tom->learning.phase != LEARN_NOT;
}
// The block's window decides.
static inline bool tom_is_measured(const struct tom *tom, const struct tom_block *block)
{
    return tom->config->policy == TOM_MEASURED && block->placed == TOM_ANYWHERE;
}

// Measurements (measure.c).

// Counts an instance that has ended in this cycle.
void tom_measure(struct tom *tom, const struct tom_run *run, uint64_t now, bool away);
// Returns true if the stack's SM has issued in most of the last cycles. In a scheme's tick.
bool tom_sm_is_busy(struct tom *tom, uint32_t stack);

// Changes the state of a slot's block.
void tom_set_state(struct tom *tom, struct tom_run *run, uint64_t now, enum tom_state state);
// The slot waits for the controller no longer.
void tom_stop_polling(struct tom *tom, const struct tom_run *run);
// Returns the core in a stack.
struct core *tom_sm_of(const struct tom *tom, uint32_t stack);
// Puts a block into the queue of its stack; ends it, the warp continues in cycle `now`.
void tom_arrive(struct tom *tom, struct tom_run *run);
void tom_finish(struct tom *tom, struct tom_run *run, uint64_t now);
// Starts blocks in stacks that have room.
void tom_start_waiting(struct tom *tom);
bool tom_has_room(const struct tom *tom, uint32_t stack);
