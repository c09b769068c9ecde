// The node that computes a chain in a butterfly with computing routers [000 §6.2]: the last router
// that is shared by the routes from the core to the partitions of all lines of loads and store. All
// these partitions can be reached from there, and their replies pass it. All routes of a core begin
// at one router, so a shared router always exists.
#pragma once
#include "runtime-sim/noc/noc.h"

// Returns the last stage in which packets from any node to both nodes pass the same router.
// Requires a butterfly, and nodes that are not those of routers.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second);
// Returns the last router that the routes from node `from` to all `count` nodes share. Requires at
// least one node.
uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count);
