// Topologies: the channels between routers and nodes.
#pragma once
#include "runtime-sim/noc/router.h"

// A channel. The ports of a router are numbered in the order of its channels.
struct noc_wire {
    enum noc_channel_kind kind;
    uint32_t from, to; // routers or nodes
};

struct noc_wires {
    VEC(struct noc_wire) list;
    uint32_t routers, nodes;
};

// Returns the number of nodes of the configured topology.
uint32_t noc_node_count(const struct noc_config *config);
// Returns the channels. Also sets the data for routing: `x` and `y` of the routers, `mesh_port` and
// `node_exit`.
struct noc_wires noc_topology(struct noc *noc);
// Returns true if the keys `injection_…` apply to the node.
bool noc_is_wide(const struct noc_config *config, uint32_t node);
// Returns the configured crossbar inputs of the node's injection port, at least 1.
uint32_t noc_entry_speed(const struct noc_config *config, uint32_t node);
