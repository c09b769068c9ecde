// Execution of CTAs without order, on several threads of the host.
#pragma once
#include "runtime-sim/exec/warp/grid.h"

enum { MOST_IDLE = 1 << 20 }; // default of the turns without progress until a run is aborted

// Runs one CTA until it is complete, waits for an event that cannot occur, or must stop.
enum warp_state grid_run_cta(struct cta *cta, uint64_t most_idle);
// 0 threads: on the calling one. Equivalent to one thread: the same memory if no CTA reads data
// that another writes, the same counts, and of several faults that of the first CTA.
void grid_run_parallel(struct launch *launch, struct memory *memory, uint32_t threads,
                       uint64_t most_idle, struct grid_result *result);
