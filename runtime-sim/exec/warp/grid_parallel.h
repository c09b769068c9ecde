// CTAs that need no order, on several threads of this machine.
#pragma once
#include "runtime-sim/exec/warp/grid.h"

enum { MOST_IDLE = 1 << 20 }; // turns without progress until a run is given up, unless told

// With 0 threads on this one. As one thread would: the same memory afterwards if no CTA reads what
// another writes, the same counts, and of several faults that of the first CTA.
void grid_run_parallel(struct launch *launch, struct memory *memory, uint32_t threads,
                       uint64_t most_idle, struct grid_result *result);
