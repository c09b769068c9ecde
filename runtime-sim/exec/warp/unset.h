// Registers that a function may read before writing them. They are set to 0 in each lane that
// enters the function, regardless of the slot's earlier value, so that all ways to run a kernel
// give the same values.
#pragma once
#include <stdint.h>

struct code;
struct path;
struct warp;

// Clears the registers for the lanes in `mask`, which enter the function with its frame at `frame`.
void unset_enter(struct warp *warp, uint32_t function, uint32_t frame, uint32_t mask);
// Checks for reads of unwritten registers before the lanes in `mask` execute an instruction, whose
// guard all lanes of the path have read. Requires warp->check.
void unset_look(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask);
