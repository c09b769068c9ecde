// Events of a network that take place in a cycle.
#pragma once
#include "runtime-sim/noc/router.h"

// Removes the events of cycle `now` from the calendar and executes them.
void noc_take_events(struct noc *noc);
// Returns the cycle of the first event from `now` on, or UINT64_MAX if there is no event.
uint64_t noc_next_event(const struct noc *noc);
