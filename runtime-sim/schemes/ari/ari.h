// Accelerated reply injection [004]: a memory controller injects replies from split queues, each
// linked to its own virtual channels, through several inputs of the router's crossbar, and with
// priority over packets that pass through the router.
//
// The mechanisms are keys of the reply network (noc/noc.def). The scheme sets them at the nodes of
// the partitions, gives replies their priority, and observes the partitions' network interfaces.
#pragma once
#include "runtime-sim/energy/array.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include <stdio.h>

struct ari_config {
#define CONFIG_DEF "runtime-sim/schemes/ari/ari.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct scheme_ops ari;

// Returns the crossbar inputs for injection [004 §4.2]: the smallest number that can accept the
// flits of `rate` packets per cycle, equation (1); at least 1 and at most `bound`, equation (2).
uint32_t ari_speedup(double rate, double packet_flits, uint32_t bound);
// Returns the bound of equation (2) at a node: the number of outputs of its router, in a mesh those
// to other routers, or the virtual channels of a port if these are fewer.
uint32_t ari_bound(const struct noc_config *network, uint32_t node);
// Return true if the scheme splits the injection queues (ari_supplies), or adds crossbar inputs
// (ari_consumes).
bool ari_supplies(const struct ari_config *config);
bool ari_consumes(const struct ari_config *config);
// Returns the number of queues and links of a controller. Requires ari_supplies.
uint32_t ari_links(const struct ari_config *config, const struct noc_config *network);

// Monitors the network interface of a memory controller: counts the replies that are ready and
// accepted, measures rates per interval, and derives the priority of replies and the number of
// crossbar inputs.

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

// Storage that the scheme adds to a memory controller's network interface and router, and an
// estimate of the area, printed beside the figures of the synthesised design in [004 §6.1].
//
// Assumption: the area of an interface and its router is that of its registers, one flip-flop per
// bit of a queue or buffer, and of its crossbar (runtime-sim/energy/array.h). Cells and pitches are
// those of the library and the process that [004 §6.1] names (45 nm). Control is not counted.

enum ari_part {
    ARI_QUEUES,     // injection queues; the total number of entries does not change
    ARI_POINTERS,   // head, tail and count of each queue
    ARI_PRIORITIES, // in each packet's head flit, which has room for it
    ARI_WAITING,    // wait counters of packets from other routers, one per virtual channel
    ARI_BUFFERS,    // buffers of the router's ports
    ARI_LINKS,      // wires from the interface to the router
    ARI_CROSSBAR,   // crosspoints of the router
    ARI_PARTS
};

struct ari_storage {
    struct {
        uint64_t before, after; // per controller, in bits, wires, or crosspoints times bits
    } part[ARI_PARTS];
    uint32_t controllers; // controllers with these parts
    uint32_t routers;     // routers of both networks
};

// Returns the storage without and with the scheme.
struct ari_storage ari_storage_of(const struct ari_config *config,
                                  const struct machine_config *machine);
// Returns the fraction by which the area of a controller's interface and router grows.
double ari_storage_pair(const struct ari_storage *storage, enum crossbar_layer layer);
// Prints the parts as a table, and the growth in area beside the figures of [004 §6.1].
void ari_storage_print(const struct ari_storage *storage, FILE *to);
