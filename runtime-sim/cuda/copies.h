// Copies and sets as works.
#pragma once
#include "runtime-sim/cuda/work.h"

// Sets both sides of a copy. `kind` is what the program says of them. Returns an error.
int copy_sides(struct cuda *cuda, struct cuda_copy *copy, void *to, size_t to_pitch,
               const void *from, size_t from_pitch, int kind);
int copy_3d(struct cuda *cuda, const struct cuda_copy3d *from, struct cuda_copy *to);
// The same for one side that the driver describes, which is read or written.
int copy_driver_side(struct cuda *cuda, const struct driver_side3d *from, struct cuda_side *to);
// Issues a copy or a set. `waits`: the call returns when it is done.
int copy_issue(struct cuda *cuda, const struct cuda_copy *copy, void *handle, bool waits);
int set_issue(struct cuda *cuda, const struct cuda_set *set, void *handle, bool waits);
