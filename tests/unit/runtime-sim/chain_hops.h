// A model of the routes of the packets of a chain of two loads and a store [000 §2, Fig. 3]: hops,
// and hops × flits. A request, an acknowledgement and a ComputePacket have 1 flit, data have 5.
#pragma once
#include "runtime-sim/schemes/llc_omni/emn.h"

struct chain_hops {
    uint32_t hops, weighted;
};

// Returns the hops of plain accesses to both loads' partitions and the store's: one flit there and
// five back, or five there and one back.
static inline struct chain_hops hops_of_accesses(const struct placement *placement, uint32_t from,
                                                 const uint32_t *llc)
{
    struct chain_hops sum = {0, 0};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t distance = placement_distance(placement, from, placement->llc[llc[i]]);
        sum.hops += 2 * distance;
        sum.weighted += (1 + 5) * distance;
    }
    return sum;
}

// Returns the hops without offloading: each load and the store from the core.
static inline struct chain_hops chain_hops_alone(const struct placement *placement, uint32_t core,
                                                 uint32_t first, uint32_t second, uint32_t store)
{
    return hops_of_accesses(placement, core, (const uint32_t[]){first, second, store});
}

// Returns the hops with offloading: one packet to the node, which loads, stores, and sends an
// acknowledgement to the core.
static inline struct chain_hops chain_hops_at(const struct placement *placement, uint32_t core,
                                              uint32_t node, uint32_t first, uint32_t second,
                                              uint32_t store)
{
    struct chain_hops sum =
        hops_of_accesses(placement, node, (const uint32_t[]){first, second, store});
    uint32_t distance = placement_distance(placement, core, node);
    sum.hops += 2 * distance;
    sum.weighted += 2 * distance;
    return sum;
}
