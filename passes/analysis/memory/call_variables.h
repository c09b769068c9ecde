// Variables in parameter space that a body declares: arguments and results of calls. They are in
// memory of the warp, so a block that moves to a memory stack must contain all instructions that
// name such a variable, or no such instruction.
#pragma once
#include "ir/ir.h"

// An instruction that names a variable, and the first and the last one that name the same variable.
struct call_mention {
    uint32_t inst, first, last;
};

struct call_variables {
    VEC(struct call_mention) list; // by instruction
};

// Lists the mentions in a function. Variables whose address is in a register share one range with
// all accesses through registers. Linear in the operands.
void call_variables_find(struct call_variables *variables, struct arena *arena,
                         const struct ir_module *module, uint32_t function);
// Returns an instruction in [first, last] that names a variable which is also named outside, or
// IR_NONE.
uint32_t call_variables_cut(const struct call_variables *variables, uint32_t first, uint32_t last);
