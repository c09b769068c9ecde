// Clock domains: frequencies as exact ratios. Time counts in units of which every domain's period
// is a whole number, so that no domain drifts.
#pragma once
#include "support/arena.h"

enum { CLOCK_DOMAINS = 64 };

struct clock_domain {
    uint64_t period; // in units of time
    uint64_t next;   // time of its next tick
    uint64_t cycle;  // number of that tick, from 0
};

struct clocks {
    uint32_t count;
    uint64_t now;  // time of the ticks that were told last
    uint64_t unit; // units in a second
    struct clock_domain *domain;
};

// Needs 1 to CLOCK_DOMAINS frequencies in hertz, none 0. All domains tick at time 0 first. False if
// there is no common unit of time that fits 64 bits for a day of simulated time.
bool clocks_init(struct clocks *clocks, struct arena *arena, const uint64_t *hertz, uint32_t count);

// Goes to the next time at which a domain ticks; returns the set of those that do, bit d for domain
// d. The cycle that a domain ticks is its `cycle` before the call.
uint64_t clocks_advance(struct clocks *clocks);

// The domain has nothing to do before its tick number `cycle`: ticks in between are left out.
static inline void clocks_skip_to(struct clocks *clocks, uint32_t domain, uint64_t cycle)
{
    struct clock_domain *d = &clocks->domain[domain];
    if (cycle <= d->cycle)
        return;
    d->next += (cycle - d->cycle) * d->period;
    d->cycle = cycle;
}
