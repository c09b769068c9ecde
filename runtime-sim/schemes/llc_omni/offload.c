#include <assert.h>
#include "runtime-sim/schemes/llc_omni/offload.h"

const struct config_key offload_keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/llc_omni/offload.def"
#define CONFIG_OF struct offload_config
#include "runtime-sim/base/config_keys.inc"
};
static_assert(ARRAY_LENGTH(offload_keys) == OFFLOAD_KEYS, "as many as rows");
