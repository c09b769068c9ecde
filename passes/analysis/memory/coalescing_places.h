// Starts of warps within lines, for the coalescing and the reuse of accesses.
#pragma once
#include "passes/analysis/memory/coalescing.h"

// Known part of the address of lane 0: `value` modulo `granule`, a power of two.
struct start {
    uint64_t value;
    uint64_t granule;
};

// Returns the start of a warp's access within its line.
struct start coalescing_start(const struct coalescings *c, const struct affine *address,
                              uint32_t warp, uint32_t bytes);
// Returns the number of warps of a block that are evaluated: whole ones, or the only one; 1 for an
// unknown shape.
uint32_t coalescing_warps(const struct block_shape *shape);
// Computes the part of the address that depends on the warp's position, with `tid` of its first
// thread. Returns false if it is unknown.
bool coalescing_warp_offset(const struct coalescings *c, const struct affine *address,
                            const uint32_t tid[3], int64_t *offset);
