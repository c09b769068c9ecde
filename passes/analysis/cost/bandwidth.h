// Equations (3) and (4) of TOM: cost and saving of a block on the links to the memory stacks [002
// §3.1.1]. Units: words (an address, a register of one lane), counted exactly in fractions:
// quarters for TOM, the size of an acknowledgement.
#pragma once
#include "support/gpu.h"
#include <stdbool.h>
#include <stdint.h>

// Warp size S_W, cache line over address S_C, Coal_LD = Coal_ST = 1, Miss_LD = 0.5 [002 §3.1.1].
enum { BW_WARP = WARP_LANES, BW_LINE = 32, BW_QUARTERS = 4 };
enum { BW_MOST = INT32_MAX };  // maximum number of accesses per iteration
enum { BW_REFINED = 1 << 16 }; // parts of a word with --cost=refined

struct bandwidth {
    int64_t scale;              // fractions per word; unit of the other members
    int64_t in, out;            // cost of the live values
    int64_t saved_tx, saved_rx; // saving per iteration
};

// Returns cost and saving of TOM's model. A register counts S_W words, a predicate one bit per
// lane: S_W / 32.
struct bandwidth bandwidth_of(uint32_t registers_in, uint32_t predicates_in, uint32_t registers_out,
                              uint32_t predicates_out, uint64_t loads, uint64_t stores);

// Returns cost and saving from fractions of words (BW_REFINED) that the analyses computed.
struct bandwidth bandwidth_refined(uint64_t in, uint64_t out, uint64_t saved_tx, uint64_t saved_rx);

// Return BW_TX and BW_RX in words for a number of iterations; negative numbers save.
double bandwidth_tx(const struct bandwidth *bw, double iterations);
double bandwidth_rx(const struct bandwidth *bw, double iterations);

// Returns the smallest number of iterations, at least 1, from which the change is negative, or 0 if
// it never is.
uint64_t bandwidth_threshold(int64_t cost, int64_t saved);
