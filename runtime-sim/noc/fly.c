// Butterflies: radix^stages nodes at the sides, radix^(stages − 1) routers in each stage, and one
// path between each two of these nodes.
//
// Before stage s, the position of a path is the number whose s highest digits are the target's and
// whose other digits are the source's. Its lowest digit is a port of the router, its other digits
// are the router's row. In the reversed butterfly, source and target are exchanged. A path passes a
// router if the router's row has the path's digits that are fixed at that stage.
#include "runtime-sim/noc/route.h"

struct fly_position {
    uint32_t stage, row;
};

// The result is not exact if it exceeds the limit that noc_check enforces.
uint32_t noc_fly_terminals(const struct noc_config *config)
{
    uint32_t nodes = 1;
    if (config->topology != NOC_FLY)
        return 0;
    for (uint32_t i = 0; i < config->stages && nodes <= UINT16_MAX; i++)
        nodes *= config->radix;
    return nodes;
}

// Returns the weight of a digit with `above` digits above it, in a number of `stages` digits.
static uint32_t weight_of(const struct noc_config *config, uint32_t above)
{
    uint32_t weight = 1;
    for (uint32_t i = above + 1; i < config->stages; i++)
        weight *= config->radix;
    return weight;
}

uint32_t noc_fly_router(const struct noc_config *config, uint32_t stage, uint32_t from, uint32_t to)
{
    uint32_t radix = config->radix, weight = weight_of(config, stage);
    uint32_t row = to / radix / weight * weight + from / radix % weight;
    return stage * weight_of(config, 0) + row;
}

// Returns the router at which a node's packets enter or leave.
static struct fly_position position_of(const struct noc_config *config, uint32_t node, bool leave)
{
    uint32_t radix = config->radix, rows = weight_of(config, 0);
    if (node >= rows * radix)
        return (struct fly_position){(node - rows * radix) / rows, (node - rows * radix) % rows};
    uint32_t last = config->stages - 1;
    return (struct fly_position){leave != config->reversed ? last : 0, node / radix};
}

bool noc_reaches(const struct noc_config *config, uint32_t source, uint32_t target)
{
    if (config->topology != NOC_FLY || !config->router_nodes)
        return true;
    struct fly_position from = position_of(config, source, false),
                        to = position_of(config, target, true);
    struct fly_position first = config->reversed ? to : from, last = config->reversed ? from : to;
    uint32_t high = weight_of(config, first.stage), low = weight_of(config, last.stage);
    return first.stage <= last.stage && first.row / high == last.row / high &&
           first.row % low == last.row % low;
}

// Stage s fixes the digit that is s-th from the highest; reversed, the digit that stage s − 1 would
// fix, and stage 0 the lowest. The row of a target at a router has all digits that the path has
// fixed.
uint16_t noc_fly_port(const struct noc *noc, uint32_t router, uint32_t target)
{
    const struct noc_config *config = &noc->config;
    uint32_t radix = config->radix, stage = noc->router[router].x, above = stage;
    if (config->router_nodes) {
        if (noc->routing.node_exit[target] == router)
            return noc->routing.node_port[target];
        target = position_of(config, target, true).row * radix;
    }
    if (config->reversed)
        above = (stage ? stage : config->stages) - 1;
    return (uint16_t)(target / weight_of(config, above) % radix);
}
