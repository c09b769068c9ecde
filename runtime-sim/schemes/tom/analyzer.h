// The memory-map analyzer [002 §4.3] records, for each instance of a candidate block, the stacks
// that it would touch under ten mappings. These use two consecutive address bits, 7:8 to 16:17.
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

// An instance, which has 40 bits in hardware.
struct map_instance {
    uint64_t touched; // set of touched stacks: bit 4 · pair + stack
    uint32_t base;    // set of stacks touched under the machine's mapping
    uint64_t first;   // address of the first access
};

// Records the access of an instance to a line. `stack` is that of the machine's mapping.
void map_note(struct map_stats *stats, struct map_instance *instance, uint64_t address,
              uint32_t stack);
// Counts an instance that has ended, and resets it. Instances without accesses are not counted.
void map_end(struct map_stats *stats, struct map_instance *instance);

// Returns the lowest bit of the best pair, or 0 without instances. On a tie the lowest pair wins,
// under MAP_ONE the best by MAP_HOME.
uint32_t map_best(const struct map_stats *stats, enum map_metric metric);
// Returns the number of instances that touch one stack under the pair whose lowest bit is `bit`; 0
// if `bit` is 0.
uint64_t map_one(const struct map_stats *stats, uint32_t bit);
// Sets the members that depend on others. `chosen` is the lowest bit of the pair in use, or 0.
void map_settle(struct map_stats *stats, enum map_metric metric, uint32_t chosen);
