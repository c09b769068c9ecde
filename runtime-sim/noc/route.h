// Route computation.
#pragma once
#include "runtime-sim/noc/router.h"

enum { NOC_EAST, NOC_WEST, NOC_SOUTH, NOC_NORTH, NOC_DIRECTIONS };

// Output ports on minimal paths, by local number; that of XY routing is first.
struct noc_ways {
    uint32_t count, port[2];
};

// Returns the minimal ports of a mesh. Requires a target at another router.
static inline struct noc_ways noc_mesh_ways(const struct noc *noc, const struct noc_router *router,
                                            uint32_t target)
{
    const struct noc_router *to = &noc->router[noc->routing.node_exit[target]];
    const uint16_t *port = &noc->routing.mesh_port[(router - noc->router) * NOC_DIRECTIONS];
    struct noc_ways ways = {0};
    if (to->x != router->x)
        ways.port[ways.count++] = port[to->x > router->x ? NOC_EAST : NOC_WEST];
    if (to->y != router->y)
        ways.port[ways.count++] = port[to->y > router->y ? NOC_SOUTH : NOC_NORTH];
    return ways;
}

// Returns the local number of the output port. With adaptive routing this holds only for a target
// at this router; otherwise the port is chosen together with the virtual channel.
uint16_t noc_compute_route(const struct noc *noc, uint32_t router, uint32_t target);
// Returns the output port in a butterfly.
uint16_t noc_fly_port(const struct noc *noc, uint32_t router, uint32_t target);
// Fills a table of routes for a small network.
void noc_make_routes(struct noc *noc);
