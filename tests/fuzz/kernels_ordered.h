// Random kernels whose threads hand words of memory to each other, in an order that barriers,
// fences and atomics make: full of chains, and without races. The same seed gives the same kernel.
#pragma once
#include "tests/fuzz/kernels.h"

void kernel_make_ordered(struct random_kernel *kernel, struct arena *arena, uint64_t seed);
