// What happens to chains, told in the order in which it happens: for tests and traces.
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
    // `end`: the core or partition where it happens; `core`, `entry`: whose chain it is, the warp's
    // slot for what the offload queue does, the queue's entry elsewhere.
    void (*tell)(void *context, uint64_t cycle, enum offload_event event, uint32_t end,
                 uint32_t core, uint32_t entry);
    void *context;
};

static inline void offload_tell(const struct offload_log *log, uint64_t cycle,
                                enum offload_event event, uint32_t end, uint32_t core,
                                uint32_t entry)
{
    if (log->tell)
        log->tell(log->context, cycle, event, end, core, entry);
}
