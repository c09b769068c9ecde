// --fma=split: divides a fused multiply-add into a multiplication, which ends its chain, and an
// addition.
#pragma once
#include "passes/base/plan.h"

// Adds the edits that divide the fused multiply-adds of split chains. The product is written to a
// new register of the function. Both instructions have an explicit rounding mode, so that no
// assembler fuses them again, and keep the lines of the original.
void split_fused(const struct ir_module *module, struct plan *plan);
