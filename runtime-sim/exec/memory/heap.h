// The heap of malloc and free in kernels.
#pragma once
#include "runtime-sim/exec/memory/image.h"

// Allocates `bytes` zeroed bytes. Returns their address, or 0 if the heap has not enough room.
uint64_t heap_allocate(struct image *image, uint64_t bytes);
// Frees an allocation. Returns false if no live allocation begins at `address`.
bool heap_give(struct image *image, uint64_t address);
// Restores an allocation of an earlier run, above all others. The caller fills it.
struct allocation *heap_restore(struct image *image, uint64_t address, uint64_t bytes);
