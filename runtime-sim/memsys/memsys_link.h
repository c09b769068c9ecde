// The link of a device to other devices. A request for memory of another device does not enter the
// slice of its partition: it crosses the link, is served, and its reply crosses the link. Both
// directions have a rate, which all partitions share, and a latency. The other device's LLC and
// DRAM are not simulated for it.
#pragma once
#include "runtime-sim/memsys/memsys_state.h"

struct memsys_link_stats {
#define STATS_DEF "runtime-sim/memsys/memsys_link.def"
#include "runtime-sim/base/stats_fields.inc"
};

// Creates the link if the owner's tables have one.
void memsys_link_init(struct memsys *memsys);
// Accepts a request at its partition. Returns false if it is not for the link.
bool memsys_link_accept(struct memsys_partition *partition, uint32_t entry);
// Sends the new requests of a partition. Called in the order of the partitions.
void memsys_link_send(struct memsys_partition *partition, uint64_t time);
// Returns the entry that is served in this clock, or MEMSYS_NONE.
uint32_t memsys_link_serve(struct memsys_partition *partition, uint64_t clock);
// Returns the served entry whose reply is the next one of the partition, or MEMSYS_NONE, and
// removes it.
uint32_t memsys_link_reply(const struct memsys_partition *partition);
void memsys_link_pop(struct memsys_partition *partition);
// Returns the clock in which the partition is due for the link.
uint64_t memsys_link_due(const struct memsys_partition *partition, uint64_t clock);
// Adds the group `peer`.
void memsys_link_stats_add(const struct memsys *memsys, struct stats *stats);
