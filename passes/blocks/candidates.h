// Candidate blocks of a function: loops at every level, straight-line code, and single-entry
// single-exit regions [002 §3.1.2, §3.1.3].
#pragma once
#include "passes/analysis/memory/effects.h"
#include "passes/blocks/traffic.h"
#include "passes/analysis/divergence/regions.h"
#include "passes/analysis/cost/transfer.h"
#include "passes/analysis/trip/trip.h"

// Counts of a part of the function.
struct block_counts {
    uint64_t loads, stores; // inner loops with a constant trip count multiply (in tx and rx also
                            // those with a measured one), others count once
    uint64_t tx, rx;        // refined traffic of the accesses, see traffic.h
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
