// Memory instructions as a warp's step, without a clock: the three steps of an access at once.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/decode/code.h"

// A lane that reads what others are to write should not spend its whole turn on reading it.
enum { ORDERED_COST = 256 };

// Second step: reads or writes `access->data` as the access says. STEP_FAULT: an address is bad.
enum step_result access_memory(struct warp *warp, const struct access *access);

step_fn step_load, step_store, step_atomic;
