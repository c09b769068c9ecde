// Equations (3) and (4) of TOM: what offloading a block costs and saves on the links to the memory
// stacks [002 §3.1.1]. The unit is a word: an address, a register of one lane. Everything counts in
// whole parts of it, so that all is exact: quarters for TOM, the size of an acknowledgment.
#pragma once
#include "support/gpu.h"
#include <stdbool.h>
#include <stdint.h>

// Warp size S_W, cache line over address S_C, Coal_LD = Coal_ST = 1, Miss_LD = 0.5 [002 §3.1.1].
enum { BW_WARP = WARP_LANES, BW_LINE = 32, BW_QUARTERS = 4 };
enum { BW_MOST = INT32_MAX };  // accesses of an iteration that are told apart
enum { BW_REFINED = 1 << 16 }; // parts of a word with --cost=refined

struct bandwidth {
    int64_t scale;              // parts of a word that all else counts in
    int64_t in, out;            // to move the live values
    int64_t saved_tx, saved_rx; // what one iteration saves
};

// Registers count S_W, predicates one bit per lane: a 32nd of that.
struct bandwidth bandwidth_of(uint32_t registers_in, uint32_t predicates_in, uint32_t registers_out,
                              uint32_t predicates_out, uint64_t loads, uint64_t stores);

// The same from parts of words (BW_REFINED) that were counted by the analyses.
struct bandwidth bandwidth_refined(uint64_t in, uint64_t out, uint64_t saved_tx, uint64_t saved_rx);

// BW_TX and BW_RX in words for a number of iterations; negative saves.
double bandwidth_tx(const struct bandwidth *bw, double iterations);
double bandwidth_rx(const struct bandwidth *bw, double iterations);

// The smallest number of iterations, at least 1, from which the change is negative; 0: there is
// none.
uint64_t bandwidth_threshold(int64_t cost, int64_t saved);
