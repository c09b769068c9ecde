// Sentences for the reasons why candidate blocks are rejected.
#pragma once
#include "passes/analysis/cost/bandwidth.h"
#include "passes/blocks/candidates.h"

// The block has an instruction that cannot be moved.
const char *reason_barred(struct arena *arena, const struct ir_module *module,
                          const struct ir_function *fn, uint32_t inst, enum plan_rule rule);
// The instruction names a variable of a call, and so does one outside of the block.
const char *reason_cut(struct arena *arena, const struct ir_module *module,
                       const struct ir_function *fn, uint32_t inst);
// The block has several exits, or none.
const char *reason_open(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate);
const char *reason_cost(struct arena *arena, const struct ir_module *module,
                        const struct ir_function *fn, const struct block_candidate *candidate,
                        const struct block_plan *plan);
const char *reason_rival(struct arena *arena, const struct ir_module *module,
                         const struct ir_function *fn, const struct block_plan *rival, bool around);
