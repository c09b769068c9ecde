// Cycle equivalence: which edges of a graph lie on exactly the same cycles.
#pragma once
#include "support/arena.h"

struct cycle_edge {
    uint32_t from, to;
};

// Puts the edges of a connected multigraph into classes: two edges get the same number if every
// cycle with one of them has the other, too. Directions do not matter; in a strongly connected
// directed graph the classes are those of its directed cycles. An edge on no cycle is alone.
// `classes` has room for `count` numbers. Returns how many classes there are. Linear in the graph.
uint32_t cycle_classes(struct arena *scratch, uint32_t nodes, const struct cycle_edge *edges,
                       uint32_t count, uint32_t *classes);
