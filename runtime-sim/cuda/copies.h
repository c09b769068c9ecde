// Builds and issues copies and sets. All functions return an error.
#pragma once
#include "runtime-sim/cuda/work.h"

// Sets both sides of a copy. `kind` is the direction that the program declares (enum
// cuda_copy_kind).
int copy_sides(struct cuda *cuda, struct cuda_copy *copy, void *to, size_t to_pitch,
               const void *from, size_t from_pitch, int kind);
// Converts a copy of the runtime library.
int copy_3d(struct cuda *cuda, const struct cuda_copy3d *from, struct cuda_copy *to);
// Converts one side, source or destination, of a copy of the driver.
int copy_driver_side(struct cuda *cuda, const struct driver_side3d *from, struct cuda_side *to);
// Converts a copy of the driver.
int copy_of_driver(struct cuda *cuda, const struct driver_copy3d *from, struct cuda_copy *to);
// Issue a copy or a set to the stream of `handle`. With `waits` the call returns when it has ended.
int copy_issue(struct cuda *cuda, const struct cuda_copy *copy, void *handle, bool waits);
int set_issue(struct cuda *cuda, const struct cuda_set *set, void *handle, bool waits);
