// Pools of stream-ordered memory.
#pragma once
#include "runtime-sim/cuda/cuda.h"

// Returns the pool of a handle, or NULL.
struct cuda_pool *pool_of(struct cuda *cuda, void *handle);
