// A network: routers, channels, and a network interface for each node.
//
// A packet is handed to the interface of its source (noc_send), which cuts it into flits; it can be
// taken from that of its target (noc_peek, noc_pop) once its tail has arrived there. In a cycle all
// nodes look at and change the interfaces, in any order, and then the network ticks: what is sent
// in cycle t can enter in cycle t, and what arrives in cycle t is seen from after that tick on.
//
// With no other traffic a packet of L flits that passes H routers arrives 5·H + 2 + (L − 1) cycles
// after its creation, if all delays are 1: see noc/router.h.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"

struct noc_config {
#define CONFIG_DEF "runtime-sim/noc/noc.def"
#include "runtime-sim/base/config_fields.inc"
};

enum noc_topology { NOC_MESH, NOC_CROSSBAR, NOC_FLY };
enum noc_routing { NOC_YX, NOC_XY, NOC_ADAPTIVE };
enum noc_allocator { NOC_ISLIP, NOC_SEPARABLE };
enum noc_injection_vc { NOC_VC_ANY, NOC_VC_OWN };
enum noc_priority_lift { NOC_LIFT_WAITING, NOC_LIFT_INJECTION };
enum noc_vc_reuse { NOC_REUSE_TAIL, NOC_REUSE_WHOLE, NOC_REUSE_EMPTY };

extern const struct config_key noc_keys[];
extern const uint32_t noc_key_count;

// Counters of the network and of each class.
struct noc_stats {
#define STATS_DEF "runtime-sim/noc/noc_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct noc_class_stats {
#define STATS_DEF "runtime-sim/noc/noc_class.def"
#include "runtime-sim/base/stats_fields.inc"
};

struct noc_packet {
    uint64_t payload; // the sender's; the network does not look at it
    uint64_t created; // cycle from which latency counts
    uint32_t source, target;
    uint16_t flits;   // at least 1
    uint8_t class;    // below noc_config.classes
    uint8_t priority; // higher ones first; at most NOC_PRIORITIES − 1
    // Filled in by the network.
    uint64_t entered; // cycle in which the head left the interface
    uint64_t arrived; // cycle in which the tail arrived
    uint16_t routers; // passed
    uint64_t number;  // of its source, from 0
};

enum { NOC_PRIORITIES = 16 };

struct noc;

// What is wrong with a configuration as a sentence without a full stop; NULL: nothing. For what the
// table of keys cannot tell.
const char *noc_check(struct arena *arena, const struct noc_config *config);
// Needs a configuration that noc_check finds right; it is copied.
struct noc *noc_new(struct arena *arena, const struct noc_config *config);

// Of a butterfly, which need not be built: radix^stages nodes at its two sides; 0: the network is
// no butterfly. Those at its routers follow them by number.
uint32_t noc_fly_terminals(const struct noc_config *config);
// The router of a stage, below `stages`, that a packet from one node at the sides to another passes
// in the butterfly that is not reversed.
uint32_t noc_fly_router(const struct noc_config *config, uint32_t stage, uint32_t from,
                        uint32_t to);

// There is a way from a node to a node: always, but from and to nodes at routers of a butterfly.
bool noc_reaches(const struct noc_config *config, uint32_t source, uint32_t target);

uint32_t noc_nodes(const struct noc *noc);
uint32_t noc_routers(const struct noc *noc);
// Flits of a packet of so many bytes, at least 1.
static inline uint32_t noc_flits(const struct noc_config *config, uint64_t bytes)
{
    return bytes ? (uint32_t)((bytes + config->flit_bytes - 1) / config->flit_bytes) : 1;
}

// Interfaces

