// Where a chain is computed in a butterfly whose routers compute [000 §6.2]: at the last router
// that the ways from the core to the partitions of all its lines have in common, loads and store.
// From there all of these can be reached; and what comes back by the same routers passes it. All
// ways of a core begin at one router, so there always is one.
#pragma once
#include "runtime-sim/noc/noc.h"

// The last stage in which packets to both nodes, wherever they come from, pass one router. Needs a
// butterfly, and nodes that are no routers'.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second);
// The router from node `from` to all of these, at least one.
uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count);
