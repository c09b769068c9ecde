#include "runtime-sim/schemes/llc_omni/log.h"

const char *offload_event_text(enum offload_event event)
{
    static const char *const texts[] = {
#define OFFLOAD_EVENT(name, text) text,
#include "runtime-sim/schemes/llc_omni/log.def"
#undef OFFLOAD_EVENT
    };
    return texts[event];
}
