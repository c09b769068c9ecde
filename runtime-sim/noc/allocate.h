// The allocators of a router, for one cycle, where masks of a router's virtual channels do not do:
// see vc_rows.h and switch_rows.h.
#pragma once
#include "runtime-sim/noc/router.h"

// Gives virtual channels of outputs to packets in `waiting`.
void noc_allocate_vcs(struct noc *noc, uint32_t router);
// Sends flits in `ready` through the switch.
void noc_allocate_switch(struct noc *noc, uint32_t router);
