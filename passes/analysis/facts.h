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
    // Computed on demand: use the functions below.
    const struct divergence *divergence, *certain;
    struct affines *affines;
    struct coalescings *coalescings;
    struct reuses *reuses;
};

// Returns the facts of a function, by its place in module->functions. They are allocated at the
// first use, in the plan's arena for facts. The options are those of the run.
struct facts *facts_of(struct plan *plan, const struct ir_module *module,
                       const struct pass_options *options, uint32_t function);

// Forgets the facts of functions, before they are freed.
void facts_forget(struct plan *plan, uint32_t first, uint32_t end);

// For predictions (coalescing, trip counts): a block of unknown shape counts as one-dimensional.
const struct divergence *facts_divergence(struct facts *facts);
// For decisions on which results depend: values that are uniform for every shape of the block.
const struct divergence *facts_certain(struct facts *facts);
struct affines *facts_affines(struct facts *facts);
struct coalescings *facts_coalescings(struct facts *facts);
struct reuses *facts_reuses(struct facts *facts);
