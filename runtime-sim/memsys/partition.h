// The address map: the partition (LLC slice with its memory, stack or vault) of an address. Each
// range of addresses has a rule, which can be replaced during a simulation.
//
// Addresses are distributed in chunks. Of `count` consecutive chunks each partition gets one. So an
// address has a local address in its partition that no other address of the range has.
#pragma once
#include "support/vec.h"

struct partition_range {
    uint64_t first, last; // addresses, both included
    uint32_t count;       // partitions
    // Partition of a chunk: all parts of its number by XOR, which spreads strides of any power of
    // two and needs a power of two for `count`; false: its number mod `count`.
    bool is_xor;
    uint64_t chunk; // bytes
};

struct partition_map {
    struct arena *arena;
    VEC(struct partition_range) ranges; // by address; together they cover all addresses
};

// Returns false if the range, its count or its chunk is empty, or its rule needs another count.
bool partition_is_good(const struct partition_range *range);

// Sets one rule for all addresses; `first` and `last` of `all` are ignored.
void partition_init(struct partition_map *map, struct arena *arena,
                    const struct partition_range *all);
// Replaces the rule of the range's addresses. Requires that caches have flushed and dropped these
// addresses, and that the data in memories have been moved.
void partition_replace(struct partition_map *map, const struct partition_range *range);

const struct partition_range *partition_range_of(const struct partition_map *map, uint64_t address);
uint32_t partition_of(const struct partition_map *map, uint64_t address);
// Returns the local address in the partition.
uint64_t partition_local(const struct partition_map *map, uint64_t address);
// The address that has this local one in a partition, by one rule.
uint64_t partition_address(const struct partition_range *range, uint32_t partition, uint64_t local);
