// What has to be moved with a block: its live-ins and live-outs [002 §5.2].
#pragma once
#include "passes/base/plan.h"
#include "passes/analysis/regions.h"

// Where control goes behind the block.
struct block_exit {
    uint32_t block; // to the start of this block, or
    uint32_t tail;  // to the branch or return at the end of this one; IR_NONE twice: to the end
};

struct transfer_count {
    uint32_t registers_in, predicates_in, registers_out, predicates_out;
};

struct transfers;

// Working memory for one function, in `scratch`.
struct transfers *transfers_new(struct arena *scratch, const struct ir_module *module,
                                const struct ir_function *fn, const struct regions *regions);

// Live-ins and live-outs of the units [begin, end), which control enters at one place. They are
// appended to the plan's lists in `arena`, ascending by register, special registers last.
//   - Registers are moved, not versions: a register counts once each way.
//   - Live in is a register of which a value from outside may be read inside. Where values meet at
//     the entry (a loop's counter) that is the one with which the block is entered. A value that
//     passes through without being read is not moved, nor one that nothing ever wrote.
//   - Free are kernel parameters and copies of special registers that are the same in all of the
//     grid, unless the block changes the register.
//   - %tid, %ctaid and their like, read inside, are one live-in per component.
//   - Live out is a register that is written inside and may be read outside afterwards, whichever
//     way control leaves.
struct transfer_count transfers_of(struct transfers *transfers, struct arena *arena, uint32_t begin,
                                   uint32_t end, struct block_plan *plan);
