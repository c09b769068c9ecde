// The best set of candidates that do not overlap.
#pragma once
#include "support/arena.h"

// A candidate covers [begin, end); any two are apart or one lies within the other.
struct block_span {
    uint32_t begin, end;
    double weight;  // what choosing it saves; not above 0: never chosen
    bool chosen;    // out
    uint32_t rival; // out: if not chosen, a chosen one that it overlaps, or UINT32_MAX
};

// Chooses the set with the largest sum of weights; between equal sums, the wider spans.
void select_best(struct arena *scratch, struct block_span *spans, uint32_t count);
