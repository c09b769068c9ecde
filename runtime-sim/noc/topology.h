// Topologies: which routers and nodes are joined by channels.
#pragma once
#include "runtime-sim/noc/router.h"

// A channel; those of a router become its ports in the order in which they are listed.
struct noc_wire {
    enum noc_channel_kind kind;
    uint32_t from, to; // routers or nodes
};

struct noc_wires {
    VEC(struct noc_wire) list;
    uint32_t routers, nodes;
};

uint32_t noc_node_count(const struct noc_config *config);
// Fills in, too, what routing needs: `router` x and y, `mesh_port`, `node_exit`.
struct noc_wires noc_topology(struct noc *noc);
// The node has what the keys `injection_…` say.
bool noc_is_wide(const struct noc_config *config, uint32_t node);
// So many bytes, zeroed, from the beginning of a line of the host's cache.
void *noc_lines(struct arena *arena, size_t bytes);
