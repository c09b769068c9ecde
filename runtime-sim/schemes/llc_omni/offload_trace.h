// What happens to chains as a trace (base/trace.h) in which a microsecond is a cycle: in the
// process of each core a row for the chains of each warp slot, and one for the packets of each
// entry of its offload queue; and a process for each service queue, with a row for each of its
// entries. A row is named when something comes to stand on it.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/gpu/machine_state.h"

// Processes of service queues are numbered from *process on. Needs a machine that offloads and has
// run nothing yet. Who listens to it already (llc_omni_listen) goes on to do so.
void *offload_trace_begin(struct machine *machine, void *state, struct arena *arena,
                          struct trace *to, uint32_t *process);
// What is not over is open up to this cycle.
void offload_trace_end(void *trace, uint64_t now);
