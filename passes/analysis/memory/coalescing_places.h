// Starts of warps within lines, for the coalescing and the reuse of accesses, and the bytes of a
// warp's access.
#pragma once
#include "passes/analysis/affine/affine.h"
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

// The bytes of a warp's access, and the number of their lines and sectors.

// Bytes that the lanes touch, relative to the first byte of lane 0: ascending ranges with gaps
// between.
struct access_pattern {
    int64_t first[WARP_LANES], last[WARP_LANES];
    uint32_t count;
};

// Builds the pattern of lanes that touch `bytes` bytes each from their offsets. Sorts the offsets.
void pattern_of_bytes(struct access_pattern *pattern, int64_t *at, uint32_t count, uint32_t bytes);
// Builds the pattern of the active lanes.
void pattern_of_lanes(struct access_pattern *pattern, const struct affine_lanes *lanes,
                      uint32_t bytes);
// Returns the number of units of 2^shift bytes that are touched if the first lane starts at byte
// `place` of a unit.
uint32_t pattern_units(const struct access_pattern *pattern, int64_t place, unsigned shift);
