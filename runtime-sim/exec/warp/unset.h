// Registers that a function may read before it has written them. They are 0 in each lane when the
// lane enters the function, independent of the slot's earlier value, so that each way to run a
// kernel has the same value then.
#pragma once
#include <stdint.h>

struct code;
struct path;
struct warp;

// Clears the registers for the lanes of `mask`, which enter the function with its frame at `frame`.
void unset_enter(struct warp *warp, uint32_t function, uint32_t frame, uint32_t mask);
// Checks reads of unwritten registers: the lanes of `mask` are about to execute an instruction, for
// which those of the path have read the guard. Requires warp->check.
void unset_look(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask);
