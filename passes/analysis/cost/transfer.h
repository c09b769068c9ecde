// Values that are moved with a block: live-ins and live-outs [002 §5.2].
#pragma once
#include "passes/base/plan.h"
#include "passes/analysis/divergence/regions.h"

// Where control leaves a block.
struct block_exit {
    uint32_t block; // block that starts at the exit, or IR_NONE
    uint32_t tail;  // block whose final branch or return is the exit; both IR_NONE: the function's
                    // end
};

struct transfer_count {
    uint32_t registers_in, predicates_in, registers_out, predicates_out;
};

struct transfers;

// Allocates working memory for one function in `scratch`.
struct transfers *transfers_new(struct arena *scratch, const struct ir_module *module,
                                const struct ir_function *fn, const struct regions *regions);

// Finds live-ins and live-outs of the units [begin, end), which must have one entry. Appends them
// to the plan's lists in `arena`, ascending by register, special registers last.
//   - Registers are moved, not versions: a register counts once in each direction.
//   - A live-in is a register of which a value from outside may be read inside. At a phi at the
//     entry (a loop's counter) it is the value with which the block is entered. A value that passes
//     through without being read is not moved, nor one that was never written.
//   - Kernel parameters and copies of special registers that are equal in the whole grid are free,
//     unless the block changes the register.
//   - %tid, %ctaid and similar registers that are read inside are one live-in per component.
//   - A live-out is a register that is written inside and may be read outside afterwards, on any
//     exit.
struct transfer_count transfers_of(struct transfers *transfers, struct arena *arena, uint32_t begin,
                                   uint32_t end, struct block_plan *plan);
