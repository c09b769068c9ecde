// What is offloaded, and the parts of the machine that do it [000 §4].
#pragma once
#include "runtime-sim/base/config.h"

// Of the key `policy`, in this order.
enum offload_policy {
    OFFLOAD_BASELINE, // nothing
    OFFLOAD_LLC,      // to LLC partitions, where all loads of a chain go to one
    OFFLOAD_OMNI,     // also to the node where two loads' ways meet
    OFFLOAD_ADAPTIVE, // the same, as long as it is measured to be of use
};

extern const char *const offload_policy_names[]; // by policy; NULL behind the last

struct offload_config {
#define CONFIG_DEF "runtime-sim/schemes/llc_omni/offload.def"
#include "runtime-sim/base/config_fields.inc"
};

extern const struct config_key offload_keys[];
extern const uint32_t offload_key_count;
