// Registers of a chain of loads, computing instructions and a store that is issued without waiting
// for its loads: its values come later, when the warp may have made something else of the slots.
//
// All that the chain makes has places of its own here. A load that is held is told to write to them
// (shadow_take_load). What computes is captured instead of executed (issue_capture): mask and
// sources that the chain has not made are taken along, so that they may change. When lanes of the
// loads have been served, shadow_compute executes for them what was captured, and the chain ends in
// the store, whose held_serve finds its data here (issue_capture_store), or in the warp's registers
// (shadow_finish). Each of these goes by lanes, in any number of parts.
//
// Whether a source was made by the chain is told by its version in the IR: slots are shared.
//
// What the owner of the time sees to:
// – a chain is issued by one path of one warp, SHADOW_INSTS instructions at most;
// – lanes are computed when all loads of the chain have been served for them, and the store is
//   served, or the result finished, for lanes that were computed;
// – where a guard is false in a lane, a member keeps what its register had when it was issued; that
//   is not to have been made by the chain, nor is a guard or an address;
// – what the chain makes and does not give back (by shadow_finish, shadow_give_load) the warp never
//   sees: its registers are not to be read elsewhere.
#pragma once
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/slots_used.h"

enum { SHADOW_INSTS = 7 }; // of one chain

struct shadow_place;
struct shadow_code;
struct shadow {
    struct warp *warp;
    const struct slots_used *slots;
    uint32_t frame;    // of the path
    uint32_t function; // program function
    struct shadow_place *made, *inside;
    struct shadow_code *first, *last; // captured, in order
    uint32_t used;                    // bytes of `room`
    uint8_t room[] __attribute__((aligned(64)));
};

// Bytes of a `struct shadow` for any chain of the program, a multiple of 64; it is to be aligned to
// as many.
size_t shadow_bytes(const struct program *program, const struct slots_used *slots);

// What the instruction that begins at this code can be in a chain: a load or store of any space but
// that of parameters, or one that only computes lanes from lanes.
enum shadow_kind { SHADOW_NOTHING, SHADOW_LOAD, SHADOW_COMPUTES, SHADOW_STORE };
enum shadow_kind shadow_kind(const struct code *code);

// A chain of this warp's begins: nothing is captured, nothing made. `slots` are the program's.
void shadow_begin(struct shadow *shadow, struct warp *warp, const struct slots_used *slots);

// A load that the warp has just issued (ISSUE_HELD), of which nothing was served, is a member:
// held_serve writes to the shadow.
void shadow_take_load(struct shadow *shadow, struct held *held);
// It is none any more: held_serve writes to the warp's registers, and what was served is put there.
// False: a captured instruction reads what it loads, or makes the same register, and it stays.
bool shadow_give_load(struct shadow *shadow, struct held *held);

// Like issue_execute of an instruction that is SHADOW_COMPUTES: the warp goes on behind it, and has
// executed it as far as can be counted; its results are made by shadow_compute. ISSUE_DONE.
enum issue_result issue_capture(struct warp *warp, struct shadow *shadow);
// Like issue_execute of a SHADOW_STORE: ISSUE_HELD, or ISSUE_DONE if its guard is false in all
// lanes. held_serve stores what shadow_compute has made, in lanes for which it was called.
enum issue_result issue_capture_store(struct warp *warp, struct shadow *shadow, struct held *held);

// Executes what was captured, in order, for these lanes as far as each instruction has them. A lane
// is computed once.
void shadow_compute(struct shadow *shadow, uint32_t lanes);
// Puts what captured instructions have made for these lanes, and no other one has read, into the
// warp's registers: the end of a chain without a store, and of one that is given up in the middle,
// when those of its loads that could not be given back have been served.
void shadow_finish(struct shadow *shadow, uint32_t lanes);

// What the last captured instruction has made, for comparing or replacing it: 32 lanes of `width`
// bytes, or one mask (WIDTH_PREDICATE). `mask`: the lanes that it has. NULL: nothing was captured.
union lanes *shadow_result(const struct shadow *shadow, uint8_t *width, uint32_t *mask);
