// Prices of the parts of the memory system, by which the adaptive policy compares the ways to
// compute a chain.
//
// The part that is busiest limits the time of a program. A flit is worth as much as the use of the
// parts that it passes: the price of a part is the eighth power of its use, so that the busiest
// part determines a comparison, and so that two parts in equal use count equally. If each instance
// of each chain takes its cheapest way, the use of the busiest part falls to the lowest that can be
// reached (the prices are weights of the multiplicative method for problems of this kind).
//
// The parts are the two ports of each node in each network, through which its flits enter and
// arrive, the channels between the routers of each network, the port of each slice, and the buffer
// of each service queue. The channels of a network have one price for each hop, the mean of theirs.
// A chain has an entry of a buffer for many cycles, and counts as this number of flits, divided by
// the entries.
//
// The use of a part is its number of flits or accesses in a window of PRICES_WINDOW cycles, divided
// by the maximum. An average with the windows before is the hysteresis. The cores read the prices
// of the last window.
#pragma once
#include "runtime-sim/schemes/llc_omni/service.h"

enum {
    PRICES_WINDOW = 256, // cycles
    PRICES_KEEPS = 4,    // the last window is one part of this number in an average
    PRICES_FULL = 1024,  // price of a part that is always in use
    PRICES_HOPS = 5,     // hops to which a flit at the busiest part corresponds
    PRICES_LIMITS = 896, // demand from which on a port limits the program
    PRICES_NETWORKS = 2, // enum memsys_network
};

struct prices_part {
    uint64_t counted; // counter at the start of the window
    uint32_t use;     // average use; PRICES_FULL: always
    uint32_t price;   // from 1, not in use, to PRICES_FULL + 1
};

struct prices {
    const struct memsys *memsys;
    uint64_t next, begun;            // end and start of the window, in cycles of the cores
    uint64_t cycle[PRICES_NETWORKS]; // start of the window in cycles of the network
    uint32_t partitions;
    struct prices_part *enters[PRICES_NETWORKS], *arrives[PRICES_NETWORKS]; // by node
    struct prices_part *channel[PRICES_NETWORKS]; // by channel of noc_channel
    struct prices_part *slices;                   // by partition
    // By node: flits of partitions' ports that offloading has saved, as one number for requests
    // that arrive and one for replies that enter; those at the start of the window; the average use
    // without offloading.
    int64_t *relief[PRICES_NETWORKS], *relieved[PRICES_NETWORKS];
    int64_t *demand[PRICES_NETWORKS];
    int64_t most_demand;
    struct service *services; // by endpoint
    uint32_t ends;
    struct prices_part *buffers; // by endpoint
    uint64_t *chains;            // chains that had an entry of the buffer before the window
    uint32_t *hold;              // cycles that a chain has one, divided by the entries
    uint64_t slice_clocks,
        per_cycles;                // clocks of a slice's ports in `per_cycles` cycles of the cores
    uint32_t hop[PRICES_NETWORKS]; // price of a hop
    uint32_t busiest;              // largest price of a part
};

// Returns prices that are equal for all parts. The memory system and the service queues of all
// `ends` endpoints must stay valid.
struct prices *prices_new(struct arena *arena, const struct memsys *memsys,
                          const struct memsys_config *config, struct service *services,
                          uint32_t ends);
// Ends the window. Called in the cycle `prices->next`, or later if nothing was in flight until
// then.
void prices_update(struct prices *prices, uint64_t now);
// Returns the price of a flit from one node to another one over `hops` hops; 0 within a node.
static inline uint32_t prices_way(const struct prices *prices, enum memsys_network network,
                                  uint32_t from, uint32_t to, uint32_t hops)
{
    if (from == to)
        return 0;
    return prices->enters[network][from].price + prices->arrives[network][to].price +
           hops * prices->hop[network];
}
// Notes that an exchange of flits between a node and that of a partition was saved by offloading;
// negative numbers: that it was added.
static inline void prices_relieve(struct prices *prices, uint32_t node, int64_t there, int64_t back)
{
    prices->relief[MEMSYS_REQUESTS][node] += there;
    prices->relief[MEMSYS_REPLIES][node] += back;
}
// Returns true if a port of a partition would limit the program without offloading.
static inline bool prices_limit(const struct prices *prices)
{
    return prices->most_demand >= PRICES_LIMITS;
}
// Returns the price of a chain's stay in the buffer of an endpoint's service queue.
static inline uint64_t prices_stay(const struct prices *prices, uint32_t endpoint)
{
    return (uint64_t)prices->buffers[endpoint].price * prices->hold[endpoint];
}
