// The scheme's state of a machine, for the files of the scheme.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/llc_omni/offload_queue.h"
#include "runtime-sim/schemes/llc_omni/service.h"

struct machine_offload {
    struct machine *machine;
    struct offload_shared shared;
    struct offload_stats stats;
    struct service_hooks hooks;
    struct service_stats service_stats;
    struct service_energy at_cores, elsewhere;
    struct service *services; // by endpoint
    uint32_t ends;            // number of endpoints
    uint32_t back_input;      // slice input for loads that service queues send back
    union lanes *operands;    // values in memory by endpoint, entry and load, for offload.compare
};

// Implement struct scheme_memory and struct scheme_report (gpu/scheme/scheme.h):
// machine_offload_create is `create`, machine_offload_serve is `serve`. The plan is a struct
// offload_table, the state a struct machine_offload.
void *machine_offload_create(struct machine *machine, const void *config, const void *plan);
void machine_offload_extend(struct machine *machine, void *state, struct memsys_tables *tables);
void machine_offload_connect(struct machine *machine, void *state);
void machine_offload_launch(struct machine *machine, void *state, bool begins);
const char *machine_offload_shortfall(const struct machine *machine, const void *state,
                                      struct arena *arena);
void machine_offload_serve(struct machine *machine, void *state,
                           const struct memsys_request *request);
void machine_offload_tick(struct machine *machine, void *state);
uint64_t machine_offload_next(const struct machine *machine, const void *state);
void machine_offload_settle(struct machine *machine, void *state);

// Traces the events of chains (base/trace.h); a microsecond of the trace is a cycle. The process of
// each core has a row for the chains of each warp slot, and one for the packets of each entry of
// its offload queue. Each service queue has a process with a row for each of its entries. A row
// gets its name with its first event.

// Starts the trace, and returns its state. Processes of service queues are numbered from *process
// on. Requires a machine that offloads and has not run yet. A log that was set before still gets
// all events.
void *offload_begin_trace(struct machine *machine, void *state, struct arena *arena,
                          struct trace *to, uint32_t *process);
// Ends the trace: writes the open spans up to this cycle.
void offload_end_trace(void *trace, uint64_t now);
