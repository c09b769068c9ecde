// The hardware that a map is for: resources and latencies of one core of the machine.
#pragma once
#include "passes/maps/map.h"

enum { MAP_CORES = 15 }; // SMs of the machine of [003]

struct map_hardware {
#define CONFIG_UINT(name, unit, min, max, initial, source, text) uint32_t name;
#define CONFIG_CHOICE(name, tag, choices, initial, source, text) enum tag { choices } name;
#define CHOICE(constant, word) constant,
#include "passes/maps/hardware.def"
#undef CONFIG_UINT
#undef CONFIG_CHOICE
#undef CHOICE
};

// Returns the hardware of [003].
struct map_hardware map_hardware_initial(void);
// Return the cycles from a node's firing to the arrival of its result, and those between firings.
uint32_t map_latency(const struct map_hardware *hardware, const struct map_node *node);
uint32_t map_interval(const struct map_hardware *hardware, const struct map_node *node);
// Returns the hardware with the data FIFOs that this number of copies of a map gets.
struct map_hardware map_hardware_of(const struct map_hardware *hardware, const struct map *map,
                                    uint32_t copies);
// Returns the entries of the FIFO of an operand (as map_operand).
uint32_t map_capacity(const struct map_hardware *hardware, const struct map_node *node,
                      uint32_t at);
// Returns the first reason why a map does not fit the hardware, as a sentence, or NULL: too many
// cores, units or initial tokens. *node: the node concerned, or MAP_NO_NODE.
const char *map_misfit(struct arena *arena, const struct map_hardware *hardware,
                       const struct map *map, uint32_t *node);
