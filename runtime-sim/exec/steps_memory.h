// Memory instructions as a warp's step, without a clock: the three steps of an access at once.
#pragma once
#include "runtime-sim/program/code.h"

// First step: addresses, and where the values lie, to warp->access.
void access_begin(struct warp *warp, const struct path *path, const struct code *code,
                  uint32_t mask);
// Second step: reads or writes what warp->access says. STEP_FAULT: an address is bad.
enum step_result access_memory(struct warp *warp);

step_fn step_load, step_store, step_atomic;
