// A warp one instruction at a time, for whoever owns the time.
//
// issue_next tells what the warp would execute; issue_execute does it. What computes is computed at
// once. A load, store or atomic operation only does its first step: addresses and mask, and what it
// needs of the registers, go to a `struct held`. Its lanes are served later, in any number of parts
// and in any order, by held_serve, which reads or writes memory and registers at that time.
//
// What the owner of the time sees to (slots_used.h says which instruction does what):
// – until the last lane was served, the warp executes nothing that reads or writes a slot that the
//   held instruction writes; what it reads may change, as it was taken along;
// – accesses of one warp to the same bytes are served in the order of their issue;
// – an instruction that drains waits until nothing that its warp has held is left, and one that
//   orders until nothing is left that others must have seen;
// – a warp is not started anew before all that it has held was served.
#pragma once
#include "runtime-sim/exec/memory/touched.h"
#include "runtime-sim/exec/warp/warp.h"

enum held_kind { HELD_LOAD, HELD_STORE, HELD_ATOMIC, HELD_REDUCE }; // reduce: without a result

struct held {
    struct warp *warp;
    const struct code *code; // the instruction
    uint8_t kind;            // held_kind
    bool served; // at issue: only the time is still to be spent, on `touched` (ldmatrix, cp.async,
                 // textures …); `left` is 0, and what follows up to `touched` says nothing
    uint16_t order, scope; // isa_word of .volatile, .relaxed …, as in struct memory_code
    uint16_t cache[4];
    uint32_t mask, left; // lanes that have issued it, and that are still to be served
    // Lanes by where their addresses lead: to the image, to shared memory, to the thread's local
    // memory. A lane is in one of the masks.
    uint32_t global, shared, local;
    uint64_t address[LANES]; // in that space; shared memory of others of the cluster: from
                             // SHARED_STRIDE on
    uint32_t bytes;          // that each lane accesses, at `address`, all elements together
    struct touched touched;
    // For held_serve.
    uint32_t frame;  // of the path
    uint8_t *shadow; // where its slots are instead (shadow.h), or NULL
    bool changed;    // an atomic operation has changed something
    struct access access;
    uint8_t values[] __attribute__((aligned(64))); // of the sources when it was issued
};

// Bytes of a `struct held` for any instruction of the program, a multiple of 64; it is to be
// aligned to as many.
size_t held_bytes(const struct program *program);

enum issue_result {
    ISSUE_DONE,  // executed whole
    ISSUE_HELD,  // *held is to be served
    ISSUE_FAULT, // warp->fault says why
};

// Where the next instruction begins, or goes on for lanes that waited inside it, of the path whose
// turn it is; NULL: no path can go on, or none is left (warp->live is 0). `mask`: the lanes that
// will execute it, by its guard; what the guard reads must not be held.
const struct code *issue_next(struct warp *warp, uint32_t *mask);
// Executes that instruction, all codes that it became: issue_next was the last that was asked of
// the warp. `held` is room for held_bytes, whatever the instruction.
enum issue_result issue_execute(struct warp *warp, struct held *held);
// Second and third step for some of the lanes that are left. False: warp->fault says why.
bool held_serve(struct held *held, uint32_t mask);
