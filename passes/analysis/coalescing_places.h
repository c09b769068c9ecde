// Where warps begin within lines: what the coalescing and the reuse of accesses have in common.
#pragma once
#include "passes/analysis/coalescing.h"

// What is known of the address of lane 0: it is `value` modulo `granule`, a power of two.
struct start {
    uint64_t value;
    uint64_t granule;
};

struct start coalescing_start(const struct coalescings *c, const struct affine *address,
                              uint32_t warp, uint32_t bytes);
// How many warps of a block are looked at: whole ones, or the only one; 1 of an unknown shape.
uint32_t coalescing_warps(const struct block_shape *shape);
// What the terms with %tid are for this thread. False: that is not known.
bool coalescing_warp_offset(const struct coalescings *c, const struct affine *address,
                            const uint32_t tid[3], int64_t *offset);
