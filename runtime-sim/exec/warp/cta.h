// A CTA: its warps, its shared memory, its barriers.
#pragma once
#include "runtime-sim/exec/memory/image.h"
#include "runtime-sim/exec/warp/warp.h"
#include <stdatomic.h>

enum { BARRIERS = 16, CTA_WARPS = 64 };

// Who has come to a barrier, per warp, since it last opened.
struct barrier {
    uint32_t arrived[CTA_WARPS];
    uint32_t expected; // threads; 0: all of the CTA
    uint32_t trues;    // bar.red: threads whose predicate holds
    uint32_t threads;  // and all that brought one
    bool busy;
};

enum { CLUSTER_CTAS = 16 };

// CTAs that run at the same time and reach each other's shared memory, by rank.
struct cluster {
    uint32_t count;
    struct cta *ctas[CLUSTER_CTAS];
};

struct check;
struct check_shadow;
struct profile;
struct textures;

// The cycles of a machine that a launch runs on.
struct launch_time {
    uint64_t cycle; // now
    uint64_t clock; // MHz
    uint32_t cores;
};

// What is the same for all CTAs of a launch.
struct launch {
    const struct program *program;
    uint32_t function; // program function
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared;
    const uint8_t *params;
    struct image *image;
    bool cooperative; // all CTAs are there from the start, and have a workspace for their barrier
    const struct textures *textures; // bound to handles; NULL: none
    uint64_t params_address;         // of the parameters, in the image
    uint64_t workspace;              // of a cooperative launch, in the image; else 0
    uint32_t id;                     // %gridid
    struct check *check;     // looks for races and reads of what was never written; NULL: off
    struct profile *profile; // counts what each instruction does; NULL: off
    // What printf prints; NULL: nobody wants it.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    // What clocks and %nsmid tell. NULL: there is no time, a clock counts how often it is read.
    const struct launch_time *time;
    bool high_lane_later; // of a branch that diverges the lanes without the highest one go on first
    const atomic_int *stop; // what is not done is left when this is not 0; NULL: nobody asks
    // Set by launch_prepare.
    uint8_t *values; // the area BASE_LAUNCH
    uint32_t shared_bytes;
};

struct cta {
    const struct launch *launch;
    uint32_t place[3];
    uint32_t linear;
    uint32_t rank; // in its cluster
    uint32_t core; // of the machine, %smid; set before cta_start
    struct cluster cluster;
    struct check_shadow *shadow; // of its shared memory, if launch->check
    uint32_t threads, warp_count;
    struct warp *warps;
    uint8_t *shared;
    uint32_t shared_bytes;
    struct barrier barriers[BARRIERS];
    uint64_t events; // barriers passed and lanes ended: progress
    uint32_t opened; // barriers that have opened, until somebody clears the bits
    bool detached;   // only a place for a detached warp (detached.h)
    struct fault *fault;
};

static inline bool launch_stops(const struct launch *launch)
{
    return launch->stop && atomic_load_explicit(launch->stop, memory_order_relaxed);
}

// Makes a CTA for launches of this shape; it is used for one of the launch's CTAs after the other.
// `profile` is NULL or what its warps count to, which no other thread of this machine may use.
struct cta *cta_new(struct arena *arena, const struct launch *launch, struct profile *profile,
                    struct fault *fault);
// All threads of the CTA with this linear index are at their start.
void cta_start(struct cta *cta, uint32_t linear);
// Runs every warp in turn, each until it waits, ends or its budget is spent, and again while
// barriers open. WARP_WAITS: all that are left wait for what other CTAs do.
enum warp_state cta_run(struct cta *cta, int64_t budget);
// For who executes warps by single instructions (issue.h): to be called when no warp of the CTA can
// go on, and when cta->events has not changed for long. Lanes that wait where they were to meet
// others may go on without those that wait at a barrier. False: nobody was let go.
bool cta_relieve(struct cta *cta);

// Index of a lane's CTA and thread, in x, y, z.
void cta_place(const struct warp *warp, uint32_t lane, uint32_t cta[3], uint32_t thread[3]);
// Some lanes of the warp have ended: barriers may open.
void cta_lanes_ended(struct warp *warp);

step_fn step_barrier, step_cluster_arrive, step_cluster_wait;
