// The analyses of one function. Each is computed on demand, once, and shared by all passes.
#pragma once
#include "passes/base/plan.h"
#include "passes/analysis/reuse/reuse.h"
#include "passes/analysis/memory/spaces.h"

struct facts {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct pass_options options;
    struct block_shape shape; // .reqntid, else --block, else unknown
    struct reuse_memo *memo;  // of all functions
    struct spaces *spaces;    // of all functions
    // Computed on demand by the functions below.
    const struct divergence *divergence, *certain;
    struct affines *affines;
    struct coalescings *coalescings;
    struct reuses *reuses;
};

// Returns the facts of a function, by its index in module->functions. They are allocated on first
// use, in the plan's arena for facts. All calls must pass the same options.
struct facts *facts_of(struct plan *plan, const struct ir_module *module,
                       const struct pass_options *options, uint32_t function);

// Drops the facts of functions before their memory is freed.
void facts_forget(struct plan *plan, uint32_t first, uint32_t end);

// Returns the divergence for predictions (coalescing, trip counts): a block of unknown shape counts
// as one-dimensional.
const struct divergence *facts_divergence(struct facts *facts);
// Returns the divergence for decisions on which results depend: values that are uniform for every
// shape of the block.
const struct divergence *facts_certain(struct facts *facts);
// Return the other analyses.
struct affines *facts_affines(struct facts *facts);
struct coalescings *facts_coalescings(struct facts *facts);
struct reuses *facts_reuses(struct facts *facts);
