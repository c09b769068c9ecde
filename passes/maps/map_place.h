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
    uint32_t least;         // proven lower bound of the number of lanes
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
