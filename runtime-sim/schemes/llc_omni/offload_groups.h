// Lanes of a chain by the lines that they touch, for the files of the offload queue.
#pragma once
#include "runtime-sim/schemes/llc_omni/offload_queue.h"

enum { OQ_STORE = PACKET_LOADS };

// Lanes whose accesses are in the same lines: loads, and the store if there is one.
struct oq_group {
    uint32_t lanes;
    uint64_t line[OQ_LINES];
    uint32_t end; // that computes for it; OQ_NONE: none
};

struct oq_groups {
    uint32_t count, operands; // a set: of line[]
    struct oq_group list[LANES];
};

// Partitions of a group's lines: loads, then the store.
struct oq_targets {
    uint32_t partition[OQ_LINES], count;
    // Those whose ways are looked at where nodes on the way are known of pairs: of the loads, or of
    // load and store.
    uint32_t first, other;
};

// The end on the ways from the core to the targets that can compute; OQ_NONE: none. Needs `first`
// and `other` that differ.
typedef uint32_t oq_meet(const struct core *core, const struct oq_targets *targets);
// Channels between routers from the one end to the other, as networks count hops, whatever way; on
// a crossbar, which has none, 1 to any other node.
typedef uint32_t oq_distance(const struct core *core, uint32_t end, uint32_t other);

struct offload_ways {
    oq_meet *meet; // NULL: nobody on the way computes
    oq_distance *distance;
};

// All that an end computes is of lines in its partition.
enum adaptive_kind oq_kind(const struct core *core, const struct oq_groups *groups,
                           const struct oq_group *group);
// For the adaptive policy, whose tags see the group's loads. A packet for the group is on its way:
// what the networks do not carry by that goes into the entry. What loses is known now, what gains
// when the answer has come.
void oq_learn_packet(struct core *core, const struct oq_chain *c, const struct oq_groups *groups,
                     const struct oq_group *group, struct oqsr *entry, uint32_t response);
// A chain is to be discarded, though it may have come to where its groups are known (else NULL).
// Something is learnt of that when it has ended, as of others: else such chains would be all that
// is known at first.
void oq_note_discard(struct core *core, struct oq_chain *c, const struct oq_groups *groups);
void oq_learn_discard(struct core *core, const struct oq_chain *c);
// The answer to a packet has come; `computed`: else its loads.
void oq_learn_answer(struct core *core, uint64_t now, const struct oqsr *entry, bool computed);
