// Dominance frontiers of single blocks, without a walk over the blocks that they dominate. Private
// to the floor.
#pragma once
#include "ir/ir.h"

struct frontiers;

// `level`: of each reachable block, its depth in the dominator tree.
struct frontiers *frontiers_new(struct arena *arena, const struct ir_function *fn,
                                const uint32_t *level);

struct frontier_list {
    VEC(uint32_t) blocks;
};
// Adds the joins from `joins` in the frontier of a reachable block to the list, each once.
void frontiers_find(const struct frontiers *frontiers, struct arena *arena, uint32_t block,
                    struct ir_run joins, struct frontier_list *list);
