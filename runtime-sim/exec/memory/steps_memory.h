// Steps of untimed memory instructions: all three steps of an access at once.
#pragma once
#include "runtime-sim/exec/decode/code.h"
#include "runtime-sim/exec/memory/access.h"

// Cost of an ordered access in units of a warp's turn: a lane that polls memory should not use up
// its turn in polling.
enum { ORDERED_COST = 256 };

// Second step: reads or writes `access->data`. Returns STEP_FAULT for an invalid address.
enum step_result access_memory(struct warp *warp, const struct access *access);

step_fn step_load, step_store, step_atomic, step_discard;

// Steps that compute with addresses and steps for the stack, and their data.

// code->value is the bytes per lane of the first source.
struct space_code {
    uint16_t space; // for isspacep
    uint8_t width;  // width of the address
    uint32_t align; // for alloca
};

step_fn step_shared_to_generic, step_generic_to_shared, step_local_to_generic,
    step_generic_to_local;
step_fn step_map_shared, step_map_generic, step_rank_shared, step_rank_generic;
step_fn step_is_in_space;
step_fn step_alloca, step_stack_save, step_stack_restore;
step_fn step_order; // fence, membar: no effect
