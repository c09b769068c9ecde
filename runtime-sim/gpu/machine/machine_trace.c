// The machine as a trace: its cores, the memory system, and active schemes.
#include "runtime-sim/gpu/core/core_trace.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "runtime-sim/memsys/memsys_trace.h"

// Counters of the whole machine: means over an interval, or values at its end.
enum { COUNTER_EVERY = 32 };

struct machine_counted {
    uint64_t at, instructions, data_clocks;
};

struct machine_trace {
    struct trace *to;
    struct machine_counted counted; // values at the start of the interval
    struct memsys_trace *memsys;
    void **of_scheme; // per active scheme; NULL: it traces nothing
    bool closed;      // except for packets in flight and schemes
};

static struct machine_counted count_now(const struct machine *machine)
{
    struct machine_counted now = {.at = machine->now,
                                  .data_clocks = memsys_data_clocks(machine->shared.memsys)};
    for (uint32_t i = 0; i < machine->count; i++)
        now.instructions += machine->cores[i].stats.thread_instructions;
    return now;
}

static double dram_share(const struct machine *machine, uint64_t data_clocks, double cycles)
{
    const struct memsys_config *config = &machine->config->memsys;
    double channels = memsys_memories(config) * (double)config->dram.channels;
    double clocks = cycles * (double)config->dram.clock / (double)config->memory.core_clock;
    return 100 * (double)data_clocks / (channels * clocks);
}

static void trace_counters(struct machine *machine)
{
    struct machine_trace *t = machine->trace;
    const struct machine_counted before = t->counted, now = count_now(machine);
    const struct memsys *memsys = machine->shared.memsys;
    double cycles = (double)(now.at - before.at);
    uint64_t at = trace_microseconds(before.at), end = trace_microseconds(now.at);
    const char *names[SCHEME_COUNTERS];
    double values[SCHEME_COUNTERS];
    trace_counter(t->to, TRACE_COUNTERS, "IPC", at,
                  (double)(now.instructions - before.instructions) / cycles);
    trace_counter(t->to, TRACE_COUNTERS, "DRAM data bus, % of the peak", at,
                  dram_share(machine, now.data_clocks - before.data_clocks, cycles));
    trace_counter(t->to, TRACE_COUNTERS, "requests in the memory system", end,
                  (double)memsys_inside(memsys));
    trace_counter(t->to, TRACE_COUNTERS, "packets in the request network", end,
                  (double)noc_in_flight(memsys_noc(memsys, MEMSYS_REQUESTS)));
    trace_counter(t->to, TRACE_COUNTERS, "packets in the reply network", end,
                  (double)noc_in_flight(memsys_noc(memsys, MEMSYS_REPLIES)));
    EACH_SCHEME (scheme, machine, report.counters) {
        uint32_t count = scheme->ops->report.counters(machine, scheme->state, names, values);
        for (uint32_t i = 0; i < count; i++)
            trace_counter(t->to, TRACE_COUNTERS, names[i], end, values[i]);
    }
    t->counted = now;
}

void machine_trace_name(const struct machine *machine, struct trace *to)
{
    for (uint32_t i = 0; i < machine->count; i++)
        core_trace_name(&machine->cores[i], to);
    memsys_trace_name(machine->shared.memsys, to, machine->count + 1);
    trace_process(to, TRACE_COUNTERS, "machine", 0);
}

void machine_trace_begin(struct machine *machine, struct arena *arena, struct trace *to)
{
    struct machine_trace *t = machine->trace = ARENA_NEW(arena, struct machine_trace);
    *t =
        (struct machine_trace){.to = to,
                               .counted = count_now(machine),
                               .of_scheme = ARENA_ARRAY(arena, void *, machine->schemes.count + 1)};
    to->origin = trace_microseconds(machine->start);
    for (uint32_t i = 0; i < machine->count; i++)
        core_trace_begin(&machine->cores[i], arena, to, machine->now);
    uint32_t process = machine->count + 1;
    t->memsys = memsys_trace_begin(machine->shared.memsys, arena, to, process);
    process += memsys_trace_processes(machine->shared.memsys);
    EACH_SCHEME (scheme, machine, report.begin_trace)
        t->of_scheme[scheme - machine->schemes.active] =
            scheme->ops->report.begin_trace(machine, scheme->state, arena, to, &process);
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
    if (machine->now >= t->counted.at + COUNTER_EVERY)
        trace_counters(machine);
    if (trace_microseconds(machine_cycle(machine)) >= t->to->until)
        machine_trace_close(machine);
    trace_settle(t->to);
}

void machine_trace_end(struct machine *machine)
{
    struct machine_trace *t = machine->trace;
    machine_trace_close(machine);
    EACH_SCHEME (scheme, machine, report.end_trace)
        scheme->ops->report.end_trace(t->of_scheme[scheme - machine->schemes.active], machine->now);
    trace_settle(t->to);
    machine->trace = NULL;
}
