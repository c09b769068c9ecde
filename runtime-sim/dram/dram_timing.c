#include "runtime-sim/dram/dram_timing.h"

void dram_timing_init(struct dram_timing *t, const struct dram_config *c)
{
    uint32_t column = larger(c->tCCD, c->burst), written = c->CWL + c->burst;
    // The data of a read end before those of a write begin, for all latencies.
    uint32_t read_end = c->tCL + c->burst + c->turnaround;
    *t = (struct dram_timing){
        .act_read = c->tRCD,
        .act_write = c->tRCD_write ? c->tRCD_write : c->tRCD,
        .act_pre = c->tRAS,
        .act_act = c->tRC,
        .pre_act = c->tRP,
        .read_pre = c->tRTP,
        .write_pre = written + c->tWR,
        .act_any = c->tRRD,
        .act_group = larger(c->tRRD, c->tRRD_L),
        .act_fourth = c->tFAW,
        .read_read = column,
        .read_read_group = larger(column, c->tCCD_L),
        .write_write = column,
        .write_write_group = larger(column, c->tCCD_L),
        .read_write = larger(1, read_end > c->CWL ? read_end - c->CWL : 0),
        .write_read = written + c->tWTR,
        .write_read_group = written + larger(c->tWTR, c->tWTR_L),
        .refresh = c->tRFC,
        .read_end = c->tCL + c->burst + c->delay,
        .write_end = written + c->delay,
    };
}
