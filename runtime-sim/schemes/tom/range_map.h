// A mapping for each allocation: pairs of bits that together let the most sampled instances touch
// one stack.
#pragma once
#include "runtime-sim/schemes/tom/allocations.h"

enum { SAMPLE_LINES = 64 }; // of an instance, at most

// Lines of sampled instances, each instance up to its end in `lines`.
struct map_samples {
    VEC(uint64_t) lines; // addresses
    VEC(uint32_t) ends;
};

// Sets `bit` of the candidate ranges: that of all to begin with, then the best change of one range,
// as long as more instances touch one stack. Lines of no range do not count.
void range_map_choose(const struct map_samples *samples, struct tom_allocations *table,
                      uint32_t bit);
// Returns the instances that touch one stack under the bits of the ranges.
uint32_t range_map_one(const struct map_samples *samples, const struct tom_allocations *table);
