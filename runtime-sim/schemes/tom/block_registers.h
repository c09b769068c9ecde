// Registers of a block's warp in a stack [002 §6.4]. An offloaded block needs fewer than its
// kernel, since only registers that the block names are sent to the stack.
#pragma once
#include "runtime-sim/schemes/tom/block_table.h"

// Returns an estimate of the 32-bit registers per lane: the maximum that the block names and that
// are live at once. Requires block->begin and block->end.
uint32_t block_registers(struct arena *scratch, const struct ir_function *fn,
                         const struct tom_block *block);
