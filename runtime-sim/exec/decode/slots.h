// Registers → slots of a frame.
#pragma once
#include "ir/ir.h"

// Per register its slot's offset in the frame, IR_NONE if it is never used. Registers whose lives
// do not overlap share; those of different widths never do, as a lane of one would lie over another
// lane of the other. Nothing that an instruction reads shares with what it writes.
struct slots {
    uint32_t *offset;
    // Registers that are live where the function begins, its parameters left out: their slots are
    // theirs from there on. `written` has room for a bit of each lane.
    struct slots_unset {
        uint32_t reg, written;
    } * unset;
    uint32_t unset_count;
    uint32_t frame_bytes;
    uint32_t registers; // 32-bit registers that are in use at once, at most, if values keep theirs
};

void slots_assign(struct slots *slots, struct arena *arena, const struct ir_function *fn);
// Bytes of a lane of a register: 0 for a predicate.
uint32_t slots_width(const struct ir_register *reg);
