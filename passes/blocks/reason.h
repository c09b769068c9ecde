// Sentences on why candidate blocks are rejected.
#pragma once
#include "passes/analysis/cost/transfer.h"
#include "passes/blocks/candidates.h"

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
