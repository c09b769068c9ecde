// Number of registers that a thread needs at the same time.
//
// Counts PTX's registers in 32-bit units. An assembler may need a few more, for addresses that it
// computes once, or fewer, if it recomputes a value.
#pragma once
#include "ir/ir.h"

struct pressure {
    uint32_t registers;  // maximum number of live 32-bit units
    uint32_t predicates; // maximum number of live predicates
    uint32_t at;         // instruction with the most live registers, or IR_NONE
};

// Computes the pressure of a function, linear in its liveness. A result counts at its definition,
// even if it is not used.
struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn);
