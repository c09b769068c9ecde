// Functions of the CUDA runtime that device code calls and that have no PTX.
#pragma once
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/warp.h"
#include <stddef.h>

// Read the n-th argument of a lane's call, and write its result, as bits. builtin_bytes reads the
// first bytes of an argument that is longer.
uint64_t builtin_argument(struct warp *warp, const struct path *path, const struct call *call,
                          uint32_t n, uint32_t lane);
void builtin_bytes(struct warp *warp, const struct path *path, const struct call *call, uint32_t n,
                   uint32_t lane, void *to, size_t bytes);
void builtin_result(struct warp *warp, const struct path *path, const struct call *call,
                    uint32_t lane, uint64_t value);

// Returns the function with this name, or NULL.
builtin_fn *builtin_named(const char *name, size_t length);

// Memory at a generic address, for functions of the CUDA runtime.

// Returns `bytes` bytes at an address of a lane, or NULL if they are not contiguous in its memory.
uint8_t *guest_at(struct warp *warp, uint32_t lane, uint64_t address, uint64_t bytes);
// Copies the string at the address to `to`, truncated to `room` − 1 bytes and NUL-terminated.
// Returns false if it extends beyond the memory.
bool guest_string(struct warp *warp, uint32_t lane, uint64_t address, char *to, size_t room);

// printf on the device.

builtin_fn call_vprintf;
