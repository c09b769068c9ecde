#include "passes/bandwidth.h"

static int64_t registers(uint32_t whole, uint32_t predicates)
{
    return ((int64_t)whole * BW_WARP + predicates) * BW_QUARTERS;
}

struct bandwidth bandwidth_of(uint32_t registers_in, uint32_t predicates_in, uint32_t registers_out,
                              uint32_t predicates_out, uint64_t loads, uint64_t stores)
{
    int64_t ld = loads > BW_MOST ? BW_MOST : (int64_t)loads;
    int64_t st = stores > BW_MOST ? BW_MOST : (int64_t)stores;
    int64_t missed = ld * BW_QUARTERS / 2; // in quarters: half of the loads miss
    return (struct bandwidth){
        .in = registers(registers_in, predicates_in),
        .out = registers(registers_out, predicates_out),
        .saved_tx = missed + st * (BW_WARP + 1) * BW_QUARTERS,
        .saved_rx = missed * BW_LINE + st,
    };
}

double bandwidth_tx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->in - iterations * (double)bw->saved_tx) / BW_QUARTERS;
}

double bandwidth_rx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->out - iterations * (double)bw->saved_rx) / BW_QUARTERS;
}

uint64_t bandwidth_threshold(int64_t cost, int64_t saved)
{
    return saved > 0 ? (uint64_t)(cost / saved) + 1 : 0;
}
