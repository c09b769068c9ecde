// The search for an order of nodes on a ring with few arcs over each gap.
#pragma once
#include "passes/maps/map_hardware.h"

enum { MAP_ORDER_NODES = 64 };

struct map_order_problem {
    // By kind (1: memory nodes) and ring position: the first position of this kind at or after it.
    uint32_t *next[2];
    uint32_t nodes; // at most MAP_ORDER_NODES
    uint64_t lsus;  // set of the memory nodes
    uint64_t producers[MAP_ORDER_NODES],
        consumers[MAP_ORDER_NODES]; // sets, without the node itself
    uint64_t back;      // producers that must wrap if the order follows the edges without tokens
    uint32_t positions; // positions of the ring that the nodes may use
    uint32_t copies;    // number of copies that each wrapping arc crosses
    uint32_t states;    // maximum number of states of the exact search
};

struct map_order {
    uint8_t node[MAP_ORDER_NODES];
    uint32_t wraps;  // arcs over the first gap
    uint64_t states; // examined states
    bool is_cut;     // the search was cut: an order may exist even if it was not found
};

// Finds an order with at most `lanes` arcs over each gap of the ring, counting all copies. Examines
// all circular orders unless they have too many states; then only many of them. Returns false if it
// finds no order.
bool map_order_find(struct map_order *order, struct arena *arena,
                    const struct map_order_problem *problem, uint32_t lanes);
// Returns the first ring position at or after `from` that the node may have, or `positions`.
uint32_t map_order_position(const struct map_order_problem *problem, uint32_t node, uint32_t from);
