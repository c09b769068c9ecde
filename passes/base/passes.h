// The passes. Each reads functions of the module and adds to the plan. A pass changes neither the
// module nor the source: changes are edits in the plan. pipeline.c has their order and its reasons.
#pragma once
#include "passes/base/plan.h"

// The functions that a pass works on, and the destination of its results.
struct pass_work {
    const struct ir_module *module;
    const struct pass_options *options;
    struct plan *plan;
    uint32_t first, end; // range of functions
    uint32_t chain;      // the first chain of these functions in the plan
    void *state;         // of this pass, for the whole module
};

struct function_pass {
    // Returns the state that calls of `run` share, allocated in the arena. May be NULL.
    void *(*begin)(struct arena *arena, const struct ir_module *module);
    void (*run)(const struct pass_work *work);
    // Adds results that depend on all functions. May be NULL.
    void (*finish)(const struct ir_module *module, struct plan *plan);
};

// Finds the Load-Compute-Store chains [000 Table 1], and the reasons of loads and stores that are
// in no chain.
extern const struct function_pass pass_chains;
// Moves a chain's instructions next to each other [000 §4.2], only if `options->reorder`, and
// divides fused multiply-adds that end a chain [000 §5].
extern const struct function_pass pass_reorder;
// Finds the candidate blocks of TOM [002 §3.1].
extern const struct function_pass pass_blocks;

// Compiles kernels to maps for spatial cores [003], only if `options->maps`.
extern const struct function_pass pass_maps;

// Runs a pass over all functions. Returns true if it added anything to the plan.
bool pass_all(const struct function_pass *pass, const struct ir_module *module,
              const struct pass_options *options, struct plan *plan);
