#include "runtime-sim/noc/route.h"

enum { MOST_ROUTES = 1 << 16 }; // size of a table that fits the cache of the host

static uint16_t mesh_route(const struct noc *noc, uint32_t index, uint32_t target)
{
    if (noc->node_exit[target] == index)
        return noc->node_port[target];
    struct noc_ways ways = noc_mesh_ways(noc, &noc->router[index], target);
    bool is_y = noc->config.routing == NOC_YX && ways.count > 1;
    return (uint16_t)ways.port[is_y];
}

uint16_t noc_compute_route(const struct noc *noc, uint32_t router, uint32_t target)
{
    switch (noc->config.topology) {
    case NOC_MESH: return mesh_route(noc, router, target);
    case NOC_FLY: return noc_fly_port(noc, router, target);
    case NOC_CROSSBAR: break;
    }
    return noc->node_port[target];
}

void noc_make_routes(struct noc *noc)
{
    if ((size_t)noc->routers * noc->nodes > MOST_ROUTES)
        return;
    for (uint32_t i = 0; i < noc->routers; i++)
        if (noc->router[i].outs > UINT8_MAX + 1)
            return;
    noc->routes = ARENA_ARRAY(noc->arena, uint8_t, (size_t)noc->routers * noc->nodes);
    for (uint32_t i = 0; i < noc->routers; i++)
        for (uint32_t target = 0; target < noc->nodes; target++)
            noc->routes[i * noc->nodes + target] = (uint8_t)noc_compute_route(noc, i, target);
}
