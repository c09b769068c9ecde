// Traces the host in the machine's trace: a process with rows for calls, the driver, the copy
// engines and each stream.
#include "runtime-sim/base/trace.h"
#include "runtime-sim/host/host_state.h"
#include <inttypes.h>

enum { ROW_CALLS, ROW_DRIVER, ROW_TO_DEVICE, ROW_TO_HOST, ROW_STREAMS };

struct host_trace {
    struct trace *to;
    uint64_t last[2]; // end of the last copy of each direction
    uint32_t named;   // number of streams whose rows have a name
};

void host_trace_begin(struct host *host)
{
    static const char *const names[] = {"calls", "driver", "copies to the device",
                                        "copies to the host"};
    if (!host->gpus->timed || !host->gpus->timed->trace)
        return;
    host->trace = ARENA_NEW(host->gpus->device->arena, struct host_trace);
    *host->trace = (struct host_trace){.to = host->gpus->timed->trace};
    trace_process(host->trace->to, TRACE_HOST, "host", 0);
    for (uint32_t i = 0; i < ROW_STREAMS; i++)
        trace_row(host->trace->to, (struct trace_row){TRACE_HOST, i}, names[i], 0);
}

static void write_span(struct host *host, uint32_t row, uint64_t from, uint64_t until,
                       const char *name, const char *args)
{
    struct host_trace *trace = host->trace;
    const struct trace_clock clock = {host->gpus->clock, TRACE_MICROSECOND};
    uint64_t origin = trace->to->origin, begin = trace_time(clock, from);
    uint64_t end = trace_time(clock, until);
    if (end > begin && begin >= origin)
        trace_span(trace->to, (struct trace_row){TRACE_HOST, row}, begin - origin, end - origin,
                   "host", name, args);
}

void host_trace_call(struct host *host, const char *name, uint64_t from, uint64_t until)
{
    if (host->trace)
        write_span(host, ROW_CALLS, from, until, name, NULL);
}

static const char *name_of(const struct host_command *command)
{
    switch (command->command.kind) {
    case COMMAND_LAUNCH: return command->command.launch->kernel->name;
    case COMMAND_COPY: return "copy";
    case COMMAND_SET: return "set";
    case COMMAND_CALL: break;
    }
    return "call";
}

void host_trace_driver(struct host *host, const struct host_command *command, uint64_t until)
{
    if (host->trace)
        write_span(host, ROW_DRIVER, command->driver, until, name_of(command), NULL);
}

// Writes the span of a copy. An engine executes its copies one after the other.
static void write_copy(struct host *host, const struct host_command *command, const char *args)
{
    struct host_trace *trace = host->trace;
    uint32_t direction = host_direction(&command->command);
    uint64_t *last = direction < 2 ? &trace->last[direction] : NULL;
    if (!last)
        return;
    uint64_t from = command->begun > *last ? command->begun : *last;
    write_span(host, ROW_TO_DEVICE + direction, from, command->ended, "copy", args);
    *last = command->ended;
}

void host_trace_execution(struct host *host, const struct host_command *command)
{
    struct host_trace *trace = host->trace;
    const struct host_stream *stream = command->stream;
    char args[96];
    if (!trace || command->at_once)
        return;
    for (; trace->named <= stream->number; trace->named++)
        trace_row(trace->to, (struct trace_row){TRACE_HOST, ROW_STREAMS + trace->named}, "stream",
                  trace->named);
    snprintf(args, sizeof args, "\"command\": %" PRIu64 ", \"bytes\": %" PRIu64, command->number,
             command->command.bytes);
    write_span(host, ROW_STREAMS + stream->number, command->begun, command->ended, name_of(command),
               args);
    write_copy(host, command, args);
}
