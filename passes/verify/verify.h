// The checker of our own work: is the output what the input says?
//
// It shares nothing with the passes that decide and write but the IR and the alias analysis. Both
// texts are split into statements again, and for each function it is shown that the output is the
// input but for
//   - the order of instructions between two labels, directives, braces, branches …, such that every
//     register that is read has the same definition behind it, every one is left with the same, and
//     no two accesses to memory that may touch the same bytes have changed places;
//   - copies of .loc directives, such that each instruction has the same in force;
//   - tags, comments and blanks;
//   - with FMA_SPLIT, fused multiply-adds that became a multiplication and an addition, next to
//     each other, with a new register between them.
// And of the plan: that the chains and blocks in it are what they are said to be.
#pragma once
#include "passes/base/plan.h"

struct verify_fault {
    uint32_t input;   // offset in the input: of the statement that is not as it should be
    uint32_t output;  // the same in the output
    const char *text; // one sentence without a full stop
    uint32_t chain;   // of the plan, that is not what it is said to be; or IR_NONE
    uint32_t block;
};

struct verified {
    VEC(struct verify_fault) faults; // none: the output is proven
    uint64_t statements;             // of the input
    uint64_t moved;                  // that stand in another order
};

// Needs the module as it was read, and the options that say what may be taken for granted of it;
// `output` has `length` bytes and a NUL byte behind them. Faults go to `to`, up to one per place;
// memory is taken from `arena`.
void verify_output(struct verified *to, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, const char *output, uint32_t length);

// Needs the plan of this module. The input's offset of a fault is that of the chain's or block's
// first instruction; that of the output is 0. Faults come in the order of chains, and of blocks.
void verify_plan(struct verified *to, struct arena *arena, const struct ir_module *module,
                 const struct pass_options *options, const struct plan *plan);
