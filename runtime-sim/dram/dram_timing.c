#include "runtime-sim/dram/dram_timing.h"

static uint32_t most(uint64_t a, uint64_t b)
{
    return (uint32_t)(a > b ? a : b);
}

void dram_timing_init(struct dram_timing *t, const struct dram_config *c)
{
    uint64_t column = most(c->tCCD, c->burst), written = c->CWL + c->burst;
    // The data of a read must end before those of a write begin, for all latencies.
    uint64_t read_end = c->tCL + c->burst + c->turnaround;
    *t = (struct dram_timing){
        .act_read = (uint32_t)c->tRCD,
        .act_write = (uint32_t)(c->tRCD_write ? c->tRCD_write : c->tRCD),
        .act_pre = (uint32_t)c->tRAS,
        .act_act = (uint32_t)c->tRC,
        .pre_act = (uint32_t)c->tRP,
        .read_pre = (uint32_t)c->tRTP,
        .write_pre = (uint32_t)(written + c->tWR),
        .act_any = (uint32_t)c->tRRD,
        .act_group = most(c->tRRD, c->tRRD_L),
        .act_fourth = (uint32_t)c->tFAW,
        .read_read = (uint32_t)column,
        .read_read_group = most(column, c->tCCD_L),
        .write_write = (uint32_t)column,
        .write_write_group = most(column, c->tCCD_L),
        .read_write = most(1, read_end > c->CWL ? read_end - c->CWL : 0),
        .write_read = (uint32_t)(written + c->tWTR),
        .write_read_group = (uint32_t)written + most(c->tWTR, c->tWTR_L),
        .refresh = (uint32_t)c->tRFC,
        .read_end = (uint32_t)(c->tCL + c->burst + c->delay),
        .write_end = (uint32_t)(written + c->delay),
    };
}
