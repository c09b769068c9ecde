// The passes. Each reads the module, adds to the plan, and returns whether it added anything. A
// pass changes neither the module nor the source: changes are edits in the plan. pipeline.c has
// their order and its reasons.
#pragma once
#include "passes/base/plan.h"

typedef bool pass_function(struct ir_module *module, const struct pass_options *options,
                           struct plan *plan);

// Finds the Load-Compute-Store chains [000 Table 1], and the reasons of loads and stores that are
// in no chain.
pass_function pass_chains;
// Moves a chain's instructions next to each other [000 §4.2], only if `options->reorder`, and
// divides fused multiply-adds that end a chain [000 §5].
pass_function pass_reorder;
// Finds the candidate blocks of TOM [002 §3.1].
pass_function pass_blocks;
