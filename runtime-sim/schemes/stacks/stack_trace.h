// Packets on the links of the stacks as a trace: a process for each stack, with rows for TX, RX and
// the links to other stacks; and one for the link to the CPU, while a mapping is learnt.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/schemes/stacks/stacks.h"

// Rows of a stack's process; the links to other stacks follow by their numbers.
enum stack_row { STACK_TX = 1, STACK_RX, STACK_CROSS };

// Processes are numbered from *process on, which is advanced. `core_clock`: MHz.
struct stack_trace *stack_trace_begin(struct stacks *stacks, struct arena *arena, struct trace *to,
                                      uint64_t core_clock, uint32_t *process);
// A packet of a job has been put on a link, which it leaves as the last one. `stack`: the process;
// the number of stacks for the link to the CPU.
void stack_trace_packet(struct stack_trace *trace, uint32_t stack, uint32_t row,
                        const struct stack_link *link, const struct stack_job *job, uint32_t flits);
void stack_trace_end(struct stack_trace *trace);
