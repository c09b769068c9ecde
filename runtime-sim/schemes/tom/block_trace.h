// Offloaded blocks as a trace: rows of warp slots with the phases of a block, in the GPU and in the
// stacks.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/schemes/tom/offload.h"

void *tom_trace_begin(struct machine *machine, void *state, struct arena *arena, struct trace *to,
                      uint32_t *process);
void tom_trace_end(void *trace, uint64_t now);
// The block of a slot has left its state, which it has had since `since`.
void tom_trace_phase(struct tom_trace *trace, const struct tom_run *run, uint64_t since,
                     uint64_t now);
// A block has ended in a slot of its stack's core.
void tom_trace_block(struct tom_trace *trace, const struct tom_run *run, uint32_t slot,
                     uint64_t now);
