// Chains whose comparison is in another basic block than their loads.
//
// No instruction is moved: the loads are issued at their places and complete at the comparison.
// This is equivalent if
//   - every path from a load reaches the comparison before it reaches the load again or leaves the
//     function, and every path to the comparison comes from the load: one load, one comparison;
//   - no branch on the path diverges: the same lanes load and compare;
//   - no instruction on the path orders memory, and no store on the path may write the loaded data;
//   - the load precedes the comparison in the text, where the tags are read in order.
#pragma once
#include "passes/chains/order.h"

struct across {
    struct order *order;
    const struct divergence *divergence;
    uint32_t *met; // per block: last search that reached it
    uint32_t round;
};

// Prepares queries about one function.
void across_init(struct across *across, struct arena *arena, struct order *order);

// Returns true if the load may complete at the comparison `last`. Otherwise sets `why`:
// CROSS_BLOCK, DIVERGES, ALIAS_STORE, BARRIER or OPAQUE. Cost: at most some thousand instructions.
bool across_allows(struct across *across, uint32_t load, uint32_t last, struct obstacle *why);
