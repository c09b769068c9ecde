// Chains whose loads stand in other basic blocks than the comparison that ends them.
//
// Nothing is moved: the loads are begun where they stand, and are done where the comparison is.
// That changes nothing if
//   - every way from a load leads to the comparison before it leads to the load again or out of the
//     function, and every way to the comparison comes from the load: one load, one comparison;
//   - no branch on the way parts the lanes of a warp: those that load are those that compare;
//   - nothing on the way orders memory, and no store on the way may touch what is loaded;
//   - the load stands before the comparison in the text, where the tags are read in order.
#pragma once
#include "passes/chains/order.h"

struct across {
    struct order *order;
    const struct divergence *divergence;
    uint32_t *met; // per block: the search that has met it last
    uint32_t round;
};

void across_init(struct across *across, struct arena *arena, struct order *order);

// True if the load may be done at the comparison `last`. If not, `why` says what keeps it:
// CROSS_BLOCK, DIVERGES, ALIAS_STORE, BARRIER or OPAQUE. Looks at no more than some thousand
// instructions.
bool across_allows(struct across *across, uint32_t load, uint32_t last, struct obstacle *why);
