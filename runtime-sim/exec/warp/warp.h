// A warp: 32 lanes that run one program, and the paths of its lanes.
//
// A divergent branch splits a path into two. They reconverge at the branch's immediate
// post-dominator: a `reconvergence` records the lanes that are expected there, and continues when
// all have arrived or ended. A call is also a join, at the return address, so that lanes that
// return early wait for the others of their call. If lanes wait for each other in a loop, a join
// lets the arrived lanes continue without the rest (warp_relieve), so that every lane makes
// progress.
#pragma once
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/memory/access.h"
#include <stdbool.h>
#include <stdint.h>

// The reason for which a launch ended early, and its place.

enum { FAULT_TEXT = 256, FAULT_NEAREST = 160 };

// Resources that a launch needs of a machine.
struct launch_needs {
    uint32_t threads, registers; // threads per CTA; registers per thread
    uint32_t shared_bytes;       // per CTA
    uint64_t together;           // CTAs that must be resident at once, at least 1
    uint32_t cluster;            // CTAs per cluster
};

struct fault {
    bool happened;
    bool refused; // no thread has run, because the launch does not fit the machine for the
                  // reason in `text`
    struct launch_needs needs; // of a refused launch
    uint32_t launch;           // id of the launch
    char text[FAULT_TEXT];
    uint32_t function, inst; // program function and instruction
    uint32_t cta[3], thread[3];
    uint64_t needs_word; // address of an empty word that a load needs; 0: another fault
    bool has_address;
    uint64_t address;
    char nearest[FAULT_NEAREST]; // description of the location, or ""
};

enum path_state {
    PATH_READY,
    PATH_BARRIER, // waits for other warps at barrier `wait`
    PATH_LANES,   // waits for other lanes at the same instruction
    PATH_DONE,
};

struct path {
    uint32_t pc;            // next code
    uint32_t mask;          // lanes on this path
    uint32_t reconvergence; // their next reconvergence point, or IR_NONE
    uint32_t frame;         // start of its registers in the warp's frames
    uint32_t local;         // start of its function's part of local memory
    uint32_t local_end;
    uint32_t function; // program function
    uint8_t state;     // path_state
    uint32_t wait;     // for PATH_BARRIER: number of the barrier
};

struct call;
struct memory_ops;
struct profile;
struct lane_positions;
struct reconvergence {
    uint32_t pc;       // code of the reconvergence point
    uint32_t expected; // lanes that are expected or have arrived; 0: the join is free
    uint32_t arrived;
    uint32_t parent; // next join of the lanes that continue
    uint32_t frame, local, local_end, function;
    const struct call *call; // for a return address: call whose results are copied on arrival
};

enum { TURN = 1 << 12 }; // backward branches of a warp before another warp runs

struct cta;
struct touched;
struct bulk;
// The members that each issue accesses come first.
struct warp {
    struct cta *cta;
    const struct program *program;
    uint8_t *bases[4]; // by reg_slot_base; the frame is that of the current path
    VEC(struct path) paths;
    uint32_t lanes;           // lanes that exist
    uint32_t live;            // lanes that have not ended
    uint32_t current;         // current path
    uint32_t cluster_arrived; // lanes that have arrived at the cluster's barrier
    uint64_t warp_instructions, thread_instructions;
    int64_t budget; // backward branches left in this turn
    uint8_t *frames;
    struct check *check;     // checks every access to memory, or NULL
    struct profile *profile; // counts executions of each instruction, or NULL
    struct path first_path;  // room for the first path
    uint32_t frame_bytes;    // size of `frames`
    uint32_t hint;           // for image_at
    uint32_t end; // for a detached warp (detached.h), the code at which lanes end; else IR_NONE
    const struct memory_ops *ops;
    uint32_t index;   // index in the CTA
    uint32_t first;   // linear thread index of lane 0
    uint32_t reached; // lanes that have reached `end`
    struct arena *arena;
    uint8_t *local; // local_stride bytes per lane
    uint32_t local_stride;
    VEC(struct reconvergence) reconvergences;
    uint64_t clock;  // an untimed warp's clock: see read_clock
    uint64_t slept;  // ns of nanosleep
    uint64_t skip;   // cycles that the next poll of the clock in a waiting loop adds
    uint64_t writes; // number of accesses that may have changed memory
    struct fault *fault;
    struct touched *touched; // records accesses by steps that access memory themselves; may
                             // be NULL
    struct bulk *bulk; // records bulk copies, which complete later; NULL: they complete at once
    const struct warp_watch *watch; // observes the accesses of an untimed run; may be NULL
    struct lane_positions **places; // for the profile: positions of the lanes in each function
    uint32_t again;                 // lanes whose next instruction was already counted
    union lanes temp[2];
    struct access access;
};

