// Traces packets on the links of the stacks. Each stack has a process, with rows for TX, RX and the
// links to other stacks. Another process is for the link to the CPU, while a mapping is learnt.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/schemes/stacks/stacks.h"

// Rows of a stack's process. STACK_CROSS + i is the link to stack i.
enum stack_row { STACK_TX = 1, STACK_RX, STACK_CROSS };

// Starts the trace. Processes are numbered from *process on, which is advanced. `core_clock` is in
// MHz.
struct stack_trace *stack_trace_begin(struct stacks *stacks, struct arena *arena, struct trace *to,
                                      uint64_t core_clock, uint32_t *process);
// Writes the span of the packet of a job that has just been sent on a link. `stack` is the process;
// the number of stacks stands for the link to the CPU.
void stack_trace_packet(struct stack_trace *trace, uint32_t stack, uint32_t row,
                        const struct stack_link *link, const struct stack_job *job, uint32_t flits);
// Ends the trace.
void stack_trace_end(struct stack_trace *trace);
