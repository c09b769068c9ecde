// The best set of candidates that do not overlap.
#pragma once
#include "support/arena.h"

// A candidate covers [begin, end). Any two candidates are disjoint or nested.
struct block_span {
    uint32_t begin, end;
    double weight;  // saving if chosen; not chosen unless positive
    bool chosen;    // out
    uint32_t rival; // out: if not chosen, an overlapping chosen one, or UINT32_MAX
};

// Chooses the set with the largest sum of weights. Between equal sums, wider spans are preferred.
void select_best(struct arena *scratch, struct block_span *spans, uint32_t count);
