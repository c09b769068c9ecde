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

struct offload_config {
#define CONFIG_DEF "runtime-sim/schemes/llc_omni/offload.def"
#include "runtime-sim/base/config_fields.inc"
};

enum {
    OFFLOAD_KEYS = 0
#define CONFIG_UINT(...) +1
#define CONFIG_BOOL(...) +1
#define CONFIG_CHOICE(...) +1
#include "runtime-sim/schemes/llc_omni/offload.def"
#undef CONFIG_UINT
#undef CONFIG_BOOL
#undef CONFIG_CHOICE
};

extern const struct config_key offload_keys[];
