// Bytes as intervals, and the lines that these touch. Private to what is found out about reuse.
#pragma once
#include "passes/analysis/coalescing_places.h"
#include "support/vec.h"

struct interval {
    int64_t begin, end;
};

struct intervals {
    VEC(struct interval) list;
    VEC(struct interval) spare; // for merging
};

// Adds one; nothing if it is empty. One that begins in the last joins it.
void intervals_put(struct arena *arena, struct intervals *to, int64_t begin, int64_t end);
// Sorts, and brings together what overlaps or adjoins.
void intervals_merge(struct arena *arena, struct intervals *intervals);

// Lines that sorted intervals touch, summed over all places of byte 0 in a line that `start` leaves
// open: line / granule of them.
uint64_t intervals_lines(const struct intervals *intervals, const struct start *start);
