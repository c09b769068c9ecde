// The machine as a trace: its cores, and what is behind them.
#include "runtime-sim/gpu/core_trace.h"
#include "runtime-sim/gpu/machine_state.h"
#include "runtime-sim/gpu/memsys_trace.h"

struct machine_trace {
    struct trace *to;
    struct memsys_trace *memsys;
    bool closed; // but for packets that are on their way
};

void machine_trace_name(const struct machine *machine, struct trace *to)
{
    for (uint32_t i = 0; i < machine->count; i++)
        core_trace_name(&machine->cores[i], to);
    memsys_trace_name(machine->shared.memsys, to, machine->count + 1);
}

void machine_trace_begin(struct machine *machine, struct arena *arena, struct trace *to)
{
    struct machine_trace *t = machine->trace = ARENA_NEW(arena, struct machine_trace);
    *t = (struct machine_trace){.to = to};
    to->origin = trace_microseconds(machine->start);
    for (uint32_t i = 0; i < machine->count; i++)
        core_trace_begin(&machine->cores[i], arena, to, machine->now);
    t->memsys = memsys_trace_begin(machine->shared.memsys, arena, to, machine->count + 1);
}

void machine_trace_close(struct machine *machine)
{
    struct machine_trace *t = machine->trace;
    if (t->closed)
        return;
    for (uint32_t i = 0; i < machine->count; i++) {
        core_settle(&machine->cores[i], machine->now);
        core_trace_end(&machine->cores[i], machine->now);
    }
    memsys_trace_end(t->memsys, machine->now);
    t->closed = true;
}

void machine_trace_cycle(struct machine *machine)
{
    struct machine_trace *t = machine->trace;
    if (trace_microseconds(machine_cycle(machine)) >= t->to->until)
        machine_trace_close(machine);
    trace_settle(t->to);
}

void machine_trace_end(struct machine *machine)
{
    machine_trace_close(machine);
    trace_settle(machine->trace->to);
    machine->trace = NULL;
}
