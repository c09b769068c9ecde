// The machine as a trace: its cores, the memory system, and active schemes.
#include "runtime-sim/gpu/core_trace.h"
#include "runtime-sim/gpu/machine_state.h"
#include "runtime-sim/memsys/memsys_trace.h"

struct machine_trace {
    struct trace *to;
    struct memsys_trace *memsys;
    void *of_scheme[SCHEMES_MOST]; // of active schemes; NULL: they trace nothing
    bool closed;                   // except for packets in flight and schemes
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
    uint32_t process = machine->count + 1;
    t->memsys = memsys_trace_begin(machine->shared.memsys, arena, to, process);
    process += memsys_trace_processes(machine->shared.memsys);
    EACH_SCHEME (scheme, machine, begin_trace)
        t->of_scheme[scheme - machine->schemes] =
            scheme->ops->begin_trace(machine, scheme->state, arena, to, &process);
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
    struct machine_trace *t = machine->trace;
    machine_trace_close(machine);
    EACH_SCHEME (scheme, machine, end_trace)
        scheme->ops->end_trace(t->of_scheme[scheme - machine->schemes], machine->now);
    trace_settle(t->to);
    machine->trace = NULL;
}
