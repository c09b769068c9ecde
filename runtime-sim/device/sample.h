// Sampling: a few launches of each period are timed, and the others run functionally. The cycles of
// all launches are estimated.
//
// The strata are the kernels. The cycles of an untimed launch are estimated from its warp
// instructions and the cycles per warp instruction of the kernel's measured launches (a ratio
// estimator). The error is twice the standard error. Warm-up launches are timed, to bring caches
// into their normal state, but not measured. The first launch of a kernel is always timed. It is
// measured only if no other one is.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// Within launches, the machine can also sample waves of CTAs, see
// runtime-sim/gpu/machine/machine_sample.c. Both can be combined.

// Numbers of launches. If `period` is 0, all launches are timed.
struct sample_plan {
    uint64_t period, measured, warm;
    uint64_t waves; // one in this number of waves of CTAs is timed; 0: all
};

// Sums over launches of cycles c, warp instructions n, and their products.
struct sample_sums {
    uint64_t launches;
    double c, n, cc, cn, nn;
};

struct sample_counts {
    struct sample_sums measured, other; // timed launches
    double skipped_cycles;              // estimated cycles of CTAs that timed launches skipped
    double skipped_squares;             // sum of the squared errors of these estimates
    uint64_t skipped_instructions;      // warp instructions of these CTAs
};

struct sample_estimate {
    double cycles;
    double error; // in cycles; negative: not known
};

// Reads PERIOD:MEASURED[:WARM]. Returns NULL, or the fault.
const char *sample_read(struct sample_plan *plan, struct arena *arena, const char *text);
// Return true if the launch with this number, counted from 0, is timed (sample_includes), and if it
// is measured (sample_measures).
bool sample_includes(const struct sample_plan *plan, uint64_t launch);
bool sample_measures(const struct sample_plan *plan, uint64_t launch);
// Adds a timed launch with its cycles and warp instructions.
void sample_add(struct sample_counts *counts, bool is_measured, double cycles,
                uint64_t instructions);
// Returns the estimated cycles of `launches` untimed launches, which have executed `instructions`
// warp instructions.
struct sample_estimate sample_untimed(const struct sample_counts *counts, uint64_t launches,
                                      uint64_t instructions);
