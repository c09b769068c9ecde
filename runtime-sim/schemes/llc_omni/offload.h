// Configuration of offloading [000 §4].
#pragma once
#include "runtime-sim/base/config.h"

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
