// Steps, which are instructions other than arithmetic on 32 lanes, and their data.
#pragma once
#include "runtime-sim/exec/decode/code.h"
#include <stdbool.h>
#include <stdint.h>

// bra, brx. `reconvergence` is the code of the reconvergence point; IR_NONE: the function's end.
struct branch {
    uint32_t reconvergence, count;
    bool backward; // a target precedes the branch
    uint32_t *targets;
};

step_fn step_reconverge, step_branch, step_branch_indexed, step_return, step_exit, step_call;
step_fn step_trap, step_breakpoint;
step_fn step_nothing;
step_fn step_clock;         // `attributes`: the read is in a loop that only waits
step_fn step_sleep;         // s[0]: nanoseconds
step_fn step_refused;       // an instruction that cannot be executed was reached
step_fn step_frame_address; // d = address of the offset `value` in the function's local memory

// A decoded call.

// An argument or result of the caller: in its local memory, or in a slot.
struct call_value {
    uint32_t offset; // in the function's part of local memory
    uint32_t bytes;  // 0: an unused result
    uint32_t slot;   // REG_SLOT_NONE: it is in local memory
    uint8_t width;
};

struct warp;
struct path;
struct code;
// Executes a function of the CUDA runtime that has no PTX, for the lanes in `mask`. Returns NULL or
// the error; in the latter case sets `mask` to the lanes from the first failed one on.
struct call;
typedef const char *builtin_fn(struct warp *warp, const struct path *path, const struct call *call,
                               uint32_t *mask);

struct call {
    uint32_t function;   // program function; IR_NONE: given by `handle`
    uint32_t handle;     // slot of the function's handle
    builtin_fn *builtin; // NULL: a PTX function
    uint32_t argument_count, result_count;
    struct call_value *arguments, *results;
};

// A decoded barrier instruction.

enum barrier_reduce { BARRIER_PLAIN, BARRIER_AND, BARRIER_OR, BARRIER_COUNT };

struct barrier_code {
    uint8_t reduce; // barrier_reduce
    bool arrive;    // does not wait
    bool counted;   // s[1] has the number of threads
};

// path->wait of threads that wait for their cluster; not a barrier number.
enum { CLUSTER_WAIT = 1 << 17 };

struct cta;
// Completes the barriers at which enough threads have arrived.
void barrier_check(struct cta *cta);
// Removes all arrivals.
void barrier_clear(struct cta *cta);
// Completes the barrier of the CTA's cluster if all its threads have arrived.
void cluster_barrier_check(struct cta *cta);
