// --fma=split: a fused multiply-add becomes a multiplication, which ends its chain, and an
// addition.
#pragma once
#include "passes/base/plan.h"

// Adds to the plan's edits what divides the fused multiply-adds of its split chains. The product
// goes into a new register of the function. Both instructions say how they round, so that no
// assembler fuses them again; they stand in the lines that the old one stood in.
// Returns whether there are any.
bool split_fused(const struct ir_module *module, struct plan *plan);
