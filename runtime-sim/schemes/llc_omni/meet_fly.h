// The node of a chain in a butterfly with computing routers [000 §6.2]: the last router that the
// routes from the core to the partitions of all its lines, loads and store, share. All of these
// partitions can be reached from there, and their replies pass it. All routes of a core begin at
// one router, so that a shared router always exists.
#pragma once
#include "runtime-sim/noc/noc.h"

// Returns the last stage in which packets from any node to both nodes pass one router. Requires a
// butterfly, and nodes that are not those of routers.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second);
// Returns the last shared router on the routes from node `from` to these nodes, at least one.
uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count);
