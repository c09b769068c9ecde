// Traces offloaded blocks: rows for warp slots, with the phases of a block, in the GPU and in the
// stacks.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/schemes/tom/offload.h"

// Implement `begin_trace` and `end_trace` of struct scheme_report.
void *tom_trace_begin(struct machine *machine, void *state, struct arena *arena, struct trace *to,
                      uint32_t *process);
void tom_trace_end(void *trace, uint64_t now);
// Writes the span of the state that the block of a slot leaves now, and entered at `since`.
void tom_trace_phase(struct tom_trace *trace, const struct tom_run *run, uint64_t since,
                     uint64_t now);
// Writes the span of a block that has ended in a slot of its stack's core.
void tom_trace_block(struct tom_trace *trace, const struct tom_run *run, uint32_t slot,
                     uint64_t now);
