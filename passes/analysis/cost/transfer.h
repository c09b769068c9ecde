// Values that are moved with a block: live-ins and live-outs [002 §5.2], and the cost of moving
// them.
#pragma once
#include "passes/analysis/divergence/regions.h"
#include "passes/base/plan.h"
#include "support/gpu.h"
#include <stdbool.h>
#include <stdint.h>

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

// Equations (3) and (4) of TOM: cost and saving of a block on the links to the memory stacks [002
// §3.1.1]. Units: words (an address, a register of one lane), counted exactly in fractions:
// quarters for TOM, the size of an acknowledgement.

// Warp size S_W, cache line over address S_C, Coal_LD = Coal_ST = 1, Miss_LD = 0.5 [002 §3.1.1].
enum { BW_WARP = WARP_LANES, BW_LINE = 32, BW_QUARTERS = 4 };
enum { BW_MAX = INT32_MAX };   // maximum number of accesses per iteration
enum { BW_REFINED = 1 << 16 }; // parts of a word with --cost=refined

struct bandwidth {
    int64_t scale;              // fractions per word; unit of the other members
    int64_t in, out;            // cost of the live values
    int64_t saved_tx, saved_rx; // saving per iteration
};

// Returns cost and saving of TOM's model. A register counts S_W words, a predicate one bit per
// lane: S_W / 32.
struct bandwidth bandwidth_of(uint32_t registers_in, uint32_t predicates_in, uint32_t registers_out,
                              uint32_t predicates_out, uint64_t loads, uint64_t stores);

// Returns cost and saving from fractions of words (BW_REFINED) that the analyses computed.
struct bandwidth bandwidth_refined(uint64_t in, uint64_t out, uint64_t saved_tx, uint64_t saved_rx);

// Return BW_TX and BW_RX in words for a number of iterations; negative numbers save.
double bandwidth_tx(const struct bandwidth *bw, double iterations);
double bandwidth_rx(const struct bandwidth *bw, double iterations);

// Returns the smallest number of iterations, at least 1, from which the change is negative, or 0 if
// it never is.
uint64_t bandwidth_threshold(int64_t cost, int64_t saved);
