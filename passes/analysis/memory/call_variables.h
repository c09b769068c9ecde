// Variables in parameter space that a body declares: arguments and results of calls. They lie in
// memory of the warp, so that code in a memory stack has all of the instructions that name one, or
// none.
#pragma once
#include "ir/ir.h"

// An instruction that names a variable, and the first and the last one that do.
struct call_mention {
    uint32_t inst, first, last;
};

struct call_variables {
    VEC(struct call_mention) list; // by instruction
};

// Variables whose address is in a register are one with all accesses through registers. Linear in
// the operands.
void call_variables_find(struct call_variables *variables, struct arena *arena,
                         const struct ir_module *module, uint32_t function);
// Returns an instruction among [first, last] that names a variable which an instruction outside
// names, too, or IR_NONE.
uint32_t call_variables_cut(const struct call_variables *variables, uint32_t first, uint32_t last);
