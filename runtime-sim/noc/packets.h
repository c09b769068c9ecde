// A crossbar whose ports are as wide as a packet (key packet_wide).
#pragma once
#include "runtime-sim/noc/router.h"

// Allocates the state. Requires a network with its interfaces.
void noc_packets_init(struct noc *noc);
// Returns true if the node's input queue for the class has room.
bool noc_packets_can_send(const struct noc *noc, uint32_t node, uint32_t class);
// Appends a packet of the pool to the input queue of its source.
void noc_packets_send(struct noc *noc, const struct noc_packet *packet, uint32_t index);
// Must be called when a packet was popped at the node, and when one has arrived.
void noc_packets_room(struct noc *noc, uint32_t node);
void noc_packets_arrived(struct noc *noc, const struct noc_packet *packet);
// Returns a packet that waits in a lane, which must have one.
uint32_t noc_packets_first(const struct noc *noc, uint32_t lane);
// As noc_set_entry_speed. Without virtual output queues an input has no speed: returns 1.
uint32_t noc_packets_set_speed(struct noc *noc, uint32_t node, uint32_t speed);
// Evaluates a cycle.
void noc_packets_tick(struct noc *noc);
