// Intervals of bytes, and the lines that they touch. Private to the analysis of reuse.
#pragma once
#include "passes/analysis/memory/coalescing_places.h"
#include "support/vec.h"

struct interval {
    int64_t begin, end;
};

struct intervals {
    VEC(struct interval) list;
    VEC(struct interval) spare; // for merging
};

// Adds an interval unless it is empty. Extends the last one if it ends where the new one begins.
void intervals_put(struct arena *arena, struct intervals *to, int64_t begin, int64_t end);
// Sorts, and merges intervals that overlap or adjoin.
void intervals_merge(struct arena *arena, struct intervals *intervals);

// Returns the number of lines that sorted intervals touch, summed over the line / granule places of
// byte 0 in a line that `start` allows.
uint64_t intervals_lines(const struct intervals *intervals, const struct start *start);
