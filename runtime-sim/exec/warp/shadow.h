// Registers of a chain of loads, operations and a store that is issued before its loads complete.
// Its values arrive later, when the warp may have reused the slots.
//
// The results of the chain have separate locations here. A held load is redirected to write to them
// (shadow_capture_load). Computing instructions are captured instead of executed (issue_capture):
// the mask and the sources from outside the chain are copied, so that they may change. When lanes
// of the loads have been served, shadow_compute executes the captured instructions for them. The
// chain ends either in the store, whose held_serve finds its data here (issue_capture_store), or in
// the warp's registers (shadow_finish). Each of these functions handles sets of lanes, in any
// number of steps.
//
// Since slots are shared, the IR version determines whether a source is a result of the chain.
//
// Obligations of the caller:
// – a chain is issued by one path of one warp and has at most SHADOW_INSTS instructions;
// – lanes are computed when all loads of the chain have been served for them, and the store is
//   served, or the result finished, only for computed lanes;
// – in lanes whose guard is false, an instruction keeps the value that its register had at issue;
//   this value must not be a result of the chain, and neither may a guard or an address;
// – results that are not written back (by shadow_finish, shadow_give_load) are lost, so their
//   registers must not be read elsewhere.
#pragma once
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/slots_used.h"

enum { SHADOW_INSTS = 7 }; // maximum instructions per chain

struct shadow_slot;
struct shadow_code;
struct shadow {
    struct warp *warp;
    const struct reg_slots_used *slots;
    uint32_t frame;    // frame of the path
    uint32_t function; // program function
    struct shadow_slot *made, *inside;
    struct shadow_code *first, *last; // captured codes, in order
    uint32_t used;                    // bytes of `room` in use
    uint8_t room[] __attribute__((aligned(64)));
};

// Returns the size of a `struct shadow` for any chain of the program, a multiple of 64, which is
// also its alignment.
size_t shadow_bytes(const struct program *program, const struct reg_slots_used *slots);

// Returns the role that the instruction at this code can have in a chain: a load or store of any
// space but that of parameters, or an instruction that only computes lanes from lanes.
enum shadow_kind { SHADOW_NOTHING, SHADOW_LOAD, SHADOW_COMPUTES, SHADOW_STORE };
enum shadow_kind shadow_kind(const struct code *code);

// Begins a chain of this warp, without captured instructions and results. `slots` are those of the
// program.
void shadow_begin(struct shadow *shadow, struct warp *warp, const struct reg_slots_used *slots);

// Adds a load that the warp has just issued (ISSUE_HELD) and of which no lane was served.
// held_serve then writes to the shadow.
void shadow_capture_load(struct shadow *shadow, struct held *held);
// Removes a load. held_serve then writes to the warp's registers, to which the results of served
// lanes are copied. Returns false, and keeps the load, if a captured instruction reads its result
// or writes the same register.
bool shadow_give_load(struct shadow *shadow, struct held *held);

// Replaces issue_execute for an instruction that is SHADOW_COMPUTES. The warp continues after it,
// and its counters include it. shadow_compute computes its results. Returns ISSUE_DONE.
enum issue_result issue_capture(struct warp *warp, struct shadow *shadow);
// Replaces issue_execute for a SHADOW_STORE. Returns ISSUE_HELD, or ISSUE_DONE if its guard is
// false in all lanes. held_serve stores the results of shadow_compute, for lanes that were
// computed.
enum issue_result issue_capture_store(struct warp *warp, struct shadow *shadow, struct held *held);

// Executes the captured instructions, in order, for these lanes; each instruction only for lanes
// that issued it. A lane is computed once.
void shadow_compute(struct shadow *shadow, uint32_t lanes);
// Copies the results of captured instructions that no other one reads into the warp's registers,
// for these lanes. Used at the end of a chain without a store, and of an aborted chain after the
// loads that shadow_give_load could not remove have been served.
void shadow_finish(struct shadow *shadow, uint32_t lanes);

// Returns the result of the last captured instruction, for comparison or replacement: 32 lanes of
// `width` bytes, or one mask (WIDTH_PREDICATE). `mask` is set to its lanes. Returns NULL if nothing
// was captured.
union lanes *shadow_result(const struct shadow *shadow, uint8_t *width, uint32_t *mask);
