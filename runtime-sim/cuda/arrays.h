// Arrays of texels, and textures.
#pragma once
#include "runtime-sim/cuda/work.h"

// Returns the array of a handle, or NULL.
struct cuda_array *array_of(struct cuda *cuda, const void *handle);
// Returns the side of a copy that starts at this byte, row and slice of the array.
struct cuda_side array_side(const struct cuda_array *array, uint64_t x, uint64_t y, uint64_t z);
