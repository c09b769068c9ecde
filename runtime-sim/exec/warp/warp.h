// A warp: 32 lanes that run one program, and the paths of its lanes.
//
// A divergent branch splits a path into two. They reconverge at the branch's immediate
// post-dominator: a `join` has the lanes that are expected there, and continues when all have
// arrived or ended. A call is also a join, at the return address, so that lanes that return early
// wait for the others of their call. When lanes wait for each other in a loop, a join lets the
// arrived ones continue without the rest (warp_relieve), so that every lane makes progress.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/fault.h"
#include "runtime-sim/exec/decode/program.h"

enum path_state {
    PATH_READY,
    PATH_BARRIER, // waits for other warps at barrier `wait`
    PATH_LANES,   // waits for other lanes at the same instruction
    PATH_DONE,
};

struct path {
    uint32_t pc;    // next code
    uint32_t mask;  // its lanes
    uint32_t join;  // their next reconvergence point, or IR_NONE
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
    uint32_t pc;       // code of the reconvergence point
    uint32_t expected; // lanes that are expected or have arrived; 0: free
    uint32_t arrived;
    uint32_t parent; // join of the lanes that continue
    uint32_t frame, local, local_end, function;
    const struct call *call; // a return address: the results are copied on arrival
};

enum { TURN = 1 << 12 }; // backward branches of a warp before another one runs

struct cta;
struct touched;
// The members that each issue accesses come first.
struct warp {
    struct cta *cta;
    const struct program *program;
    uint8_t *bases[4]; // by slot_base; the frame of the current path
    VEC(struct path) paths;
    uint32_t lanes;           // lanes that exist
    uint32_t live;            // lanes that have not ended
    uint32_t current;         // current path
    uint32_t cluster_arrived; // lanes that wait for the rest of the cluster, or will wait
    uint64_t warp_instructions, thread_instructions;
    int64_t budget; // remaining backward branches of the turn
    uint8_t *frames;
    struct check *check;     // checks every access to memory, or NULL
    struct profile *profile; // counts executions of each instruction, or NULL
    struct path first_path;  // room for one path
    uint32_t frame_bytes;    // available
    uint32_t hint;           // of image_at
    uint32_t end; // of a detached warp (detached.h): the code at which lanes end; else IR_NONE
    const struct memory_ops *ops;
    uint32_t index;   // in the CTA
    uint32_t first;   // linear thread index of lane 0
    uint32_t reached; // lanes that have reached `end`
    struct arena *arena;
    uint8_t *local; // local memory: local_stride bytes for each lane
    uint32_t local_stride;
    VEC(struct join) joins;
    uint64_t clock;  // number of reads of a clock
    uint64_t writes; // accesses that may have changed memory
    struct fault *fault;
    struct touched *touched;        // records accesses of steps that access memory themselves, or
                                    // NULL
    const struct warp_watch *watch; // follows accesses of a run without time, or NULL
    struct profile_places **places; // for the profile: places of the lanes in each function
    uint32_t again;                 // lanes whose next instruction has been counted before
    union lanes temp[2];
    struct access access;
};

// Functions that follow the accesses to memory of warps that run without time.
struct warp_watch {
    void *context;
    // Called after a load, a store or an atomic operation: warp->access.
    void (*accessed)(void *context, const struct warp *warp);
    // Called after a step that accesses memory itself.
    void (*touched)(void *context, const struct warp *warp, const struct touched *touched);
    struct touched *parts; // for `touched`, with room for TOUCHED_PARTS
};

enum warp_state {
    WARP_DONE,
    WARP_WAITS,  // every path waits for other warps
    WARP_YIELDS, // its budget is spent
    WARP_FAULT,
};

// Lanes execute an instruction again that was already counted for them.
static inline void warp_uncount(struct warp *warp, uint32_t mask)
{
    warp->warp_instructions--; // the counts of a run are added when it ends
    warp->thread_instructions -= (uint32_t)__builtin_popcount(mask);
    warp->again |= mask;
}

// Starts the lanes of `mask` at the function's first code.
void warp_start(struct warp *warp, uint32_t function, uint32_t mask);
// Runs until one of the states; `budget` is refilled by the caller.
enum warp_state warp_run(struct warp *warp);

// Returns the next path in turn that can run, or IR_NONE.
uint32_t warp_next_ready(const struct warp *warp);

// For steps. Pointers to paths are valid until a path or join is made.
void warp_end_lanes(struct warp *warp, uint32_t path, uint32_t mask);
// Ends the lanes of the current path of a detached warp, which have reached warp->end.
void warp_reach_end(struct warp *warp);
// Lanes that continue elsewhere, or end, are no longer expected from `join` up to before `until`.
void warp_leave_joins(struct warp *warp, uint32_t join, uint32_t until, uint32_t mask);
// Lanes arrive at a join; it continues if they were the last.
void warp_arrive(struct warp *warp, uint32_t join, uint32_t mask);
uint32_t warp_new_join(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask);
void warp_fork(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask,
               uint32_t join);
// Releases the arrived lanes of joins that a path in a loop delays.
void warp_relieve(struct warp *warp, const struct path *path);
// Called when no path can continue and some wait for lanes: if these wait at joins, they continue.
// Returns false if none was released.
bool warp_relieve_all(struct warp *warp);
// The same if some wait at a barrier, for a barrier that does not complete for long.
bool warp_relieve_barriers(struct warp *warp);
// Allocates `bytes` of frames and local memory.
void warp_reserve(struct warp *warp, uint32_t frame_bytes, uint32_t local_bytes);
enum step_result warp_fault(struct warp *warp, const struct code *code, uint32_t mask,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

static inline void *warp_slot(const struct warp *warp, uint32_t slot)
{
    return slot_at(warp->bases, slot);
}
