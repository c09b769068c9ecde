// A warp: 32 lanes that run one program, and the paths that its lanes are on.
//
// Lanes that a branch parts become two paths. They meet again at the branch's immediate
// post-dominator: a `join` knows which lanes are to come there, and goes on when all have come or
// have ended. A call is a join too, at the return address, so that lanes that return early wait for
// the others of their call. Where lanes wait for each other in a loop, a join lets those that have
// come go on without the rest (warp_relieve), so that every lane makes progress.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/fault.h"
#include "runtime-sim/exec/decode/program.h"

enum path_state {
    PATH_READY,
    PATH_BARRIER, // waits for other warps at barrier `wait`
    PATH_LANES,   // waits for lanes to come to the same instruction
    PATH_DONE,
};

struct path {
    uint32_t pc;    // next code
    uint32_t mask;  // its lanes
    uint32_t join;  // where they meet others next, IR_NONE
    uint32_t frame; // start of its registers in the warp's frames
    uint32_t local; // start of its function's part of local memory
    uint32_t local_end;
    uint32_t function; // program function
    uint8_t state;     // path_state
    uint32_t wait;     // PATH_BARRIER: its number
};

struct call;
struct memory_ops;
struct profile;
struct profile_places;
struct join {
    uint32_t pc;       // code to go on at
    uint32_t expected; // lanes that are still to come or have come; 0: free
    uint32_t arrived;
    uint32_t parent; // join of the lanes that go on
    uint32_t frame, local, local_end, function;
    const struct call *call; // a return address: the results are copied on arrival
};

enum { TURN = 1 << 12 }; // backward branches of a warp before others go on

struct cta;
struct touched;
struct warp {
    const struct program *program;
    struct cta *cta;
    uint32_t index; // in the CTA
    uint32_t first; // linear thread index of lane 0
    uint32_t lanes; // that exist
    uint32_t live;  // that have not ended
    uint32_t end; // of a detached warp (detached.h): the code before which lanes end; else IR_NONE
    uint32_t reached; // lanes that have come to `end`
    struct arena *arena;
    const struct memory_ops *ops;
    uint8_t *bases[4]; // by slot_base; the frame is that of the path that runs
    uint8_t *frames;
    uint32_t frame_bytes; // there are
    uint8_t *local;       // local memory: local_stride bytes for each lane
    uint32_t local_stride;
    VEC(struct path) paths;
    VEC(struct join) joins;
    uint32_t current; // path that runs
    int64_t budget;   // backward branches until others are to run
    uint32_t hint;    // of image_at
    uint64_t warp_instructions, thread_instructions;
    uint64_t clock;           // times that a clock was read
    uint32_t cluster_arrived; // lanes that wait for the rest of the cluster, or will
    struct fault *fault;
    struct check *check;            // looks at every access to memory, or NULL
    struct profile *profile;        // counts what each instruction does, or NULL
    struct touched *touched;        // where a step accesses memory, or NULL
    struct profile_places **places; // for it: where the lanes are in each function
    uint32_t again; // lanes whose next instruction was counted when they first came to it
    union lanes temp[2];
    struct access access;
};

enum warp_state {
    WARP_DONE,
    WARP_WAITS,  // every path waits for other warps
    WARP_YIELDS, // its budget is spent
    WARP_FAULT,
};

// Lanes that come to an instruction again, which was counted for them when they first did.
static inline void warp_uncount(struct warp *warp, uint32_t mask)
{
    warp->warp_instructions--; // what a run has counted is added when it ends
    warp->thread_instructions -= (uint32_t)__builtin_popcount(mask);
    warp->again |= mask;
}

// The lanes of `mask` start at the function's first code.
void warp_start(struct warp *warp, uint32_t function, uint32_t mask);
// Runs until one of the states; `budget` is refilled by the caller.
enum warp_state warp_run(struct warp *warp);

// The next path that can run, in turn; IR_NONE: none.
uint32_t warp_next_ready(const struct warp *warp);

// For steps. `path` pointers are good until a path or join is made.
void warp_end_lanes(struct warp *warp, uint32_t path, uint32_t mask);
// The lanes of the current path of a detached warp end: they have come to warp->end.
void warp_reach_end(struct warp *warp);
// Lanes that go on elsewhere, or end, are no longer waited for from `join` up to before `until`.
void warp_leave_joins(struct warp *warp, uint32_t join, uint32_t until, uint32_t mask);
// Lanes have come to a join; it goes on if they were the last.
void warp_arrive(struct warp *warp, uint32_t join, uint32_t mask);
uint32_t warp_new_join(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask);
void warp_fork(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask,
               uint32_t join);
// Joins that a path in a loop keeps waiting let go those that have come.
void warp_relieve(struct warp *warp, const struct path *path);
// No path can go on and some wait for lanes: if those wait at joins, they go on. False: they do
// not.
bool warp_relieve_all(struct warp *warp);
// The same where some wait at a barrier, for when it has been closed for too long.
bool warp_relieve_barriers(struct warp *warp);
// Room for `bytes` of frames and local memory.
void warp_reserve(struct warp *warp, uint32_t frame_bytes, uint32_t local_bytes);
enum step_result warp_fault(struct warp *warp, const struct code *code, uint32_t mask,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

static inline void *warp_slot(const struct warp *warp, uint32_t slot)
{
    return slot_at(warp->bases, slot);
}
