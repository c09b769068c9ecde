// The order of instructions that an assembler would give a thread.
#pragma once
#include "ir/ir.h"

// Orders the instructions of each basic block as list scheduling does: of those whose operands are
// ready, the one with the longest path of latencies to the block's end is next, so that loads are
// early and their users late. Where more than `registers` 32-bit registers would be live, the order
// of the text continues. Barriers, atomic and ordered accesses, calls and whatever else affects
// other threads keep their places between the same instructions, and accesses that may be to the
// same memory keep their order, so results are the same. Ids of instructions change; operands keep
// theirs. Requires a function with a body.
void ir_schedule(const struct ir_module *module, struct ir_function *fn, uint32_t registers);
