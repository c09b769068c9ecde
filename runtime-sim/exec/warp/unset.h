// Registers that a function may read before it has written them. They are 0 in each lane when the
// lane comes into the function, whatever stood in their place: each way to run a kernel has the
// same value then.
#pragma once
#include <stdint.h>

struct code;
struct path;
struct warp;

// Lanes of `mask` come into the function, whose frame is at `frame`.
void unset_enter(struct warp *warp, uint32_t function, uint32_t frame, uint32_t mask);
// For who looks for reads of what nobody has written: the lanes of `mask` are about to execute an
// instruction, for which those of the path have read the guard. Needs warp->check.
void unset_look(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask);
