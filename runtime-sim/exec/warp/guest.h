// Memory at a generic address, for functions of the CUDA runtime.
#pragma once
#include "runtime-sim/exec/warp/warp.h"

// Returns `bytes` bytes at an address of a lane, or NULL if they are not contiguous in its memory.
uint8_t *guest_at(struct warp *warp, uint32_t lane, uint64_t address, uint64_t bytes);
// Copies the string at the address to `to`, truncated to `room` − 1 bytes and NUL-terminated.
// Returns false if it extends beyond the memory.
bool guest_string(struct warp *warp, uint32_t lane, uint64_t address, char *to, size_t room);
