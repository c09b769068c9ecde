// Chooses a mapping for each allocation: pairs of bits under which many sampled instances touch
// only one stack.
#pragma once
#include "runtime-sim/schemes/tom/allocations.h"

enum { SAMPLE_LINES = 64 }; // maximum per instance

// Lines of sampled instances, one instance after the other.
struct map_samples {
    VEC(uint64_t) lines; // addresses
    VEC(uint32_t) ends;  // end of each instance in `lines`
};

// Sets `bit` of all ranges: first the common `bit`, then repeatedly the best change of one
// candidate range, while more instances touch one stack. Lines in no candidate range are ignored.
void range_map_choose(const struct map_samples *samples, struct tom_allocations *table,
                      uint32_t bit);
// Returns the number of instances that touch one stack under the bits of the ranges.
uint32_t range_map_one(const struct map_samples *samples, const struct tom_allocations *table);
