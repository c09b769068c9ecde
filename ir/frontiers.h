// Dominance frontiers of single blocks, found without a walk over the blocks that they dominate.
// Private to the floor.
#pragma once
#include "ir/ir.h"

struct frontiers;

// Prepares the queries. `level` is the depth of each reachable block in the dominator tree.
struct frontiers *frontiers_new(struct arena *arena, const struct ir_function *fn,
                                const uint32_t *level);

struct frontier_list {
    VEC(uint32_t) blocks;
};
// Adds to the list, once each, those of the join blocks `joins` that are in the dominance frontier
// of a reachable block.
void frontiers_find(const struct frontiers *frontiers, struct arena *arena, uint32_t block,
                    struct ir_run joins, struct frontier_list *list);
