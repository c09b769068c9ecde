#include "passes/analysis/cost/bandwidth.h"

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
        .scale = BW_QUARTERS,
        .in = registers(registers_in, predicates_in),
        .out = registers(registers_out, predicates_out),
        .saved_tx = missed + st * (BW_WARP + 1) * BW_QUARTERS,
        .saved_rx = missed * BW_LINE + st,
    };
}

static int64_t limited(uint64_t parts)
{
    return parts > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)parts;
}

struct bandwidth bandwidth_refined(uint64_t in, uint64_t out, uint64_t saved_tx, uint64_t saved_rx)
{
    return (struct bandwidth){.scale = BW_REFINED,
                              .in = limited(in),
                              .out = limited(out),
                              .saved_tx = limited(saved_tx),
                              .saved_rx = limited(saved_rx)};
}

double bandwidth_tx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->in - iterations * (double)bw->saved_tx) / (double)bw->scale;
}

double bandwidth_rx(const struct bandwidth *bw, double iterations)
{
    return ((double)bw->out - iterations * (double)bw->saved_rx) / (double)bw->scale;
}

uint64_t bandwidth_threshold(int64_t cost, int64_t saved)
{
    return saved > 0 ? (uint64_t)(cost / saved) + 1 : 0;
}
