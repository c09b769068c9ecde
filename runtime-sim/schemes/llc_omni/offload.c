#include "runtime-sim/schemes/llc_omni/offload.h"

const struct config_key offload_keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/llc_omni/offload.def"
#define CONFIG_OF struct offload_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t offload_key_count = sizeof offload_keys / sizeof *offload_keys;

const char *const offload_policy_names[] = {
    [OFFLOAD_BASELINE] = "baseline", [OFFLOAD_LLC] = "llc",         [OFFLOAD_OMNI] = "omni",
    [OFFLOAD_ADAPTIVE] = "adaptive", [OFFLOAD_ADAPTIVE + 1] = NULL,
};
