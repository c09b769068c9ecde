// The best set of candidate blocks. The tagger decides by it, and so does a machine that cannot
// have all blocks that the tagger has chosen.
#pragma once
#include "support/arena.h"

// A candidate covers [begin, end). Any two candidates are disjoint or nested.
struct block_span {
    uint32_t begin, end;
    double weight;    // saving if chosen; not chosen unless positive
    bool conditional; // a chosen one may be refused at run time
    bool chosen;      // out
    uint32_t rival;   // out: if not chosen, an overlapping chosen one, or UINT32_MAX
};

// Chooses the set with the largest sum of weights of spans that do not overlap. Between equal sums,
// wider spans are preferred. Within each chosen span that is conditional, chooses the best set of
// the spans in it in the same way: alternatives, for the case that its condition is false.
void select_best(struct arena *scratch, struct block_span *spans, uint32_t count);
