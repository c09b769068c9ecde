// A launch, from the first CTA to the last.
#pragma once
#include "runtime-sim/exec/cta.h"
#include "runtime-sim/exec/stall.h"

struct grid_options {
    uint32_t threads;   // of this machine, for kernels whose CTAs need no order; 0 or 1: one
    uint64_t most_idle; // turns without progress until a run is given up; 0: 1 << 20
};

struct grid_result {
    uint64_t warp_instructions, thread_instructions;
    bool stuck;   // no progress: `stalls` says who waits for whom
    bool stopped; // launch->stop
    struct fault fault;
    struct stalls stalls;
};

// The variables of the module as allocations of the image, with their initial values. NULL, or what
// is wrong.
const char *grid_load(struct image *image, const struct program *program);
// How many CTAs of this shape a GPU of 160 multiprocessors has room for at once: the most that a
// cooperative launch should have. `launch` needs program, function, block and dynamic_shared.
uint64_t grid_room(const struct launch *launch);
// Runs all CTAs. `launch` needs program, function, grid, block, params and image.
void grid_run(struct launch *launch, struct arena *arena, const struct grid_options *options,
              struct grid_result *result);
