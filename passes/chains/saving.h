// Saving of a chain. Units: flits per warp and hop, for equal distances of all accesses.
//
// By the paper's numbers [000 §3, Table 1] a load is a request of 1 flit and a line of data of 5
// for each 128 bytes, a store a line of 5 and an ack of 1, with adjacent lanes. An offloaded chain
// is one packet and one response per line.
//
// The expected saving uses the lines that an access touches (passes/analysis/memory/coalescing.h)
// and the loads that miss in L1 (passes/analysis/reuse/reuse.h). The chain needs one packet for
// each line of the access that touches the most lines. If these are more than adjacent lanes touch,
// each packet has one more flit for the lane mask:
//
//     Σ loads lines · miss · (1 + 5)  +  Σ stores lines · (5 + 1)  −  packets · (packet + response)
//
// With the keys header_bytes, sectors and sector_packets of the capability, packets have the
// flits of their header and data, and carry the sectors that the access touches
// (capability_access_flits).
//
// A cache may be smaller than this assumes, and the hardware looks the line up before it sends a
// packet [000 §4.4]. A chain is therefore rejected for its reuse only if the hit is certain (the
// thread itself accesses the same line in the next iteration, and a warp's lanes need at most one
// line) or measured.
#pragma once
#include "passes/base/capability.h"
#include "passes/analysis/facts.h"

struct saving {
    uint32_t response_flits, saved;
    double expected;
    double certain; // expected saving with certain hits only
};

// Returns true if a part of the load certainly hits in L1, or hit in the profile;
// saving_served_text describes it.
bool saving_is_served(struct facts *facts, uint32_t load);
const char *saving_served_text(struct facts *facts, struct arena *arena, uint32_t load);
// Computes the saving of a chain with these members, the loads of `pattern` first.
struct saving saving_of(struct facts *facts, const struct capability *capability, uint32_t pattern,
                        const uint32_t *members, uint32_t count);
