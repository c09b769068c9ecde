// Monitors the network interface of a memory controller: counts the replies that are ready and
// accepted, measures rates per interval, and derives the priority of replies and the number of
// crossbar inputs.
#pragma once
#include "runtime-sim/schemes/ari/ari.h"

struct ari_stats {
#define STATS_DEF "runtime-sim/schemes/ari/ari_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum {
    ARI_SHARES = 8,       // steps of the share of replies with priority
    ARI_INTERVALS = 1024, // bins of the histogram of replies per interval
};

struct ari_controller {
    const struct ari_config *config;
    uint32_t node, bound; // network node; bound of equation (2)
    uint32_t speed;       // current number of crossbar inputs for injection
    uint32_t share, turn; // replies with priority, of ARI_SHARES; sum of shares since the last one
    // Current interval: number, packets and flits sent, replies left by the last offer, and stall
    // cycles.
    uint64_t number, packets, flits, waiting, stalls;
    bool is_open; // an interval has begun
    // Network cycle of the last offer, replies stalled in it, and whether it accepted one.
    uint64_t cycle, stalled;
    bool accepted;
    uint64_t count[ARI_INTERVALS]; // intervals by number of replies; the last bin has all above
    struct ari_stats stats;
};

// Initialises the controller at a network node. `bound` is the result of ari_bound.
void ari_controller_init(struct ari_controller *controller, const struct ari_config *config,
                         uint32_t node, uint32_t bound);
// Counts an offer of the controller. The first offer of an interval ends the previous interval.
// `request_flits` is the size of the request that the reply answers.
void ari_controller_offer(struct ari_controller *controller, const struct memsys_offer *offer,
                          uint32_t request_flits);
// Returns the priority with which a reply enters the network; 0 is the lowest. Call it once per
// reply.
uint8_t ari_controller_priority(struct ari_controller *controller,
                                const struct memsys_request *reply);
// Updates the statistics. The current interval is counted when the next one begins.
void ari_controller_settle(struct ari_controller *controller, const struct noc *network);
