// Ticks by the shape of a network, see tick.h.
#pragma once
#include "runtime-sim/noc/router.h"

void noc_tick_any(struct noc *noc);
void noc_tick_4(struct noc *noc);
void noc_tick_8(struct noc *noc);
// Sets the tick for the network in its present state.
void noc_choose_tick(struct noc *noc);
