// The heap of malloc and free in kernels.
#pragma once
#include "runtime-sim/exec/memory/image.h"

// Returns the address of `bytes` zeroed bytes, or 0 if the heap has less room.
uint64_t heap_take(struct image *image, uint64_t bytes);
// Returns false if no live allocation begins there.
bool heap_give(struct image *image, uint64_t address);
// Restores an allocation of an earlier run, above all others; the caller fills it.
struct allocation *heap_restore(struct image *image, uint64_t address, uint64_t bytes);
