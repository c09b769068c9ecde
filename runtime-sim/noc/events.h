// Events of a network at a known time.
#pragma once
#include "runtime-sim/noc/router.h"

// Returns the cycle of the first event from `now` on, or UINT64_MAX if there is no event.
uint64_t noc_next_event(const struct noc *noc);