// Callbacks that observe the memory accesses of untimed warps.
struct warp_watch {
    void *context;
    // Called after a load, store or atomic operation, which is in warp->access.
    void (*accessed)(void *context, const struct warp *warp);
    // Called after a step that accesses memory itself.
    void (*touched)(void *context, const struct warp *warp, const struct touched *touched);
    struct touched *parts; // buffer for `touched`, with room for TOUCHED_PARTS
};

enum warp_state {
    WARP_DONE,
    WARP_WAITS,  // every path waits for other warps
    WARP_YIELDS, // its budget is used up
    WARP_FAULT,
};

// Removes lanes from the counts that will execute an already counted instruction again.
static inline void warp_uncount(struct warp *warp, uint32_t mask)
{
    warp->warp_instructions--; // the counts of the run are added at its end
    warp->thread_instructions -= (uint32_t)__builtin_popcount(mask);
    warp->again |= mask;
}

// Starts the lanes in `mask` at the function's first code.
void warp_start(struct warp *warp, uint32_t function, uint32_t mask);
// Runs until the warp reaches one of these states. The caller refills `budget`.
enum warp_state warp_run(struct warp *warp);

// Returns the next path, in round-robin order, that can run, or IR_NONE.
uint32_t warp_next_ready(const struct warp *warp);

// Ends lanes of a path. For steps, like the following functions. Pointers to paths are valid until
// a path or join is created.
void warp_end_lanes(struct warp *warp, uint32_t path, uint32_t mask);
// Ends the lanes of the current path of a detached warp, which have reached warp->end.
void warp_reach_end(struct warp *warp);
// Removes lanes that continue elsewhere, or end, from the expected lanes of the joins from
// `reconvergence` up to and without `until`.
void warp_leave_reconvergences(struct warp *warp, uint32_t reconvergence, uint32_t until,
                               uint32_t mask);
// Adds lanes that arrive at a join, which continues if they are the last.
void warp_arrive(struct warp *warp, uint32_t reconvergence, uint32_t mask);
// Creates a join for lanes of a path. Returns its index.
uint32_t warp_new_reconvergence(struct warp *warp, const struct path *from, uint32_t pc,
                                uint32_t mask);
// Creates a path for lanes of another one, at `pc`.
void warp_fork(struct warp *warp, const struct path *from, uint32_t pc, uint32_t mask,
               uint32_t reconvergence);
// Releases the arrived lanes of joins that a path in a loop delays.
void warp_relieve(struct warp *warp, const struct path *path);
// Called when no path can continue and some wait for lanes: lanes that wait at joins continue.
// Returns false if none was released.
bool warp_relieve_all(struct warp *warp);
// As above, but for paths that wait at a barrier which does not complete for a long time.
bool warp_relieve_barriers(struct warp *warp);
// Allocates at least these bytes of frames and of local memory per lane.
void warp_reserve(struct warp *warp, uint32_t frame_bytes, uint32_t local_bytes);
// Reports a fault of the first lane in `mask`. Returns STEP_FAULT.
enum step_result warp_fault(struct warp *warp, const struct code *code, uint32_t mask,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

// Returns the lanes of a slot in the current frame.
static inline void *warp_register_lanes(const struct warp *warp, uint32_t slot)
{
    return reg_slot_lanes(warp->bases, slot);
}

// Registers that a function may read before writing them. They are set to 0 in each lane that
// enters the function, regardless of the slot's earlier value, so that all ways to run a kernel
// give the same values.

struct code;
struct path;
struct warp;

// Clears the registers for the lanes in `mask`, which enter the function with its frame at `frame`.
void unset_enter(struct warp *warp, uint32_t function, uint32_t frame, uint32_t mask);
// Checks for reads of unwritten registers before the lanes in `mask` execute an instruction, whose
// guard all lanes of the path have read. Requires warp->check.
void unset_look(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask);
