// Traces the events of chains (base/trace.h); a microsecond of the trace is a cycle. The process of
// each core has a row for the chains of each warp slot, and one for the packets of each entry of
// its offload queue. Each service queue has a process with a row for each of its entries. A row
// gets its name with its first event.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/gpu/scheme/ports.h"

// Starts the trace, and returns its state. Processes of service queues are numbered from *process
// on. Requires a machine that offloads and has not run yet. A log that was set before still gets
// all events.
void *offload_trace_begin(struct machine *machine, void *state, struct arena *arena,
                          struct trace *to, uint32_t *process);
// Ends the trace: writes the open spans up to this cycle.
void offload_trace_end(void *trace, uint64_t now);
