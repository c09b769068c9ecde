// The bytes of a warp's access, and the number of their lines and sectors. Private to coalescing.
#pragma once
#include "passes/analysis/affine/affine.h"

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
