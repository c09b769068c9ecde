// Events of a network that take place in a cycle.
#pragma once
#include "runtime-sim/noc/router.h"

// Takes those of the cycle `now` out of the calendar.
void noc_take_events(struct noc *noc);
// The cycle of the first one in it, from `now` on; UINT64_MAX: it is empty.
uint64_t noc_next_event(const struct noc *noc);
