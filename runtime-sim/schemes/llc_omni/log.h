// The events of chains, in their order, for tests and traces.
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
    // `end`: the endpoint of the event; `core`, `entry`: the owner of the chain; `entry` is the
    // warp's slot for events of the offload queue, the queue's entry elsewhere.
    void (*report)(void *context, uint64_t cycle, enum offload_event event, uint32_t end,
                   uint32_t core, uint32_t entry);
    void *context;
};

static inline void offload_report(const struct offload_log *log, uint64_t cycle,
                                  enum offload_event event, uint32_t end, uint32_t core,
                                  uint32_t entry)
{
    if (log->report)
        log->report(log->context, cycle, event, end, core, entry);
}
