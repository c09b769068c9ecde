// A trace of cores (base/trace.h) in which a microsecond is a cycle. Each core is a process with a
// row per warp slot, which shows the issued instruction or the stall reason in each cycle, and a
// row per CTA place.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/gpu/core/core.h"

// The open spans of a core. Each is written when it ends.
struct core_trace {
    struct trace *to;
    struct core_trace_warp {
        uint64_t since;
        uint8_t reason;
        const struct timing *timing; // issued instruction
        uint32_t cta, warp;          // linear index in the grid; index in the CTA
    } slots[CORE_WARPS];
    uint64_t ctas[CORE_CTAS]; // cycle in which each CTA started
};

// Names the process of the core, whose number is the core's + 1, and its rows.
void core_trace_name(const struct core *core, struct trace *to);
// Starts the trace at this cycle.
void core_trace_begin(struct core *core, struct arena *arena, struct trace *to, uint64_t now);
// Ends all spans of a core at this cycle. Requires core_settle.
void core_trace_end(struct core *core, uint64_t now);

// The states of slots, for the trace and for the counts by instruction (sites.h). Require
// core->followed.

// Sets the state of the slot from this cycle on. WARP_SLOT_READY is resolved by core_follow_ready.
void core_follow_state(struct core *core, uint64_t now, uint32_t slot, uint32_t state);
// Sets the state of ready slots in a word from this cycle on: those in `chosen` issue, those in
// `blocked` wait for their unit, including those in `by_memory`, which wait for the load/store
// unit; others were not selected.
void core_follow_ready(struct core *core, uint64_t now, uint32_t word, uint64_t chosen,
                       uint64_t blocked, uint64_t by_memory);

// Start and end the span of a CTA at a place. Require core->trace.
void core_trace_cta_begins(struct core *core, uint64_t now, uint32_t place);
void core_trace_cta_ends(struct core *core, uint64_t now, uint32_t place);
