#include "runtime-sim/noc/shapes.h"
#include "runtime-sim/noc/packets.h"

// Returns true if both allocators use masks and one iteration, and routes come from a table.
static bool is_plain(const struct noc *noc)
{
    return noc->alloc.has_vc_rows && noc->alloc.has_switch_rows &&
           noc->config.sw_alloc_iterations == 1 && noc->config.st_final_delay == 1 &&
           noc->delay.routing && noc->routing.table && !noc->config.ideal && !noc->shuffle;
}

void noc_choose_tick(struct noc *noc)
{
    static const struct {
        uint32_t shift;
        noc_step *tick;
    } shapes[] = {{2, noc_tick_4}, {3, noc_tick_8}};
    noc->tick = noc->packets ? noc_packets_tick : noc_tick_any;
    if (noc->packets)
        return;
    for (uint32_t i = 0; i < ARRAY_LENGTH(shapes); i++)
        if (is_plain(noc) && noc->shape.in_shift == 6 && noc->shape.ring == 7 &&
            noc->shape.shift == shapes[i].shift)
            noc->tick = shapes[i].tick;
}
