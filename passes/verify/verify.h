// The checker: proves that the output is equivalent to the input.
//
// It shares only the IR and the alias analysis with the passes. It splits both texts into
// statements again and shows for each function that the output equals the input except for
//   - the order of instructions between two labels, directives, braces, branches …, such that each
//     register read has the same definition, each register has the same final definition, and no
//     two accesses to memory that may touch the same bytes have changed their order;
//   - copies of .loc directives, such that each instruction has the same one in force;
//   - tags, comments and blanks;
//   - with FMA_SPLIT, fused multiply-adds that became an adjacent multiplication and addition with
//     a new register between them.
// It also proves that the chains and blocks of the plan match their records.
#pragma once
#include "passes/base/plan.h"

struct verify_fault {
    uint32_t input;   // offset of the faulty statement in the input
    uint32_t output;  // its offset in the output
    const char *text; // one sentence without a full stop
    uint32_t chain;   // chain or block of the plan whose record is wrong; or IR_NONE
    uint32_t block;
};

struct verified {
    VEC(struct verify_fault) faults; // empty: the output is proven
    uint64_t statements;             // of the input
    uint64_t moved;                  // statements that are in another order
};

// Proves an output. Requires the module as it was read, and the options with the assumptions;
// `output` has `length` bytes and a NUL byte at the end. Adds faults to `to`, at most one per
// place; allocates from `arena`.
void verify_output(struct verified *to, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, const char *output, uint32_t length);

// Proves the plan of this module. The input offset of a fault is that of the chain's or block's
// first instruction; its output offset is 0. Faults are in the order of chains, then of blocks.
void verify_plan(struct verified *to, struct arena *arena, const struct ir_module *module,
                 const struct pass_options *options, const struct plan *plan);
