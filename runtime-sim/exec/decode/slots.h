// Allocates slots of a frame to registers.
#pragma once
#include "ir/ir.h"

// The offset in the frame of each register's slot; IR_NONE if the register is never used. Registers
// with disjoint lifetimes share slots if they have equal width, since lanes of different widths
// would overlap. A register that an instruction reads never shares with one that it writes.
struct slots {
    uint32_t *offset;
    // Registers that are live on entry to the function, other than its parameters. Their slots are
    // not shared from there on. `written` is the offset of a mask of lanes.
    struct slots_unset {
        uint32_t reg, written;
    } * unset;
    uint32_t unset_count;
    uint32_t frame_bytes;
    uint32_t registers; // maximum of live 32-bit registers
};

// Assigns slots to the registers of a function.
void slots_assign(struct slots *slots, struct arena *arena, const struct ir_function *fn);
// Returns the bytes per lane of a register; 0 for a predicate.
uint32_t slots_width(const struct ir_register *reg);
