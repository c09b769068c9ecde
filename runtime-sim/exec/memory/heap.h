// The heap of malloc and free in kernels.
#pragma once
#include "runtime-sim/exec/memory/image.h"

// Allocates `bytes` zeroed bytes. Returns their address, or 0 if the heap has not enough room.
uint64_t heap_allocate(struct image *image, uint64_t bytes);
// Frees an allocation. Returns false if no live allocation begins at `address`.
bool heap_give(struct image *image, uint64_t address);
// Makes an allocation part of the heap, so that kernels may free it. Its data stay valid. Returns
// false if the heap has not enough room.
bool heap_adopt(struct image *image, uint64_t address);
// Returns the size of the heap in bytes: of its live allocations and of the room that is left.
uint64_t heap_size(const struct image *image);
// Restores an allocation of an earlier run, above all others. The caller fills it.
struct allocation *heap_restore(struct image *image, uint64_t address, uint64_t bytes);
