// The general allocators of a router, for networks in which masks of a router's virtual channels do
// not suffice: see vc_rows_tmpl.h and switch_rows_tmpl.h. Each call handles one cycle.
#pragma once
#include "runtime-sim/noc/router.h"

// Allocates output virtual channels to the packets in `waiting`.
void noc_allocate_vcs(struct noc *noc, uint32_t router);
// Sends the flits in `ready` that win the switch.
void noc_allocate_switch(struct noc *noc, uint32_t router);
