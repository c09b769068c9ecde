#include "runtime-sim/schemes/stacks/stacks.h"
#include "support/bits.h"
#include <stdio.h>

struct stack_trace {
    struct stacks *stacks;
    struct trace *to;
    uint64_t core_clock; // MHz
    uint32_t process;    // of the first stack
    uint64_t *named;     // set of rows that have a name, by stack · ROWS + row
};

enum { ROWS = STACK_CROSS + STACKS_MAX };

static void name_row(struct stack_trace *t, uint32_t stack, uint32_t row)
{
    static const char *const names[] = {[STACK_TX] = "TX of stack", [STACK_RX] = "RX of stack"};
    struct trace_row at = {t->process + stack, row};
    bool any = false;
    if (bits_test(t->named, stack * ROWS + row))
        return;
    for (uint32_t i = 0; i < ROWS; i++)
        any |= bits_test(t->named, stack * ROWS + i);
    bits_set(t->named, stack * ROWS + row);
    if (!any && stack < t->stacks->count)
        trace_process(t->to, at.process, "stack", stack);
    else if (!any)
        trace_process(t->to, at.process, "link to the CPU", 0);
    if (stack == t->stacks->count)
        trace_row(t->to, at, "both directions", 0);
    else if (row < STACK_CROSS)
        trace_row(t->to, at, names[row], stack);
    else
        trace_row(t->to, at, "to stack", row - STACK_CROSS);
}

static const char *name_of(const struct stack_job *job, uint32_t row)
{
    bool back = row == STACK_RX || (row >= STACK_CROSS && !job->left);
    switch (job->kind) {
    case JOB_PACKET: return back ? "block back" : "block";
    case JOB_WALK: return back ? "walk back" : "walk";
    default: break;
    }
    if (job->write)
        return back ? "acknowledgement" : "write";
    return back ? "reply" : "read";
}

void stack_trace_packet(struct stack_trace *t, uint32_t stack, uint32_t row,
                        const struct stack_link *link, const struct stack_job *job, uint32_t flits)
{
    const struct trace_clock parts = {t->core_clock * TRACE_MICROSECOND,
                                      t->stacks->config->clock * link->clock};
    char args[64];
    struct trace_row at = {t->process + stack, row};
    name_row(t, stack, row);
    snprintf(args, sizeof args, "\"flits\":%u", flits);
    trace_span(t->to, at, trace_time(parts, link->free - flits * link->flit),
               trace_time(parts, link->free), "link", name_of(job, row), args);
}

struct stack_trace *stack_trace_begin(struct stacks *stacks, struct arena *arena, struct trace *to,
                                      uint64_t core_clock, uint32_t *process)
{
    struct stack_trace *t = ARENA_NEW(arena, struct stack_trace);
    *t = (struct stack_trace){.stacks = stacks,
                              .to = to,
                              .core_clock = core_clock,
                              .process = *process,
                              .named = bits_new(arena, (stacks->count + 1) * ROWS)};
    *process += stacks->count + 1;
    stacks->trace = t;
    return t;
}

void stack_trace_end(struct stack_trace *t)
{
    t->stacks->trace = NULL;
}
