// The analyses of one function, each made once, when it is first asked for, and shared by all
// passes.
#pragma once
#include "passes/base/plan.h"
#include "passes/analysis/reuse.h"

struct facts {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct pass_options options;
    struct block_shape shape; // .reqntid, else --block, else unknown
    // Made on demand: use the functions below.
    const struct divergence *divergence, *certain;
    struct affines *affines;
    struct coalescings *coalescings;
    struct reuses *reuses;
};

// The facts of a function, by its place in module->functions; made on first use and kept in the
// plan's arena. The options are those of the run.
struct facts *facts_of(struct plan *plan, const struct ir_module *module,
                       const struct pass_options *options, uint32_t function);

// For predictions (coalescing, trip counts): a block whose shape is not known is taken as
// one-dimensional.
const struct divergence *facts_divergence(struct facts *facts);
// For decisions that would change results: what is uniform whatever the shape of the block.
const struct divergence *facts_certain(struct facts *facts);
struct affines *facts_affines(struct facts *facts);
struct coalescings *facts_coalescings(struct facts *facts);
struct reuses *facts_reuses(struct facts *facts);
