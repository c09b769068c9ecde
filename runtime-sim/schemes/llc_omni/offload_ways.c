// Finds, for each kind of network, the node between a core and several partitions that computes a
// chain, and the distance between endpoints.
#include "runtime-sim/schemes/llc_omni/offload_groups.h"
#include "runtime-sim/noc/noc.h"
#include "runtime-sim/schemes/llc_omni/emn.h"

static uint32_t node_of(const struct offload_queue *oq, uint32_t endpoint)
{
    return memsys_endpoint_node(core_port(oq->core).memsys, endpoint);
}

// Mesh: the core's table of meet nodes

static uint32_t meet_in_mesh(const struct offload_queue *oq, const struct oq_targets *targets)
{
    const struct offload_shared *shared = oq->shared;
    uint32_t row = core_port(oq->core).index * shared->llcs + targets->first;
    shared->stats->table_read++;
    uint16_t node = shared->emn[row * shared->llcs + targets->other];
    uint32_t endpoint =
        node == EMN_NONE ? OQ_NONE : memsys_endpoint_at(core_port(oq->core).memsys, node);
    return endpoint < core_port(oq->core).ordinary && !shared->cores_compute ? OQ_NONE : endpoint;
}

static uint32_t mesh_distance(const struct offload_queue *oq, uint32_t endpoint, uint32_t other)
{
    uint32_t a = node_of(oq, endpoint), b = node_of(oq, other);
    uint32_t width = oq->shared->network->width;
    int32_t x = (int32_t)(a % width) - (int32_t)(b % width);
    int32_t y = (int32_t)(a / width) - (int32_t)(b / width);
    return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

// Butterfly: the last router that all routes pass

// Returns the stage of an endpoint. Requests enter at the first stage and leave at the last one, or
// at the stage of the router that they address.
static uint32_t stage_of(const struct offload_queue *oq, uint32_t endpoint)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    uint32_t stages = oq->shared->network->stages;
    switch (memsys_kind_of_endpoint(memsys, endpoint)) {
    case MEMSYS_AT_ROUTER:
        return memsys_endpoint_number(memsys, endpoint) / (memsys_routers(memsys) / stages);
    case MEMSYS_AT_PARTITION: return stages - 1;
    default: return 0;
    }
}

static uint32_t meet_in_fly(const struct offload_queue *oq, const struct oq_targets *targets)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    uint32_t node[OQ_LINES];
    for (uint32_t i = 0; i < targets->count; i++)
        node[i] = memsys_partition_node(memsys, targets->partition[i]);
    uint32_t router = meet_fly_router(oq->shared->network, node_of(oq, core_port(oq->core).index),
                                      node, targets->count);
    uint32_t endpoint = memsys_router_endpoint(memsys, router);
    return stage_of(oq, endpoint) < oq->shared->config->router_stage ? OQ_NONE : endpoint;
}

static uint32_t fly_distance(const struct offload_queue *oq, uint32_t endpoint, uint32_t other)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    enum memsys_endpoint_kind kind = memsys_kind_of_endpoint(memsys, endpoint);
    if (endpoint == other)
        return 0;
    if (kind == memsys_kind_of_endpoint(memsys, other)) // all stages
        return oq->shared->network->stages - 1;
    uint32_t a = stage_of(oq, endpoint), b = stage_of(oq, other);
    return a < b ? b - a : a - b;
}

// Other networks: one channel to any other node

static uint32_t plain_distance(const struct offload_queue *oq, uint32_t endpoint, uint32_t other)
{
    return node_of(oq, endpoint) != node_of(oq, other);
}

const struct offload_ways *oq_ways(const struct noc_config *network, bool has_table,
                                   enum emn_at_llc at_llc)
{
    static const struct offload_ways mesh = {meet_in_mesh, mesh_distance},
                                     computing_fly = {meet_in_fly, fly_distance},
                                     fly = {NULL, fly_distance}, others = {NULL, plain_distance},
                                     operands_in_mesh = {NULL, mesh_distance};
    if (network->topology == NOC_FLY)
        return network->router_nodes ? &computing_fly : &fly;
    if (network->topology == NOC_MESH && at_llc == EMN_LLC_OPERAND)
        return &operands_in_mesh;
    return network->topology == NOC_MESH && has_table ? &mesh : &others;
}
