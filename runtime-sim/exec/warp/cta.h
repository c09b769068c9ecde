// A CTA: its warps, its shared memory, its barriers.
#pragma once
#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/exec/warp/warp.h"
#include <stdatomic.h>

enum { BARRIERS = 16, CTA_WARPS = 64 };

// Arrivals at a barrier, per warp, since its last completion.
struct barrier {
    uint32_t arrived[CTA_WARPS];
    uint32_t expected; // threads; 0: all threads of the CTA
    uint32_t trues;    // bar.red: threads whose predicate is true
    uint32_t threads;  // number of threads with a predicate
};

enum { CLUSTER_CTAS = 16 };

// CTAs that run concurrently and access each other's shared memory, by rank.
struct cluster {
    uint32_t count;
    struct cta *ctas[CLUSTER_CTAS];
};

struct check;
struct check_shadow;
struct kernel_sites; // gpu/core
struct map;          // passes/maps
struct profile;
struct textures;

// Time of the machine that executes the launch.
struct launch_time {
    uint64_t cycle; // now
    uint64_t clock; // MHz
    uint32_t cores;
};

// Progress of a launch, for another thread: its CTAs, those that have ended, and warp instructions.
struct launch_counts {
    atomic_uint_fast64_t ctas, ended, instructions;
};

// State that all CTAs of a launch share.
struct spawns;

struct launch {
    const struct program *program;
    uint32_t function; // program function
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared;
    const uint8_t *params;
    struct image *image;
    bool cooperative; // all CTAs are resident from the start, and have a workspace for their
                      // barrier
    const struct textures *textures; // bound textures; may be NULL
    uint64_t params_address;         // address of the parameters in the image
    uint64_t workspace;              // address of a cooperative launch's workspace in the image;
                                     // else 0
    uint32_t id;                     // %gridid
    struct check *check;             // checks races and reads of unwritten bytes; NULL: disabled
    struct profile *profile;         // counts executions of each instruction; NULL: disabled
    struct kernel_sites *sites;      // counts of timed warps; NULL: not counted
    const struct map *map;           // map that hardware may execute instead of warps; NULL: no map
    // Receives the output of printf. NULL: the output is discarded.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    // Source of clocks and %nsmid. NULL: the launch is untimed, and a clock counts its reads.
    const struct launch_time *time;
    struct spawns *spawns;  // takes the launches of its threads; NULL: threads cannot launch
    uint32_t depth;         // number of launches by threads from which it descends
    void *family;           // the owner's record of it and of the launches by its threads
    bool high_lane_later;   // at a divergent branch, the lanes without the highest lane execute
                            // first
    const atomic_int *stop; // a value other than 0 aborts the launch; may be NULL
    // Called between turns by the only thread that runs the launch, so that other threads can use
    // the device. If the launch is `stuck`, which memory written by others can change, it returns
    // false to give up. NULL: no calls, and a launch that is stuck ends.
    bool (*pause)(void *context, bool stuck);
    void *pause_context;
    struct launch_counts *counts; // of a launch without time; NULL: not counted
    // Set before the launch is executed.
    uint8_t *values; // the area BASE_LAUNCH
    uint32_t shared_bytes;
};

struct cta {
    const struct launch *launch;
    uint64_t events; // barriers passed and lanes ended, as a measure of progress
    uint32_t opened; // barriers that completed since the bits were cleared
    uint32_t busy;   // barriers with arrivals; the others are zeroed
    uint32_t place[3];
    uint32_t linear;
    uint32_t rank; // rank in its cluster
    uint32_t core; // core of the machine (%smid); must be set before cta_start
    struct cluster cluster;
    struct check_shadow *shadow; // shadow of its shared memory, if launch->check
    uint32_t threads, warp_count;
    struct warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes;
    struct barrier barriers[BARRIERS];
    bool detached; // only executes a detached warp (detached.h)
    struct fault *fault;
};

// Returns true if the launch is to be aborted.
static inline bool launch_stops(const struct launch *launch)
{
    return launch->stop && atomic_load_explicit(launch->stop, memory_order_relaxed);
}

// Lets other threads use the device. Returns true if a launch that is stuck may continue.
static inline bool launch_pause(const struct launch *launch, bool stuck)
{
    return launch->pause && launch->pause(launch->pause_context, stuck);
}

// Allocates a CTA for launches of this shape. It executes CTAs of the launch one after another.
// `profile` is NULL or the profile of its warps, which no other host thread may use.
struct cta *cta_new(struct arena *arena, const struct launch *launch, struct profile *profile,
                    struct fault *fault);
// Starts the CTA with this linear index, with all threads at the beginning of the kernel.
void cta_start(struct cta *cta, uint32_t linear);
// Runs all warps round-robin, each until it waits, ends or has used up its budget, and repeats this
// while barriers complete. Returns WARP_WAITS if all remaining warps wait for other CTAs.
enum warp_state cta_run(struct cta *cta, int64_t budget);
// For execution by single instructions (issue.h): must be called when no warp of the CTA can
// continue, and when cta->events has not changed for a long time. Lanes that wait at a
// reconvergence point may then continue without those that wait at a barrier. Returns false if no
// lane was released.
bool cta_relieve(struct cta *cta);

// Returns the indices in x, y, z of a lane's CTA and thread.
void lane_coordinates(const struct warp *warp, uint32_t lane, uint32_t cta[3], uint32_t thread[3]);
// Called when lanes of the warp have ended, which may complete barriers.
void cta_lanes_ended(struct warp *warp);

step_fn step_barrier, step_cluster_arrive, step_cluster_wait;

// Special registers, which describe a launch and a warp.

// Fills the area BASE_WARP of a warp with the values that differ between lanes and warps of a CTA.
// Called once.
void special_fill_warp(struct warp *warp);
// Fills the part of that area that differs between CTAs. Called when the CTA has its index.
void special_fill_cta(struct warp *warp);
// Fills the area BASE_LAUNCH.
void special_fill_launch(struct launch *launch, struct arena *arena);
// Allocates zeroed memory for lanes, aligned to 64 bytes.
void *aligned_lanes(struct arena *arena, size_t bytes);
