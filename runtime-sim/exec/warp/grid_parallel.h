// Execution of independent CTAs on several host threads.
#pragma once
#include "runtime-sim/exec/warp/grid.h"

enum {
    MOST_IDLE = 1 << 20
}; // default number of turns without progress after which a run is
   // aborted

// Runs a CTA until it is complete, waits for an event that cannot occur, or must stop.
enum warp_state grid_run_cta(struct cta *cta, uint64_t most_idle);
// Runs all CTAs; with 0 threads, on the calling one. The result equals that of one thread: the same
// memory if no CTA reads data that another one writes, the same counts, and if there are several
// faults, that of the first CTA.
void grid_run_parallel(struct launch *launch, struct memory *memory, uint32_t threads,
                       uint64_t most_idle, struct grid_result *result);
