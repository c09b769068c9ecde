// Events of chains in chronological order, for tests and traces.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum offload_event {
#define OFFLOAD_EVENT(name, text) OFFLOAD_##name,
#include "runtime-sim/schemes/llc_omni/log.def"
#undef OFFLOAD_EVENT
    OFFLOAD_EVENTS,
};

struct offload_log {
    // Called for each event. `end` is the endpoint of the event, `core` the owner of the chain, and
    // `entry` a warp slot of the core for events of a chain, an entry of its offload queue for
    // events of a packet.
    void (*report)(void *context, uint64_t cycle, enum offload_event event, uint32_t end,
                   uint32_t core, uint32_t entry);
    void *context;
};

// Reports an event if the log has a callback.
static inline void offload_report(const struct offload_log *log, uint64_t cycle,
                                  enum offload_event event, uint32_t end, uint32_t core,
                                  uint32_t entry)
{
    if (log->report)
        log->report(log->context, cycle, event, end, core, entry);
}
