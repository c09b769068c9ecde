// Cycle equivalence: classes of edges of a graph that are on the same cycles.
#pragma once
#include "support/arena.h"

struct cycle_edge {
    uint32_t from, to;
};

// Partitions the edges of a connected multigraph into classes: two edges have the same number if
// every cycle with one of them has the other, too. Directions are ignored; in a strongly connected
// directed graph the classes are those of its directed cycles. An edge on no cycle has a class of
// its own. Requires room for `count` numbers in `classes`. Returns the number of classes. Linear in
// the graph.
uint32_t cycle_classes(struct arena *scratch, uint32_t nodes, const struct cycle_edge *edges,
                       uint32_t count, uint32_t *classes);
