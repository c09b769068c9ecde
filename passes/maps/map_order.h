// The search for an order of nodes on a ring with few arcs over each gap.
#pragma once
#include "passes/maps/map_hardware.h"

enum { MAP_ORDER_NODES = 64 };

struct map_order_problem {
    // By kind, 1: of a memory node, and ring position: the first position of this kind from there
    // on.
    uint32_t *next[2];
    uint32_t nodes; // at most MAP_ORDER_NODES
    uint64_t lsus;  // set of the nodes that are memory nodes
    uint64_t producers[MAP_ORDER_NODES],
        consumers[MAP_ORDER_NODES]; // sets, without the node itself
    uint64_t back;      // producers that must wrap if nodes follow the edges without tokens
    uint32_t positions; // of the ring that the nodes may use
    uint32_t copies;    // that the arcs of each copy which wrap pass
    uint32_t states;    // that the exact search may look at
};

struct map_order {
    uint8_t node[MAP_ORDER_NODES];
    uint32_t wraps;  // arcs over the first gap
    uint64_t states; // looked at
    bool is_cut;     // the search was cut: no order found does not mean that none exists
};

// Finds an order with at most `lanes` arcs over each gap of the ring, those of all copies together.
// Looks at all circular orders unless they have too many states; then at many of them.
bool map_order_find(struct map_order *order, struct arena *arena,
                    const struct map_order_problem *problem, uint32_t lanes);
// Returns the ring position at or behind `from` that the node may have.
uint32_t map_order_position(const struct map_order_problem *problem, uint32_t node, uint32_t from);
