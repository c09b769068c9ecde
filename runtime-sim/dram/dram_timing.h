// Minimum clocks between commands, computed from the keys of dram.def.
#pragma once
#include "runtime-sim/base/config.h"

struct dram_config {
#define CONFIG_DEF "runtime-sim/dram/dram.def"
#include "runtime-sim/base/config_fields.inc"
};

struct dram_timing {
    // within a bank
    uint32_t act_read, act_write, act_pre, act_act, pre_act, read_pre, write_pre;
    // within a channel, and within a bank group
    uint32_t act_any, act_group, act_fourth;
    uint32_t read_read, read_read_group, write_write, write_write_group;
    uint32_t read_write, write_read, write_read_group;
    uint32_t refresh;
    // to the clock after the last data transfer
    uint32_t read_end, write_end;
};

// Computes the timing of a configuration.
void dram_timing_init(struct dram_timing *timing, const struct dram_config *config);
