// Candidate blocks of a function: loops at every level, straight-line code, and single-entry
// single-exit regions [002 §3.1.2, §3.1.3].
#pragma once
#include "passes/analysis/cost/transfer.h"
#include "passes/analysis/divergence/regions.h"
#include "passes/analysis/memory/effects.h"
#include "passes/analysis/reuse/reuse.h"
#include "passes/analysis/trip/trip.h"
#include "passes/blocks/select.h"

// Traffic of a warp's access between a core and memory, and the cost of moving a value, by the
// analyses: the terms of equations (3) and (4) with --cost=refined.
//
// Units: words per warp (the size of a register of one lane).
//    - A load requests the lines that it touches and that miss in L1: a word for each address to
//      memory, 32 words for each line from it.
//   - A store sends its data, as many words as its lanes write, and a word for each line's address;
//     a quarter of a word returns for each line.
//   - A register of 64 bits is two words. A value that is equal in all lanes is sent once, not 32
//     times. A predicate is a bit.
// An access with unknown lines counts the mean of its bounds. Accesses in called functions count as
// in TOM: one line, and half of the loads miss. Measured lines that are not proven, and measured
// hits, replace these numbers (passes/analysis/memory/measured.h).

struct traffic {
    uint64_t tx, rx;   // 1/BW_REFINED words
    unsigned measured; // MEASURED_…
};

struct facts;

struct traffics {
    struct facts *facts;
    const struct capability *capability;
    const struct ir_function *fn;
    const struct divergence *divergence;
    struct coalescings *coalescings;
    struct reuses *reuses;
};

// Prepares the analyses of one function.
void traffics_init(struct traffics *traffics, struct plan *plan, const struct ir_module *module,
                   const struct pass_options *options, uint32_t function);

// Returns the traffic of one execution of the instruction.
struct traffic traffic_of(const struct traffics *traffics, uint32_t inst,
                          const struct memory_effect *effect);
// Returns the cost of live values as seen in this basic block (IR_NONE: at their definitions).
// Units: 1/BW_REFINED words.
uint64_t traffic_values(const struct traffics *traffics, const struct live_value *values,
                        uint32_t count, uint32_t block);

// Counts of a part of the function.
struct block_counts {
    uint64_t loads, stores; // inner loops with a constant trip count multiply (in tx and rx also
                            // those with a measured one), others count once
    uint64_t tx, rx;        // refined traffic of the accesses
    unsigned measured;      // MEASURED_…: sources of tx and rx
    uint32_t barred;        // first instruction that cannot be moved, or IR_NONE
    uint32_t first, last;   // instructions, by place in the text; IR_NONE: none
    uint32_t bodies;
};

struct block_candidate {
    enum block_kind kind;
    uint32_t begin, end; // units
    uint32_t entry;
    struct block_exit exit;
    uint32_t loop; // BLOCK_LOOP
    struct loop_exits exits;
    struct trip trip;
    bool has_mean; // a loop without a constant count has measured iterations
    double mean;
    struct block_counts counts; // of one iteration
    bool open;                  // it has several exits
    bool cuts; // `counts.barred` names a variable of a call that is also named outside
};

struct candidates {
    VEC(struct block_candidate) list; // any two are disjoint or nested
    struct regions regions;
    struct memory_effect *effects; // per instruction
};

// Finds the candidates of a function. Requires a function with blocks that is not incomplete.
// Without `traffics`, the traffic of accesses is not counted. Results are in `arena`.
//
// The list has all loops, and with at least one access each: maximal straight-line code without its
// final branch; the smallest regions, each with the preceding straight-line code that decides its
// branch; and, in each sequence of such parts, the longest ones without an instruction that cannot
// be moved, with and without their outer parts that have no access. Regions and straight-line code
// with such an instruction are listed once.
void candidates_find(struct candidates *candidates, struct arena *arena,
                     const struct ir_module *module, const struct ir_function *fn,
                     struct effects *effects, const struct traffics *traffics);

// Sentences on why candidate blocks are rejected.

// Returns the reason against a block with an instruction that cannot be moved.
const char *reason_barred(struct arena *arena, const struct ir_module *module,
                          const struct ir_function *fn, uint32_t inst, enum plan_rule rule);
// Returns the reason against a block that has only some of the instructions that name a variable of
// a call.
const char *reason_cut(struct arena *arena, const struct ir_module *module,
                       const struct ir_function *fn, uint32_t inst);
// Returns the reason against a block with several exits, or without one.
const char *reason_open(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate);
// Returns the reason against a block that costs more than it saves.
const char *reason_cost(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate,
                        const struct block_plan *plan);
// Returns the reason against a block that overlaps the chosen `rival`. `around`: the rival contains
// it.
const char *reason_rival(struct arena *arena, const struct ir_module *module,
                         const struct ir_function *fn, const struct block_plan *rival, bool around);
