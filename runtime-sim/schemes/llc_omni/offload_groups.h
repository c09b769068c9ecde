// Lanes of a chain by the lines that they touch, for the files of the offload queue.
#pragma once
#include "runtime-sim/schemes/llc_omni/offload_queue.h"

enum { OQ_STORE = PACKET_LOADS };

// Lanes whose accesses are in the same lines: loads, and the store if there is one.
struct oq_group {
    uint32_t lanes;
    uint64_t line[OQ_LINES];
    uint32_t end; // endpoint that computes it, or OQ_NONE
};

struct oq_groups {
    uint32_t count, operands; // operands: set of elements of line[]
    struct oq_group list[LANES];
};

// Partitions of a group's lines: loads, then the store.
struct oq_targets {
    uint32_t partition[OQ_LINES], count;
    // The pair whose routes determine the meet node: of the loads, or of load and store.
    uint32_t first, other;
};

// Returns the endpoint on the routes from the core to the targets that can compute, or OQ_NONE.
// Requires that `first` and `other` differ.
typedef uint32_t oq_meet(const struct offload_queue *oq, const struct oq_targets *targets);
// Returns the channels between routers from one endpoint to another, as networks count hops, on any
// route; on a crossbar, which has no such channels, 1 to any other node.
typedef uint32_t oq_distance(const struct offload_queue *oq, uint32_t end, uint32_t other);

struct offload_ways {
    oq_meet *meet; // NULL: no node on a route computes
    oq_distance *distance;
};

// Returns ADAPTIVE_HERE if the group's endpoint is a partition that has all its lines.
enum adaptive_kind oq_kind(const struct offload_queue *oq, const struct oq_groups *groups,
                           const struct oq_group *group);
// For the adaptive policy, whose tag array sees the group's loads. The packet of the group was
// sent: stores the saved traffic in its entry. A loss is recorded now, a gain when the reply has
// arrived.
void oq_learn_packet(struct offload_queue *oq, const struct oq_chain *c,
                     const struct oq_groups *groups, const struct oq_group *group,
                     struct oqsr *entry, uint32_t response);
// Records that a chain is discarded, with its groups if they are known (else NULL). Its cost is
// measured when it has ended, as for other chains: otherwise only such chains would be known at
// first.
void oq_note_discard(struct offload_queue *oq, struct oq_chain *c, const struct oq_groups *groups);
// Called for each line of an ordinary load.
void oq_learn_load(struct core *core, void *own, uint64_t line);
void oq_learn_discard(struct offload_queue *oq, const struct oq_chain *c);
// Records the reply to a packet; not `computed`: its loads instead.
void oq_learn_answer(struct offload_queue *oq, uint64_t now, const struct oqsr *entry,
                     bool computed);
