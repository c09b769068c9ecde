// Clock domains: frequencies as exact ratios. The unit of time divides the period of every domain,
// so that no domain drifts.
#pragma once
#include "support/arena.h"

#define CLOCK_MHZ UINT64_C(1000000) // in hertz

struct clock_domain {
    uint64_t period; // in units of time
};

struct clocks {
    uint32_t count;
    struct clock_domain *domain;
};

// Computes the periods. Requires at least one frequency, in hertz, none 0. Returns false if no
// common unit allows a day of simulated time in 64 bits.
bool clocks_init(struct clocks *clocks, struct arena *arena, const uint64_t *hertz, uint32_t count);
