// Allocation of registers to slots of a frame.
#pragma once
#include "ir/ir.h"

// For each register its slot's offset in the frame, IR_NONE if it is never used. Registers with
// disjoint live ranges share slots, but only with equal width, since lanes of different widths
// would overlap. No register that an instruction reads shares with one that it writes.
struct slots {
    uint32_t *offset;
    // Registers that are live at the function's entry, except for its parameters: their slots are
    // not shared from there on. `written` has a bit for each lane.
    struct slots_unset {
        uint32_t reg, written;
    } * unset;
    uint32_t unset_count;
    uint32_t frame_bytes;
    uint32_t registers; // maximum of live 32-bit registers
};

void slots_assign(struct slots *slots, struct arena *arena, const struct ir_function *fn);
// Returns the bytes of a lane of a register: 0 for a predicate.
uint32_t slots_width(const struct ir_register *reg);
