// The memory-map analyzer [002 §4.3]: for each instance of a candidate block the stacks that it
// would touch under ten mappings, by two consecutive bits of the address from 7:8 to 16:17.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/schemes/tom/decide.h"

enum { MAP_FIRST_BIT = 7, MAP_PAIRS = 10, MAP_STACKS = 4, MAP_BITS = MAP_PAIRS * MAP_STACKS };

struct map_stats {
#define STATS_DEF "runtime-sim/schemes/tom/map_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key map_stat_keys[];
extern const uint32_t map_stat_key_count;

// An instance. In hardware 40 bits.
struct map_instance {
    uint64_t touched; // bit 4 · pair + stack
    uint32_t base;    // the same under the mapping of the machine
    uint64_t first;
};

// A line at this address was accessed; `stack`: of the machine's mapping.
void map_note(struct map_stats *stats, struct map_instance *instance, uint64_t address,
              uint32_t stack);
// The instance is over, and forgotten. Without accesses it does not count.
void map_end(struct map_stats *stats, struct map_instance *instance);

// Returns the lowest bit of the best pair, of equals the lowest; 0: no instance. MAP_ONE: of equals
// the best by MAP_HOME.
uint32_t map_best(const struct map_stats *stats, enum map_metric metric);
// Returns the instances that touch one stack under the pair from this bit on.
uint64_t map_one(const struct map_stats *stats, uint32_t bit);
// Sets the members that depend on others. `chosen`: the pair in use; 0: none.
void map_settle(struct map_stats *stats, enum map_metric metric, uint32_t chosen);
