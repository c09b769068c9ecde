// Sampling: a few launches of each period are timed, the others run functionally. The cycles of all
// launches are estimated.
//
// The strata are the kernels. A launch without time is estimated from its warp instructions and the
// cycles for each warp instruction of the kernel's measured launches (a ratio estimator). The error
// is twice its standard error. Warm-up launches take time, so that caches are as they would be, but
// are not measured. The first launch of a kernel always takes time; it is measured only if no other
// one is.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// Within launches the machine samples waves of CTAs, see runtime-sim/gpu/machine/machine_sample.c;
// the two can be combined.

// 0 launches in a period: all launches take time.
struct sample_plan {
    uint64_t period, measured, warm;
    uint64_t waves; // one wave of CTAs of a launch in this number takes time; 0: all
};

// Sums over launches: of cycles c and warp instructions n.
struct sample_sums {
    uint64_t launches;
    double c, n, cc, cn, nn;
};

struct sample_counts {
    struct sample_sums measured, other; // launches that took time
    double skipped_cycles;              // of CTAs that these left out
    double skipped_squares;             // of the errors of these
    uint64_t skipped_instructions;
};

struct sample_estimate {
    double cycles;
    double error; // in cycles; negative: not known
};

// Reads PERIOD:MEASURED[:WARM]. Returns NULL, or its fault.
const char *sample_read(struct sample_plan *plan, struct arena *arena, const char *text);
// Return true if the launch with this number, counted from 0, is timed, and if it is measured.
bool sample_takes(const struct sample_plan *plan, uint64_t launch);
bool sample_measures(const struct sample_plan *plan, uint64_t launch);
void sample_add(struct sample_counts *counts, bool is_measured, double cycles,
                uint64_t instructions);
// Returns the estimated cycles of `launches` launches that were not timed. `instructions`: their
// warp instructions.
struct sample_estimate sample_untimed(const struct sample_counts *counts, uint64_t launches,
                                      uint64_t instructions);
