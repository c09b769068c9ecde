// Network interfaces: injection queues and arrived packets.
#pragma once
#include "runtime-sim/noc/router.h"

// Adds a packet that has arrived completely at a node, on a virtual channel, to the node's queue.
void noc_finish(struct noc *noc, uint32_t node, uint32_t vc, uint32_t packet);

// Sends a packet through the routers of its route. It arrives after this many cycles, and `each`
// for each router.
void noc_go(struct noc *noc, uint32_t packet, uint64_t cycles, uint32_t each);
// For an ideal network: sends a packet; delivers the packets that are due in this cycle.
void noc_ideal_send(struct noc *noc, uint32_t packet);
void noc_ideal_arrive(struct noc *noc);
