#include "runtime-sim/noc/noc.h"

const struct config_key noc_keys[] = {
#define CONFIG_DEF "runtime-sim/noc/noc.def"
#define CONFIG_OF struct noc_config
#include "runtime-sim/base/config_keys.inc"
};

const uint32_t noc_key_count = ARRAY_LENGTH(noc_keys);
