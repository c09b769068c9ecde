// A network that another program feeds. measure.c uses the first part, the library all of it.
#pragma once
#include "runtime-sim/noc/noc.h"

// Called for each packet that has arrived.
typedef void noc_received(void *context, const struct noc_packet *packet);

// Pops all packets that have arrived, by class and node.
void noc_pop_all(struct noc *noc, uint32_t classes, noc_received *received, void *context);

// A packet that has arrived.
struct noc_done {
    uint64_t number, created, arrived;
};

struct noc_port {
    struct arena *arena;
    const struct noc_config *config;
    struct noc *noc;
    VEC(struct noc_done) done;
    uint32_t taken; // members of `done` that were returned
};

// Builds a network. Requires a configuration that noc_check accepts and that outlives it.
void noc_port_init(struct noc_port *port, struct arena *arena, const struct noc_config *config);
// Evaluates all cycles before `cycle`. Returns false if packets are in flight and no flit has moved
// for `patience` cycles.
bool noc_port_advance(struct noc_port *port, uint64_t cycle, uint64_t patience);
// Advances to the end of the last packet that was sent. Returns false as noc_port_advance.
bool noc_port_drain(struct noc_port *port, uint64_t patience);
// Returns the number of packets that were sent and not returned by noc_port_done.
uint64_t noc_port_pending(const struct noc_port *port);
// Returns the next packet that has arrived, by cycle of arrival; NULL: none so far. The result is
// valid until the network advances.
const struct noc_done *noc_port_done(struct noc_port *port);
