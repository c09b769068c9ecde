// A network: routers, channels, and a network interface for each node.
//
// noc_send gives a packet to the interface of its source, which divides it into flits. The packet
// is available at the interface of its target (noc_peek, noc_pop) after its tail has arrived there.
// In a cycle all nodes use the interfaces, in any order, and then the network ticks: a packet sent
// in cycle t can enter in cycle t, and an arrival in cycle t is visible after that tick.
//
// In an empty network with all delays 1, a packet of L flits that passes H routers arrives 5·H + 2
// + (L − 1) cycles after its creation: see noc/router.h.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"

struct noc_config {
#define CONFIG_DEF "runtime-sim/noc/noc.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct config_key noc_keys[];
extern const uint32_t noc_key_count;

// Counters of the network and of each class.
struct noc_stats {
#define STATS_DEF "runtime-sim/noc/noc_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// Statistics of a class.
struct noc_class_stats {
#define STATS_DEF "runtime-sim/noc/noc_class.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct noc_packet {
    uint64_t payload; // used by the sender only
    uint64_t created; // start of the packet's latency, in cycles
    uint32_t source, target;
    uint16_t flits;   // at least 1
    uint8_t class;    // below noc_config.classes
    uint8_t priority; // larger is higher; at most NOC_PRIORITIES − 1
    // Set by the network.
    uint64_t entered; // cycle in which the head left the interface
    uint64_t arrived; // cycle in which the tail arrived
    uint16_t routers; // number of routers passed
    uint64_t number;  // number of the packet at its source, from 0
};

enum { NOC_PRIORITIES = 16 };

struct noc;

// Returns the fault of a configuration as a sentence without a full stop, or NULL. Checks
// constraints that the table of keys cannot express.
const char *noc_check(struct arena *arena, const struct noc_config *config);
// Builds a network. Requires a configuration without a fault (noc_check), which is copied.
struct noc *noc_new(struct arena *arena, const struct noc_config *config);

// Returns the number of nodes at the two sides of a butterfly, radix^stages; 0 for other
// topologies. The butterfly need not be built. The nodes at its routers have the numbers that
// follow.
uint32_t noc_fly_terminals(const struct noc_config *config);
// Returns the router of a stage, below `stages`, on the path between two nodes at the sides of a
// butterfly that is not reversed.
uint32_t noc_fly_router(const struct noc_config *config, uint32_t stage, uint32_t from,
                        uint32_t to);

// Returns true if a path from `source` to `target` exists. Only some nodes at the routers of a
// butterfly have none.
bool noc_reaches(const struct noc_config *config, uint32_t source, uint32_t target);

// Sets the number of crossbar inputs of the ports at which a node's flits enter: at least one, and
// at most the number configured. Returns the number set. Takes effect at the next tick.
uint32_t noc_set_entry_speed(struct noc *noc, uint32_t node, uint32_t speed);

// Return the number of nodes and of routers.
uint32_t noc_nodes(const struct noc *noc);
uint32_t noc_routers(const struct noc *noc);
// Returns the flits of a packet of this many bytes, at least 1.
static inline uint32_t noc_flits(const struct noc_config *config, uint32_t bytes)
{
    return bytes ? divide_up(bytes, config->flit_bytes) : 1;
}

// Interfaces

// Returns true if an injection queue of the node has room for the packet and the link to the queue
// is free.
bool noc_can_send(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits);
// Sends a packet, which is copied. Requires noc_can_send in this cycle, before noc_tick, and a
// target that the source reaches. Allocates memory if more packets are in flight than ever before.
void noc_send(struct noc *noc, const struct noc_packet *packet);
// Returns the oldest packet of the class that has arrived completely, or NULL. The result is valid
// until the packet is popped.
const struct noc_packet *noc_peek(const struct noc *noc, uint32_t node, uint32_t class);
// Removes the packet that noc_peek returns, which must exist.
void noc_pop(struct noc *noc, uint32_t node, uint32_t class);
// Returns 64 bits of the set of nodes for which noc_peek returns a packet: node n is bit n mod 64
// of word n / 64.
uint64_t noc_arrivals(const struct noc *noc, uint32_t class, uint32_t word);
// Return the number of packets of the class in the node's injection queues, and of their flits.
uint32_t noc_waiting_packets(const struct noc *noc, uint32_t node, uint32_t class);
uint64_t noc_waiting_flits(const struct noc *noc, uint32_t node, uint32_t class);

// Time

// Evaluates cycle `noc_cycle` and increments it.
void noc_tick(struct noc *noc);
// Returns the number of the next cycle to evaluate.
uint64_t noc_cycle(const struct noc *noc);
// Returns the next cycle in which a tick can change the state if no packet is sent or popped;
// UINT64_MAX if no packet is in flight. Earlier ticks may be skipped.
uint64_t noc_next(const struct noc *noc);
// Skips the ticks before `cycle`, which must not exceed noc_next.
void noc_skip_to(struct noc *noc, uint64_t cycle);
// Evaluates routers and interfaces in a random order in each cycle. Results do not change. 0: in
// the order of their numbers.
void noc_shuffle(struct noc *noc, uint64_t seed);

// Observation

// Return the statistics of the network and of a class.
const struct noc_stats *noc_stats(const struct noc *noc);
const struct noc_class_stats *noc_class_stats(const struct noc *noc, uint32_t class);
// Adds the groups PREFIX and, for each class, PREFIX.CLASS. `classes` has the names of the classes;
// NULL: "class0" and so on.
void noc_stats_add(const struct noc *noc, struct stats *stats, const char *prefix,
                   const char *const *classes);

enum noc_channel_kind { NOC_CHANNEL_INJECTION, NOC_CHANNEL_EJECTION, NOC_CHANNEL_ROUTERS };

// A channel from `from` to `to`, which are nodes or routers.
struct noc_channel {
    enum noc_channel_kind kind;
    uint32_t from, to;
    uint64_t flits; // flits carried so far
};

// Returns the number of channels.
uint32_t noc_channels(const struct noc *noc);
// Returns channel `index`, below noc_channels.
struct noc_channel noc_channel(const struct noc *noc, uint32_t index);

// Adds the utilization of each node, router and channel between routers: PREFIX.node3,
// PREFIX.router3, PREFIX.link3_4. noc_use_refresh updates these statistics.
void noc_use_add(struct noc *noc, struct stats *stats, const char *prefix);
void noc_use_refresh(struct noc *noc);

struct noc_node {
    uint64_t flits_entered; // flits sent from the node into the network
    uint64_t flits_arrived;
    uint64_t queue_sum; // flits in the node's injection queues, summed over cycles
};

// Returns the flit counts of a node so far.
struct noc_node noc_node(const struct noc *noc, uint32_t node);
// Returns the number of flits in the buffers of a router, summed over cycles.
uint64_t noc_buffer_sum(const struct noc *noc, uint32_t router);

// Called when a packet is given to an interface, and when it has arrived completely.
typedef void noc_trace(void *context, const struct noc_packet *packet, bool arrived);
// Sets the trace; NULL: no trace.
void noc_listen(struct noc *noc, noc_trace *trace, void *context);

// Returns the number of packets sent and not popped.
uint64_t noc_in_flight(const struct noc *noc);
// Returns the last cycle in which a flit moved or a packet was sent or popped. If packets are in
// flight and this cycle is long ago, the network is deadlocked.
uint64_t noc_moved_at(const struct noc *noc);
// Returns true if no channel or stage with a known time is in use: until a packet is sent or
// popped, only allocation can make progress.
bool noc_is_still(const struct noc *noc);
// Prints which packets wait for which: each blocked packet, its position, the resource that it
// waits for, and the packet that holds the resource. Prints at most `most` packets.
void noc_report(const struct noc *noc, FILE *to, uint32_t max);
// For tests: checks flits and credits of all buffers and channels, and the order of flits. Returns
// NULL, or the violated invariant as a text.
const char *noc_verify(const struct noc *noc, struct arena *arena);
