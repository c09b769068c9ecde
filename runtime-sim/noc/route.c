#include "runtime-sim/noc/route.h"

enum { MOST_ROUTES = 1 << 16 }; // of a table: it has to stay in the processor's cache

static uint16_t mesh_route(const struct noc *noc, uint32_t index, uint32_t target)
{
    if (noc->node_exit[target] == index)
        return (uint16_t)noc->node_port[target];
    struct noc_ways ways = noc_mesh_ways(noc, &noc->router[index], target);
    bool is_y = noc->config.routing == NOC_YX && ways.count > 1;
    return (uint16_t)ways.port[is_y];
}

// Stage s looks at digit s of the target, from the highest.
static uint16_t fly_route(const struct noc *noc, uint32_t index, uint32_t target)
{
    uint32_t radix = (uint32_t)noc->config.radix;
    for (uint64_t i = noc->router[index].x + 1; i < noc->config.stages; i++)
        target /= radix;
    return (uint16_t)(target % radix);
}

uint16_t noc_compute_route(const struct noc *noc, uint32_t router, uint32_t target)
{
    switch ((enum noc_topology)noc->config.topology) {
    case NOC_MESH: return mesh_route(noc, router, target);
    case NOC_FLY: return fly_route(noc, router, target);
    case NOC_CROSSBAR: break;
    }
    return (uint16_t)noc->node_port[target];
}

void noc_make_routes(struct noc *noc)
{
    if ((size_t)noc->routers * noc->nodes > MOST_ROUTES)
        return;
    noc->routes = ARENA_ARRAY(noc->arena, uint16_t, (size_t)noc->routers * noc->nodes);
    for (uint32_t i = 0; i < noc->routers; i++)
        for (uint32_t target = 0; target < noc->nodes; target++)
            noc->routes[i * noc->nodes + target] = noc_compute_route(noc, i, target);
}
