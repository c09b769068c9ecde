#include "runtime-sim/noc/route.h"

enum { MAX_ROUTES = 1 << 16 }; // size of a table that fits the cache of the host

static uint16_t mesh_route(const struct noc *noc, uint32_t index, uint32_t target)
{
    if (noc->routing.node_exit[target] == index)
        return noc->routing.node_port[target];
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
    return noc->routing.node_port[target];
}

void noc_make_routes(struct noc *noc)
{
    if ((size_t)noc->shape.routers * noc->shape.nodes > MAX_ROUTES)
        return;
    for (uint32_t i = 0; i < noc->shape.routers; i++)
        if (noc->router[i].outs > UINT8_MAX + 1)
            return;
    noc->routing.table =
        ARENA_ARRAY(noc->arena, uint8_t, (size_t)noc->shape.routers * noc->shape.nodes);
    for (uint32_t i = 0; i < noc->shape.routers; i++)
        for (uint32_t target = 0; target < noc->shape.nodes; target++)
            noc->routing.table[i * noc->shape.nodes + target] =
                (uint8_t)noc_compute_route(noc, i, target);
}
