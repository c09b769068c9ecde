#include "runtime-sim/schemes/llc_omni/meet_fly.h"

// The target's digits, from the highest to digit s, determine the channel after stage s. The digits
// before digit s determine the router in stage s.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second)
{
    uint32_t radix = network->radix, stage = network->stages - 1;
    for (first /= radix, second /= radix; first != second; first /= radix, second /= radix)
        stage--;
    return stage;
}

uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count)
{
    uint32_t stage = network->stages - 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t common = meet_fly_stage(network, to[0], to[i]);
        stage = common < stage ? common : stage;
    }
    return noc_fly_router(network, stage, from, to[0]);
}
