// Configuration of offloading [000 §4], and events of chains.
#pragma once
#include "runtime-sim/base/config.h"
#include <stddef.h>
#include <stdint.h>

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

// Events of chains in chronological order, for tests and traces

enum offload_event {
#define OFFLOAD_EVENT(name, text) OFFLOAD_##name,
#include "runtime-sim/schemes/llc_omni/log.def"
#undef OFFLOAD_EVENT
    OFFLOAD_EVENTS,
};

struct offload_log {
    // Called for each event. `endpoint` is the endpoint of the event, `core` the owner of the
    // chain, and `entry` a warp slot of the core for events of a chain, an entry of its offload
    // queue for events of a packet.
    void (*report)(void *context, uint64_t cycle, enum offload_event event, uint32_t endpoint,
                   uint32_t core, uint32_t entry);
    void *context;
};

// Reports an event if the log has a callback.
static inline void offload_report(const struct offload_log *log, uint64_t cycle,
                                  enum offload_event event, uint32_t endpoint, uint32_t core,
                                  uint32_t entry)
{
    if (log->report)
        log->report(log->context, cycle, event, endpoint, core, entry);
}
