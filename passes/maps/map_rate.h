// The rate of a map: firings of each node per cycle in the steady state, if memory always hits.
//
// Without predicates a map is a marked graph. Its rate is the minimum ratio of tokens to latency
// over its cycles. A FIFO of D entries with d tokens is two edges: one from the producer, with its
// latency and d tokens, and one back, without latency and with D − d tokens, for the free entries.
#pragma once
#include "passes/maps/map_hardware.h"

struct map_edge {
    uint32_t from, to;
    int32_t latency;
    uint32_t tokens;
    uint32_t node, operand; // its FIFO; MAP_NO_NODE: the interval of a node
    bool is_space;          // free entries of the FIFO
};

struct map_graph {
    uint32_t nodes;
    VEC(struct map_edge) edges;
};

// Firings per cycle: tokens / cycles, in lowest terms.
struct map_rate {
    uint64_t tokens, cycles; // of the cycle in the graph that limits the rate
    VEC(uint32_t) cycle;     // its edges in the graph, in order
};

// Makes the graph of a map on this hardware.
void map_graph_make(struct map_graph *graph, struct arena *arena, const struct map *map,
                    const struct map_hardware *hardware);
// Finds the rate and a cycle that limits it. Rate 0: the map stops.
void map_rate_of(struct map_rate *rate, struct arena *arena, const struct map_graph *graph);
// Describes the cycle: "FIFO of 8 between ld and mad: 10 tokens in 19 cycles".
const char *map_rate_text(struct arena *arena, const struct map *map,
                          const struct map_hardware *hardware, const struct map_graph *graph,
                          const struct map_rate *rate);

// Buffers: cores that pass words on, so that a FIFO that limits the rate has more entries

// Returns the map with the pass cores that maximise its rate, with at most `cores` cores in total;
// the map itself if no pass core raises it. Sets *rate.
const struct map *map_buffer(struct arena *arena, const struct map *map,
                             const struct map_hardware *hardware, uint32_t cores,
                             struct map_rate *rate);
