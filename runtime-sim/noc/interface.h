// Network interfaces: injection queues and arrived packets.
#pragma once
#include "runtime-sim/noc/router.h"

// Takes a packet that has arrived completely at a node, in a virtual channel.
void noc_finish(struct noc *noc, uint32_t node, uint32_t vc, uint32_t packet);

// The same of an ideal network: a packet is sent, and packets arrive that have to in this cycle.
void noc_ideal_send(struct noc *noc, uint32_t packet);
void noc_ideal_arrive(struct noc *noc);
