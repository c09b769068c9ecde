#include "runtime-sim/noc/route.h"

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

uint16_t noc_route(const struct noc *noc, uint32_t router, uint32_t target)
{
    switch ((enum noc_topology)noc->config.topology) {
    case NOC_MESH: return mesh_route(noc, router, target);
    case NOC_FLY: return fly_route(noc, router, target);
    case NOC_CROSSBAR: break;
    }
    return (uint16_t)noc->node_port[target];
}
