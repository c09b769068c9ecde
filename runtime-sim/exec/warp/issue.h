// Execution of a warp by single instructions, for a caller that models time.
//
// issue_next returns the next instruction of the warp; issue_execute executes it. Computations
// complete immediately. A load, store or atomic operation only executes its first step: addresses,
// mask and the register values that it needs are copied to a `struct held`. Its lanes are served
// later, in any number of parts and in any order, by held_serve, which then reads or writes memory
// and registers.
//
// Obligations of the caller (slots_used.h has the properties of instructions):
// – until the last lane is served, the warp must not execute an instruction that reads or writes a
//   slot that the held instruction writes; slots that it reads may change, since they were copied;
// – accesses of one warp to the same bytes must be served in the order of their issue;
// – an instruction that drains must wait until all held accesses of its warp are complete; an
//   instruction that orders must wait until those accesses are complete that others must see first;
// – a warp must not be restarted before all its held accesses are served.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/warp.h"

// reduce: an atomic without a result
enum held_kind { HELD_LOAD, HELD_STORE, HELD_ATOMIC, HELD_REDUCE };

struct held {
    struct warp *warp;
    const struct code *code; // the instruction
    uint8_t kind;            // held_kind
    bool served; // complete at issue, only time remains, for `touched` (ldmatrix, cp.async,
                 // textures …); `left` is 0, and the members up to `touched` are not set
    uint16_t order, scope; // isa_word of .volatile, .relaxed …, as in struct memory_code
    uint16_t cache[4];
    uint32_t mask, left; // lanes that have issued it; lanes not served yet
    // Lanes by the target of their address: the image, shared memory, the thread's local memory. A
    // lane is in one of the masks.
    uint32_t global, shared, local;
    uint64_t address[LANES]; // in that space; shared memory of other CTAs of the cluster starts at
                             // SHARED_STRIDE
    uint32_t bytes;          // bytes that each lane accesses at `address`, for all elements
    struct touched touched;
    // For held_serve.
    uint32_t frame;  // frame of the path
    uint8_t *shadow; // replaces the path's slots (shadow.h); may be NULL
    bool changed;    // an atomic operation has changed memory
    struct access access;
    uint8_t values[] __attribute__((aligned(64))); // values of the sources at issue
};

// Returns the size of a `struct held` for any instruction of the program, a multiple of 64, which
// is also its alignment.
size_t held_bytes(const struct program *program);

enum issue_result {
    ISSUE_DONE,  // executed completely
    ISSUE_HELD,  // *held must be served
    ISSUE_FAULT, // warp->fault has the reason
};

// Returns the code at which the next instruction of the current path begins, or continues for lanes
// that waited inside it. Returns NULL if no path can continue, or if no lane is left (warp->live is
// 0). Sets `mask` to the lanes whose guard is true; the guard must not be the target of a held
// access.
const struct code *issue_next(struct warp *warp, uint32_t *mask);
// Executes that instruction with all its codes. Requires that issue_next was the last call for the
// warp, and that `held` has held_bytes bytes.
enum issue_result issue_execute(struct warp *warp, struct held *held);
// Second and third step for some of the remaining lanes. Returns false and sets warp->fault if an
// address is invalid.
bool held_serve(struct held *held, uint32_t mask);

// The first step of a held access, for issue.c.

// Returns true if the code's access can be held. Accesses to parameters cannot: these are in
// registers or constant memory, which the load/store unit does not access.
bool held_can(const struct code *code);
// Return true for a load or a store, and for a load.
bool held_is_plain(const struct code *code);
bool held_is_load(const struct code *code);
// Returns true if the code accesses memory itself, all at once.
bool held_touches(const struct code *code);
// Executes the first step of an access and stores it in `held`.
void held_begin(struct held *held, struct warp *warp, const struct path *path,
                const struct code *code, uint32_t mask);