// There is room in an injection queue of the node, and the link to it is free.
bool noc_can_send(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits);
// Needs noc_can_send in this cycle, before noc_tick, and a target that its source reaches. Takes
// memory where more packets are on their way than ever before.
void noc_send(struct noc *noc, const struct noc_packet *packet);
// The oldest packet of the class that has arrived whole; NULL: there is none. Stays valid until it
// is popped.
const struct noc_packet *noc_peek(const struct noc *noc, uint32_t node, uint32_t class);
// Needs a packet that noc_peek has shown.
void noc_pop(struct noc *noc, uint32_t node, uint32_t class);
// Nodes for which noc_peek has something, in words of 64 bits, node n in bit n mod 64 of word
// n / 64; word w of class c.
uint64_t noc_arrivals(const struct noc *noc, uint32_t class, uint32_t word);
// Packets of the class that wait in the node's injection queues, and flits of them that do.
uint32_t noc_waiting_packets(const struct noc *noc, uint32_t node, uint32_t class);
uint64_t noc_waiting_flits(const struct noc *noc, uint32_t node, uint32_t class);

// Time

// Evaluates cycle `noc_cycle`, which then is the next one.
void noc_tick(struct noc *noc);
uint64_t noc_cycle(const struct noc *noc);
// The next cycle in which a tick can change anything if nothing is sent or popped: UINT64_MAX if no
// packet is on its way. Ticks before it may be left out.
uint64_t noc_next(const struct noc *noc);
// Leaves out the ticks before `cycle`, which is at most noc_next.
void noc_skip_to(struct noc *noc, uint64_t cycle);
// Evaluates routers and interfaces in another order in each cycle; the results stay the same. 0:
// by number.
void noc_shuffle(struct noc *noc, uint64_t seed);

// What can be known

const struct noc_stats *noc_stats(const struct noc *noc);
const struct noc_class_stats *noc_class_stats(const struct noc *noc, uint32_t class);
// Adds the groups PREFIX and, for each class, PREFIX.CLASS: `classes` has their names, NULL:
// "class0" and so on.
void noc_stats_add(const struct noc *noc, struct stats *stats, const char *prefix,
                   const char *const *classes);

enum noc_channel_kind { NOC_CHANNEL_INJECTION, NOC_CHANNEL_EJECTION, NOC_CHANNEL_ROUTERS };

// A channel from `from` to `to`, which are nodes or routers.
struct noc_channel {
    enum noc_channel_kind kind;
    uint32_t from, to;
    uint64_t flits; // that it has carried
};

uint32_t noc_channels(const struct noc *noc);
struct noc_channel noc_channel(const struct noc *noc, uint32_t index);

// Adds for each node, router and channel between routers its use: PREFIX.node3, PREFIX.router3,
// PREFIX.link3_4. noc_use_refresh brings them up to date.
void noc_use_add(struct noc *noc, struct stats *stats, const char *prefix);
void noc_use_refresh(struct noc *noc);

struct noc_node {
    uint64_t flits_entered; // from the node into the network
    uint64_t flits_arrived;
    uint64_t queue_sum; // flits in its injection queues, summed over cycles
};

struct noc_node noc_node(const struct noc *noc, uint32_t node);
// Flits in the buffers of a router, summed over cycles.
uint64_t noc_buffer_sum(const struct noc *noc, uint32_t router);

// Told of each packet when it has been handed to an interface, and when it has arrived whole.
typedef void noc_trace(void *context, const struct noc_packet *packet, bool arrived);
void noc_listen(struct noc *noc, noc_trace *trace, void *context);

// Packets that were sent and have not been popped.
uint64_t noc_in_flight(const struct noc *noc);
// The last cycle in which a flit moved or a packet was sent or popped. For a watchdog: if packets
// are on their way and this is long ago, they will never move.
uint64_t noc_moved_at(const struct noc *noc);
// Nothing is on a channel or in a stage that takes a known time: without a packet that is sent or
// popped only allocation can go on.
bool noc_is_still(const struct noc *noc);
// Who waits for whom: each packet that cannot go on, where it is, what it waits for, and which
// packet has that. At most `most` packets are named.
void noc_report(const struct noc *noc, FILE *to, uint32_t most);
// For tests: counts flits and credits of all buffers and channels, and looks at the order of flits.
// NULL: all is as it must be; else what is not.
const char *noc_verify(const struct noc *noc, struct arena *arena);
