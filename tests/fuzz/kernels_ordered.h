// Random kernels whose threads pass words of memory to each other, in an order from barriers,
// fences and atomics: full of chains, and without races. The same seed gives the same kernel.
#pragma once
#include "tests/fuzz/kernels.h"

void kernel_make_ordered(struct random_kernel *kernel, struct arena *arena, uint64_t seed);
