// Clock domains: frequencies as exact ratios. Time counts in units of which every domain's period
// is a whole number, so that no domain drifts.
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

// Requires at least one frequency, in hertz, none 0. Returns false if no common unit of time fits
// 64 bits for a day of simulated time.
bool clocks_init(struct clocks *clocks, struct arena *arena, const uint64_t *hertz, uint32_t count);
