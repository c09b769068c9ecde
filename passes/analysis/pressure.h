// How many registers a thread needs at once.
//
// Registers are counted as PTX has them, in 32-bit units: an assembler may need a few more, for
// addresses that it computes once, or fewer, where it computes a value again.
#pragma once
#include "ir/ir.h"

struct pressure {
    uint32_t registers;  // most 32-bit units that are live at once
    uint32_t predicates; // most that are live at once
    uint32_t at;         // instruction at which most registers are live, or IR_NONE
};

// Linear in the function's liveness. A result counts at the instruction that makes it, used or not.
struct pressure pressure_of(struct arena *scratch, const struct ir_function *fn);
