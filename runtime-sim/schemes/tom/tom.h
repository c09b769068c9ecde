// TOM [002]: memory stacks with SMs, and blocks that are offloaded to them. Two schemes: the stacks
// as memory, also of the baseline, and the offloading of blocks.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/tom/stacks.h"

extern const struct scheme_ops tom_stacks, tom_blocks;
