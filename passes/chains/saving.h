// What a chain saves, in flits per warp and hop, if all ends are equally far apart.
//
// By the paper's numbers [000 §3, Table 1]: a load is a request of 1 flit and a line of data of 5
// for each 128 bytes, a store a line of 5 and an ack of 1, all lanes side by side; offloaded, a
// packet for each line goes out and its response comes back.
//
// Expected, with what the analyses know: lines that an access touches
// (passes/analysis/coalescing.h) instead of those of lanes side by side, and of loads only those
// that a first-level cache would not serve (passes/analysis/reuse.h). For each line of the access
// that touches most, a packet goes out, with one flit more for the lanes' mask if that is more than
// lanes side by side would touch:
//
//     Σ loads lines · miss · (1 + 5)  +  Σ stores lines · (5 + 1)  −  packets · (packet + response)
//
// A cache may be too small for what is expected of it, and the hardware looks into it before it
// sends a packet [000 §4.4]: a chain is turned down for its cache only if that is sure to serve it,
// where the thread itself comes to the same line in the next iteration and a warp's lanes need no
// more than one, or where a run has measured what it served.
#pragma once
#include "passes/base/capability.h"
#include "passes/analysis/facts.h"

struct pattern {
    uint8_t loads, operations, stores;
    uint8_t scalars; // bit n: it may have n of them
    enum response response;
    uint8_t without_store; // the pattern that is left, or 0
};
enum { PATTERNS = 10 };
extern const struct pattern patterns[PATTERNS];

// Returns the pattern of what is computed and stored, or 0. `compares`: the operation is a
// comparison, whose result is a bitmap.
uint32_t pattern_find(uint32_t loads, uint32_t operations, uint32_t scalars, bool stored,
                      bool compares);

struct saving {
    uint32_t response_flits, saved;
    double expected;
    double certain; // the same with loads that are sure to be served only
};

// True if a first-level cache is sure to serve a part of the load, or was seen to; and half a
// sentence on that.
bool saving_is_served(struct facts *facts, uint32_t load);
const char *saving_served_text(struct facts *facts, struct arena *arena, uint32_t load);
// Of a chain with these members, `pattern`'s loads first.
struct saving saving_of(struct facts *facts, const struct capability *capability, uint32_t pattern,
                        const uint32_t *members, uint32_t count);
