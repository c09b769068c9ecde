// Bytes at a generic address, as functions of the run-time read them.
#pragma once
#include "runtime-sim/exec/warp/warp.h"

// Where `bytes` at the address lie for one lane, or NULL: not in one piece of its memory.
uint8_t *guest_at(struct warp *warp, uint32_t lane, uint64_t address, uint64_t bytes);
// The string at the address, copied to `to`, cut to `room` − 1 bytes and ended by 0. False: it
// leaves the memory that there is.
bool guest_string(struct warp *warp, uint32_t lane, uint64_t address, char *to, size_t room);
