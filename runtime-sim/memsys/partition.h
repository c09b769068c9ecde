// Which of several partitions (LLC slices with their memory, stacks, vaults) an address belongs to:
// a rule for each range of addresses, which can be replaced while the simulation runs.
//
// Addresses go to the partitions in chunks. Within each group of as many chunks as there are
// partitions every partition gets one, so that an address has a local address in its partition, and
// no two addresses have the same.
#pragma once
#include "support/vec.h"

enum partition_rule {
    PARTITION_MODULO, // chunk number mod count
    PARTITION_XOR,    // all parts of the chunk number by XOR: strides of any power of two spread;
                      // needs a power of two for `count`
};

struct partition_range {
    uint64_t first, last; // addresses, both included
    enum partition_rule rule;
    uint32_t count; // partitions
    uint64_t chunk; // bytes
};

struct partition_map {
    struct arena *arena;
    VEC(struct partition_range) ranges; // by address; they cover all
};

// False if the range or what it counts is empty, or its rule needs another count.
bool partition_is_good(const struct partition_range *range);

// One rule for all addresses; `first` and `last` of `all` are not looked at.
void partition_init(struct partition_map *map, struct arena *arena,
                    const struct partition_range *all);
// From now on the rule is that of these addresses. What caches hold of them must have been flushed
// and dropped before, and what memories hold moved: they would look for it elsewhere.
void partition_replace(struct partition_map *map, const struct partition_range *range);

const struct partition_range *partition_range_of(const struct partition_map *map, uint64_t address);
uint32_t partition_of(const struct partition_map *map, uint64_t address);
// The address within its partition.
uint64_t partition_local(const struct partition_map *map, uint64_t address);
// The address that has this local one in a partition, by one rule.
uint64_t partition_address(const struct partition_range *range, uint32_t partition, uint64_t local);
