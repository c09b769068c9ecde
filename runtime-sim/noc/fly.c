// Butterflies: radix^stages nodes, radix^(stages − 1) routers in each stage, and one way from each
// node to each.
#include "runtime-sim/noc/noc.h"

// More than there may be, which noc_check finds out, are not counted to the end.
uint32_t noc_fly_terminals(const struct noc_config *config)
{
    uint64_t nodes = 1;
    if (config->topology != NOC_FLY)
        return 0;
    for (uint64_t i = 0; i < config->stages && nodes <= UINT16_MAX; i++)
        nodes *= config->radix;
    return (uint32_t)nodes;
}

// The stages before it have put as many digits of the target in place, from the highest; those
// below are still the source's. The lowest is the port.
uint32_t noc_fly_router(const struct noc_config *config, uint32_t stage, uint32_t from, uint32_t to)
{
    uint32_t radix = (uint32_t)config->radix, in_stage = noc_fly_terminals(config) / radix;
    uint32_t weight = in_stage * radix;
    for (uint32_t i = 0; i < stage; i++)
        weight /= radix;
    uint32_t number = to / weight * weight + from % weight;
    return stage * in_stage + number / radix;
}
