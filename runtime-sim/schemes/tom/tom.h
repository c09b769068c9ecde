// TOM [002]: offloads blocks to the SMs of memory stacks (schemes/stacks).
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/stacks/stacks.h"

extern const struct scheme_ops tom_blocks;
