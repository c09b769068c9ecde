// Execution of a launch, from its first to its last CTA.
#pragma once
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/stall.h"

struct grid_options {
    uint32_t threads;  // host threads, for kernels whose CTAs need no order; 0 counts as 1
    uint64_t max_idle; // turns without progress after which a run is aborted; 0: 1 << 20
    // Warp instructions after which the run ends, at the end of a CTA's turn; 0: no limit. With a
    // limit, CTAs run in a fixed order.
    uint64_t max_instructions;
};

struct grid_result {
    uint64_t warp_instructions, thread_instructions;
    bool stuck;   // no progress; `stalls` has the waiting warps
    bool stopped; // stopped by launch->stop
    bool limited; // the limit of cycles or instructions was reached
    struct fault fault;
    struct stalls stalls;
};

// Allocates the module's variables from index `first` on in the image, with their initial values.
// Returns NULL or the error.
const char *grid_load(struct image *image, const struct program *program, uint32_t first);
// Returns the number of CTAs of this shape that a GPU with 160 multiprocessors can hold, which is
// the limit of a cooperative launch. Requires the members program, function, block and
// dynamic_shared of `launch`.
uint64_t grid_room(const struct launch *launch);
// Returns the size of a CTA's shared memory. Requires the members program, function and
// dynamic_shared of `launch`.
uint32_t grid_shared_bytes(const struct launch *launch);
// For callers that run the CTAs themselves: prepares a launch. Its memory is valid until grid_end.
// Returns false and sets `fault` if the launch is not possible; grid_end must be called
// nevertheless.
bool grid_begin(struct launch *launch, struct arena *arena, struct fault *fault);
// Frees the launch's own allocations in the image.
void grid_end(struct launch *launch);
// Return the number of CTAs per cluster, and the linear index of the CTA with this cluster and
// rank. CTAs of a cluster start together, and their memory is in use until the last of them has
// ended.
uint32_t grid_cluster_ctas(const struct launch *launch);
uint32_t grid_cta(const struct launch *launch, uint64_t cluster, uint32_t rank);
// Adds the counts of the CTA's warps to the result.
void grid_count(struct grid_result *result, struct cta *cta);
// Runs all CTAs. Requires the members program, function, grid, block, params and image of `launch`.
void grid_run(struct launch *launch, struct arena *arena, const struct grid_options *options,
              struct grid_result *result);

// Execution of independent CTAs on several host threads.

enum {
    MAX_IDLE = 1 << 20
}; // default number of turns without progress after which a run is
   // aborted

// Runs a CTA until it is complete, waits for an event that cannot occur, or must stop. `alone`: no
// other thread runs the launch, so that it may pause.
enum warp_state grid_run_cta(struct cta *cta, uint64_t max_idle, bool alone);
// Runs all CTAs; with 0 threads, on the calling one. The result equals that of one thread: the same
// memory if no CTA reads data that another one writes, the same counts, and if there are several
// faults, that of the first CTA.
void grid_run_parallel(struct launch *launch, struct memory *memory, uint32_t threads,
                       uint64_t max_idle, struct grid_result *result);

// Detects warps that repeat a state of registers and paths. If all resident warps do so and memory
// has not changed in between, the launch never ends.

struct repeat_warp {
    uint64_t state;
    uint32_t seen; // number of times that the state was seen again
};

struct repeats {
    struct arena *arena;
    VEC(struct repeat_warp) warps; // of all CTAs, in order
};

// Records the states of the CTAs' warps.
void repeats_mark(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// Compares the states with the recorded ones. Returns true if each was seen again. Requires the
// CTAs of repeats_mark; for other CTAs, records their states.
bool repeats_look(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// Calls repeats_mark or repeats_look when it is due. Must be called after each turn of all CTAs;
// `idle` is the number of turns without progress.
bool repeats_turn(struct repeats *repeats, struct cta *const *ctas, uint32_t count, uint64_t idle);
