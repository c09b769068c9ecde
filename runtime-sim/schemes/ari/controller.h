// A memory controller as its network interface sees it: which replies are ready and taken, rates by
// interval, and what follows from these: the priority of replies and the crossbar inputs.
#pragma once
#include "runtime-sim/schemes/ari/ari.h"

struct ari_stats {
#define STATS_DEF "runtime-sim/schemes/ari/ari_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum {
    ARI_SHARES = 8,       // parts in which the share of replies with priority is counted
    ARI_INTERVALS = 1024, // replies in an interval that are counted apart
};

struct ari_controller {
    const struct ari_config *config;
    uint32_t node, bound; // of equation (2)
    uint32_t speed;       // crossbar inputs for injection now
    uint32_t share, turn; // of the replies with priority, in parts; replies since the last one
    // The interval: its number, what was sent and ready in it, and its stall cycles.
    uint64_t number, packets, flits, waiting, stalls;
    bool is_open;
    // The network's cycle of the last offer: replies that it stalls, and whether it accepted one.
    uint64_t cycle, stalled;
    bool accepted;
    uint64_t count[ARI_INTERVALS]; // intervals, by their replies
    struct ari_stats stats;
};

void ari_controller_init(struct ari_controller *controller, const struct ari_config *config,
                         uint32_t node, uint32_t bound);
// Counts an offer of the controller; at the first one of an interval, the interval before it ends.
// `request_flits`: of the request that is replied to.
void ari_controller_offer(struct ari_controller *controller, const struct memsys_offer *offer,
                          uint32_t request_flits);
// Returns the priority of the next reply.
uint8_t ari_controller_priority(struct ari_controller *controller,
                                const struct memsys_request *reply);
// Brings statistics up to date: an interval that has begun counts with its next offer.
void ari_controller_settle(struct ari_controller *controller, const struct noc *network);
