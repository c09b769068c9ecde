// The memory allocation table [002 §4.3, §6.6]: allocations, and whether candidate blocks have
// accessed them.
#pragma once
#include "support/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct image;

struct tom_range {
    uint64_t first, last; // addresses
    const char *name;
    uint64_t uses;  // lines that candidate blocks have accessed
    bool candidate; // a candidate block has accessed it since the table was filled
    uint32_t bit;   // lowest bit of its own pair; 0: the common pair
};

struct tom_allocations {
    VEC(struct tom_range) ranges; // in the order of addresses
    VEC(const char *) left_out;   // names of allocations without an entry, least used first
};

// Returns true if the address is in an allocation.
bool tom_holds(const struct image *image, uint64_t address);
// Returns the range of an address, or NULL.
struct tom_range *tom_range_at(const struct tom_allocations *table, uint64_t address);
// Adds the allocation of an address, which no range has, without a limit. Returns its range.
struct tom_range *tom_range_add(struct tom_allocations *table, struct arena *arena,
                                const struct image *image, uint64_t address);
// Fills an empty table with all allocations of the host. If there are more than `most`, those with
// the fewest uses in `known` are left out, and among these those with the highest addresses.
// `known` may be NULL.
void tom_allocations_fill(struct tom_allocations *table, struct arena *arena,
                          const struct image *image, const struct tom_allocations *known,
                          uint32_t max);
// Bits of an entry: start, length, and whether a candidate block accesses it [002 §6.6].
enum { TOM_ALLOCATION_BITS = 48 + 48 + 1 };

// Chooses a mapping for each allocation: pairs of bits under which many sampled instances touch
// only one stack.

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
