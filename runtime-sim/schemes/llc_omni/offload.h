// The policy of offloading, and its configuration [000 §4].
#pragma once
#include "runtime-sim/base/config.h"

// Values of the key `policy`, in this order.
enum offload_policy {
    OFFLOAD_BASELINE, // nothing
    OFFLOAD_LLC,      // to LLC partitions, if all loads of a chain go to one
    OFFLOAD_OMNI,     // also to the node where the routes of two loads meet
    OFFLOAD_ADAPTIVE, // the same, for chains that are measured to save traffic
};

// Values of the keys of loads and of full queues, in their order.
enum offload_lookups { OFFLOAD_LOOK_ALL, OFFLOAD_LOOK_FIRST };
enum offload_pending { OFFLOAD_PENDING_HITS, OFFLOAD_PENDING_MISSES };
enum offload_flushed { OFFLOAD_FLUSHED_ALLOCATE, OFFLOAD_FLUSHED_DIRECT };
enum offload_bounced { OFFLOAD_BOUNCED_DIRECT, OFFLOAD_BOUNCED_ALLOCATE };
enum offload_full { OFFLOAD_FULL_BOUNCE, OFFLOAD_FULL_WAIT, OFFLOAD_FULL_CREDITS };

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
