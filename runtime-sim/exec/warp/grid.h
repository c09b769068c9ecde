// A launch, from the first CTA to the last.
#pragma once
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/stall.h"

struct grid_options {
    uint32_t threads;   // of this machine, for kernels whose CTAs need no order; 0 or 1: one
    uint64_t most_idle; // turns without progress until a run is given up; 0: 1 << 20
    // Warp instructions after which the run ends, at the end of a CTA's turn; 0: no limit. With one
    // the CTAs run in a fixed order.
    uint64_t most_instructions;
};

struct grid_result {
    uint64_t warp_instructions, thread_instructions;
    bool stuck;   // no progress: `stalls` says who waits for whom
    bool stopped; // launch->stop
    bool limited; // so many cycles, or instructions, were wanted
    struct fault fault;
    struct stalls stalls;
};

// The variables of the module as allocations of the image, with their initial values. NULL, or what
// is wrong.
const char *grid_load(struct image *image, const struct program *program);
// How many CTAs of this shape a GPU of 160 multiprocessors has room for at once: the most that a
// cooperative launch should have. `launch` needs program, function, block and dynamic_shared.
uint64_t grid_room(const struct launch *launch);
// For who runs the CTAs otherwise: what a launch needs before the first of them, with memory that
// lives until grid_end. False: `fault` says why it cannot run; grid_end is to be called all the
// same.
bool grid_begin(struct launch *launch, struct arena *arena, struct fault *fault);
void grid_end(struct launch *launch);
// CTAs of a cluster, and the linear index of one by its cluster and its rank in it. Those of one
// cluster begin together, and their memory is in use until the last of them has ended.
uint32_t grid_cluster_ctas(const struct launch *launch);
uint32_t grid_cta(const struct launch *launch, uint64_t cluster, uint32_t rank);
// Takes what the CTA's warps have counted.
void grid_count(struct grid_result *result, struct cta *cta);
// Runs all CTAs. `launch` needs program, function, grid, block, params and image.
void grid_run(struct launch *launch, struct arena *arena, const struct grid_options *options,
              struct grid_result *result);
