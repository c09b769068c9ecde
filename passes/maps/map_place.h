// Placement of a map on the ring of cores and load-store units, and its data lanes [003 §4.2].
//
// The ring is directed. A node's result travels from its position to the farthest consumer, and all
// consumers in between read it as it passes: an arc. A node's own FIFO needs no lane. Each arc over
// a gap between two positions needs a lane of its own. The number of lanes is minimised over all
// circular orders of the nodes.
#pragma once
#include "passes/maps/map_hardware.h"

struct map_arc {
    uint32_t from, to;   // nodes: the producer and its farthest consumer
    uint32_t begin, end; // positions; with end < begin the arc passes position 0
    uint32_t copy, lane;
};

struct map_placement {
    uint32_t copies, lanes; // lanes in use
    uint32_t min;           // proven lower bound of the number of lanes
    uint32_t positions;     // of the ring
    uint32_t *position;     // of each node of each copy: copy * nodes + node
    VEC(struct map_arc) arcs;
    uint64_t states; // examined by the search
};

// Returns true if a ring position is that of a load-store unit. Each unit follows its share of the
// cores.
bool map_position_is_lsu(const struct map_hardware *hardware, uint32_t position);

// States of the exact search for an order: as many as the maps of [003] need, and fewer for a
// compiler that tries many maps.
enum { MAP_STATES = 400000, MAP_STATES_FEW = 20000 };

// Places `copies` copies (0: as many as fit, at least one). Returns NULL, or why that is
// impossible, as a sentence.
const char *map_place(struct map_placement *placement, struct arena *arena,
                      const struct map_hardware *hardware, const struct map *map, uint32_t copies,
                      uint32_t states);

// The search for an order of nodes on a ring with few arcs over each gap.

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
