#include "runtime-sim/noc/topology.h"
#include "runtime-sim/noc/route.h"

uint32_t noc_node_count(const struct noc_config *config)
{
    switch (config->topology) {
    case NOC_MESH:
        return config->node_routers.n ? config->node_routers.n : (config->width * config->height);
    case NOC_CROSSBAR: return config->nodes;
    case NOC_FLY: break;
    }
    uint32_t terminals = noc_fly_terminals(config);
    uint32_t routers = config->router_nodes ? terminals / config->radix * config->stages : 0;
    return terminals + routers;
}

bool noc_is_wide(const struct noc_config *config, uint32_t node)
{
    for (uint32_t i = 0; i < config->injection_nodes.n; i++)
        if (config->injection_nodes.v[i] == node)
            return true;
    return !config->injection_nodes.n;
}

uint32_t noc_entry_speed(const struct noc_config *config, uint32_t node)
{
    uint32_t speed = noc_is_wide(config, node) ? config->injection_speedup : 1;
    for (uint32_t i = 0; i < config->injection_speedups.n; i++)
        if (config->injection_nodes.v[i] == node)
            speed = config->injection_speedups.v[i];
    return speed;
}

static void add(struct noc *noc, struct noc_wires *wires, enum noc_channel_kind kind, uint32_t from,
                uint32_t to)
{
    vec_push(noc->arena, &wires->list, (struct noc_wire){kind, from, to});
}

static void begin(struct noc *noc, struct noc_wires *wires, uint32_t routers)
{
    wires->routers = routers;
    wires->nodes = noc_node_count(&noc->config);
    noc->router = arena_lines(noc->arena, routers * sizeof *noc->router);
    noc->routing.node_exit = ARENA_ARRAY(noc->arena, uint32_t, wires->nodes);
}

static void add_node(struct noc *noc, struct noc_wires *wires, uint32_t node, uint32_t entry,
                     uint32_t exit)
{
    uint32_t ports = noc_is_wide(&noc->config, node) ? noc->config.injection_ports : 1;
    noc->routing.node_exit[node] = exit;
    for (uint32_t i = 0; i < ports; i++)
        add(noc, wires, NOC_CHANNEL_INJECTION, node, entry);
    add(noc, wires, NOC_CHANNEL_EJECTION, exit, node);
}

// Router (x, y) has the number width · y + x.
static void add_mesh_router(struct noc *noc, struct noc_wires *wires, uint32_t router)
{
    uint32_t width = noc->config.width, height = noc->config.height;
    uint32_t x = router % width, y = router / width;
    const bool is_there[NOC_DIRECTIONS] = {x + 1 < width, x > 0, y + 1 < height, y > 0};
    const uint32_t to[NOC_DIRECTIONS] = {router + 1, router - 1, router + width, router - width};
    noc->router[router].x = x;
    noc->router[router].y = y;
    uint16_t port = 0;
    for (uint32_t i = 0; i < NOC_DIRECTIONS; i++) {
        if (!is_there[i])
            continue;
        noc->routing.mesh_port[router * NOC_DIRECTIONS + i] = port++;
        add(noc, wires, NOC_CHANNEL_ROUTERS, router, to[i]);
    }
}

static void add_mesh(struct noc *noc, struct noc_wires *wires)
{
    uint32_t routers = noc->config.width * noc->config.height;
    begin(noc, wires, routers);
    noc->routing.mesh_port = ARENA_ARRAY(noc->arena, uint16_t, routers * NOC_DIRECTIONS);
    for (uint32_t i = 0; i < routers; i++)
        add_mesh_router(noc, wires, i);
    for (uint32_t i = 0; i < wires->nodes; i++) {
        uint32_t at = noc->config.node_routers.n ? noc->config.node_routers.v[i] : i;
        add_node(noc, wires, i, at, at);
    }
}

// Router n belongs to node n. Its output ports have the numbers of their nodes.
static void add_overlay(struct noc *noc, struct noc_wires *wires)
{
    uint32_t nodes = noc_node_count(&noc->config);
    begin(noc, wires, nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t ports = noc_is_wide(&noc->config, i) ? noc->config.injection_ports : 1;
        noc->routing.node_exit[i] = i;
        for (uint32_t k = 0; k < ports; k++)
            add(noc, wires, NOC_CHANNEL_INJECTION, i, i);
        for (uint32_t k = 0; k < nodes; k++)
            add(noc, wires, NOC_CHANNEL_EJECTION, i, k);
    }
}

static void add_crossbar(struct noc *noc, struct noc_wires *wires)
{
    begin(noc, wires, 1);
    for (uint32_t i = 0; i < wires->nodes; i++)
        add_node(noc, wires, i, 0, 0);
}

// Exchanges two digits of a number.
static uint32_t exchange(uint32_t number, uint32_t radix, uint32_t low, uint32_t high)
{
    uint32_t a = number / low % radix, b = number / high % radix;
    return number - a * low - b * high + b * low + a * high;
}

// Wires before stage 0 and after each stage have the number router · radix + port. A stage replaces
// the lowest digit by a digit of the target, stage 0 by the highest; the wires after it exchange
// that digit with the one at its final position. After the last stage the number is that of the
// target. An exchange of digits is its own inverse, so the wires of the reversed butterfly have the
// same numbers.
static void add_fly(struct noc *noc, struct noc_wires *wires)
{
    uint32_t radix = noc->config.radix, stages = noc->config.stages;
    uint32_t terminals = noc_fly_terminals(&noc->config), in_stage = terminals / radix;
    uint32_t back = noc->config.reversed, high = in_stage, last = (stages - 1) * in_stage;
    begin(noc, wires, in_stage * stages);
    for (uint32_t i = 0; i < in_stage * stages; i++)
        noc->router[i].x = i / in_stage;
    for (uint32_t stage = 0; stage + 1 < stages; stage++, high /= radix)
        for (uint32_t i = 0; i < terminals; i++)
            add(noc, wires, NOC_CHANNEL_ROUTERS, (stage + back) * in_stage + i / radix,
                (stage + !back) * in_stage + exchange(i, radix, 1, high) / radix);
    for (uint32_t i = 0; i < terminals; i++)
        add_node(noc, wires, i, i / radix + (back ? last : 0), i / radix + (back ? 0 : last));
    for (uint32_t i = terminals; i < wires->nodes; i++)
        add_node(noc, wires, i, i - terminals, i - terminals);
}

struct noc_wires noc_topology(struct noc *noc)
{
    struct noc_wires wires = {0};
    switch (noc->config.topology) {
    case NOC_MESH: add_mesh(noc, &wires); break;
    case NOC_CROSSBAR:
        if (noc->config.overlay)
            add_overlay(noc, &wires);
        else
            add_crossbar(noc, &wires);
        break;
    case NOC_FLY: add_fly(noc, &wires); break;
    }
    return wires;
}
