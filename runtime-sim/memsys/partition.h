// The address map: the partition (LLC slice with its memory, stack or vault) of an address. Each
// range of addresses has a rule, which can be replaced during a simulation.
//
// Addresses are distributed in chunks. Of `count` consecutive chunks, each partition gets one. So
// each address of a range has a unique local address in its partition.
#pragma once
#include "support/vec.h"

// The partition of a chunk, by its number.
enum partition_rule {
    PARTITION_MODULO,
    // All parts of the number by XOR, which spreads strides of any power of two. Requires a power
    // of two for `count`.
    PARTITION_XOR,
    PARTITION_IPOLY, // the number's ipoly_place (base/ipoly.h)
};

struct partition_range {
    uint64_t first, last; // addresses, both included
    uint32_t count;       // partitions
    enum partition_rule rule;
    uint64_t chunk; // bytes
};

struct partition_map {
    struct arena *arena;
    VEC(struct partition_range) ranges; // ordered by address; together they cover all addresses
};

// Returns false if the range, its count or its chunk is empty, or if its rule does not allow the
// count.
bool partition_is_good(const struct partition_range *range);

// Sets one rule for all addresses; `first` and `last` of `all` are ignored.
void partition_init(struct partition_map *map, struct arena *arena,
                    const struct partition_range *all);
// Replaces the rule for the range's addresses. Requires that these addresses were flushed and
// removed from caches, and that the data in memories were moved.
void partition_replace(struct partition_map *map, const struct partition_range *range);

// Return the range that contains an address, and the partition of an address.
const struct partition_range *partition_range_of(const struct partition_map *map, uint64_t address);
uint32_t partition_of(const struct partition_map *map, uint64_t address);
// Returns the local address within the partition.
uint64_t partition_local(const struct partition_map *map, uint64_t address);
// Returns the address that has this local address in a partition, by one rule.
uint64_t partition_address(const struct partition_range *range, uint32_t partition, uint64_t local);
