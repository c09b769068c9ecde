// What kernels take with malloc and give back with free.
#pragma once
#include "runtime-sim/exec/memory/image.h"

// The address of `bytes` zeroed bytes; 0: the heap has not as many left.
uint64_t heap_take(struct image *image, uint64_t bytes);
// False if nothing begins there that was taken and not yet given back.
bool heap_give(struct image *image, uint64_t address);
// One that was taken in another run, behind all others; what it holds is the caller's to say.
struct allocation *heap_restore(struct image *image, uint64_t address, uint64_t bytes);
