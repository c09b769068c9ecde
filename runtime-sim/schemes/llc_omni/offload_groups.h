// Groups lanes of a chain by the lines that they access, for the files of the offload queue.
#pragma once
#include "runtime-sim/schemes/llc_omni/offload_queue.h"

enum { OQ_STORE = PACKET_LOADS };

// Lanes whose loads, and store if the chain has one, access the same lines.
struct oq_group {
    uint32_t lanes;
    uint64_t line[OQ_LINES];
    uint32_t endpoint; // endpoint that computes it, or OQ_NONE
    enum adaptive_kind kind;
};

struct oq_groups {
    uint32_t count, operands; // number of groups; set of used elements of their line[]
    struct oq_group list[LANES];
};

// Partitions of a group's lines: loads, then the store.
struct oq_targets {
    uint32_t partition[OQ_LINES], count;
    // Partitions whose routes determine the meet node: of the loads, or of load and store.
    uint32_t first, other;
};

// Returns the endpoint on the routes from the core to the targets that can compute, or OQ_NONE.
// Requires that `first` and `other` differ.
typedef uint32_t oq_meet(const struct offload_queue *oq, const struct oq_targets *targets);
// Returns the hops between two endpoints: channels between routers on any route, as networks count
// them. On a crossbar, which has no such channels, the distance to any other node is 1.
typedef uint32_t oq_distance(const struct offload_queue *oq, uint32_t endpoint, uint32_t other);

struct offload_ways {
    oq_meet *meet; // NULL: no node on a route computes
    oq_distance *distance;
};

// Endpoints that can compute a group, or OQ_NONE: the partition of all its lines, or if it has
// lines of several partitions, the node where the routes meet, and the partitions of two operands.
struct oq_nodes {
    uint32_t of[ADAPTIVE_KINDS];
    uint32_t other; // partition of the other operand, with of[ADAPTIVE_OPERAND]
};

struct oq_choice {
    uint32_t endpoint; // or OQ_NONE
    enum adaptive_kind kind;
    int64_t price, saved; // price, and what the core's own accesses cost more
};

// Returns the cheapest of the nodes by the present prices, among the kinds that the policy has not
// turned off. Requires prices.
struct oq_choice oq_choose(struct offload_queue *oq, const struct oq_chain *c,
                           const struct oq_groups *groups, const struct oq_group *group,
                           const struct oq_nodes *nodes);
// Records the traffic that the group's packet saves, and stores it in the packet's entry. The
// group's loads access the monitor's tag array. `response` is the size of the response in flits.
void oq_learn_packet(struct offload_queue *oq, const struct oq_chain *c,
                     const struct oq_groups *groups, const struct oq_group *group,
                     struct oqsr *entry, uint32_t response);
// Records that a chain is discarded. `groups` is NULL if its groups are not known. Its cost is
// recorded when it has ended, as for other chains. Otherwise only discarded chains would be known
// at first.
void oq_note_discard(struct offload_queue *oq, struct oq_chain *c, const struct oq_groups *groups);
// Called for each line of an ordinary load.
void oq_l1_load(struct core *core, void *own, uint64_t line);
// Records the cost of a discarded chain that has ended. Has no effect on other chains.
void oq_learn_discard(struct offload_queue *oq, const struct oq_chain *c);
// Records the reply to a packet. `computed` is false if its loads were sent back instead.
void oq_learn_reply(struct offload_queue *oq, uint64_t now, const struct oqsr *entry,
                    bool computed);
