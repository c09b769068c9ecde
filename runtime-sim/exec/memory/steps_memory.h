// Steps of untimed memory instructions: all three steps of an access at once.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/decode/code.h"

// Cost of an ordered access in units of a warp's turn: a lane that polls memory should not use up
// its turn in polling.
enum { ORDERED_COST = 256 };

// Second step: reads or writes `access->data`. Returns STEP_FAULT for an invalid address.
enum step_result access_memory(struct warp *warp, const struct access *access);

step_fn step_load, step_store, step_atomic, step_discard;
