// Functions of the CUDA runtime that device code calls and that have no PTX.
#pragma once
#include "runtime-sim/exec/warp/call.h"
#include <stddef.h>

// Read the n-th argument of a lane's call, and write its result, as bits.
uint64_t builtin_argument(struct warp *warp, const struct path *path, const struct call *call,
                          uint32_t n, uint32_t lane);
void builtin_result(struct warp *warp, const struct path *path, const struct call *call,
                    uint32_t lane, uint64_t value);

// Returns the function with this name, or NULL.
builtin_fn *builtin_named(const char *name, size_t length);
