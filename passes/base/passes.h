// The passes. Each takes the module, adds to the plan, and returns whether it added anything.
// A pass changes neither the module nor the source: what is to change is an edit in the plan.
// The order in which they run, and why, is in pipeline.c.
#pragma once
#include "passes/base/plan.h"

typedef bool pass_function(struct ir_module *module, const struct pass_options *options,
                           struct plan *plan);

// Finds the Load-Compute-Store chains [000 Table 1] and says why other loads and stores are in
// none.
pass_function pass_chains;
// Brings a chain's instructions next to each other [000 §4.2] and divides fused multiply-adds that
// end a chain [000 §5]. Does the first only if `options->reorder`.
pass_function pass_reorder;
// Finds the candidate blocks of TOM [002 §3.1].
pass_function pass_blocks;
