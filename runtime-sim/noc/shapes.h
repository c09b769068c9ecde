// Specialised ticks by the shape of a network, see tick_tmpl.h.
#pragma once
#include "runtime-sim/noc/router.h"

// Evaluate a cycle: of any network, and of plain networks with 4 and with 8 virtual channels.
void noc_tick_any(struct noc *noc);
void noc_tick_4(struct noc *noc);
void noc_tick_8(struct noc *noc);
// Selects the tick for the network in its present state.
void noc_choose_tick(struct noc *noc);
