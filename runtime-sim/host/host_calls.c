// Calls of the host, which enqueue commands or wait for them.
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/host/host_state.h"

// Enqueues a command. The call takes `call` picoseconds.
static struct host_command *enqueue(struct host_stream *stream, const char *name,
                                    struct host_command made, uint64_t call)
{
    struct host *host = stream->host;
    struct host_gpu *gpu = stream->gpu;
    struct host_command *command = ARENA_NEW(&gpu->device->queue_arena, struct host_command);
    *command = made;
    host_trace_call(host, name, host->now, host->now + call);
    host->now += call;
    gpu->counts.calls += call / HOST_NS;
    gpu->counts.commands += !made.at_once;
    host->gpus->counts.runtime = host_runtime(host) / HOST_NS;
    command->stream = stream;
    command->gpu = made.gpu ? made.gpu : gpu;
    command->number = ++host->calls;
    command->enqueued = host->now;
    *(stream->last ? &stream->last->next : &stream->first) = command;
    stream->last = command;
    host->open++;
    host_set_apart(host, command);
    host_log_add(host, &command->command);
    return command;
}

// Returns the device that has these bytes; `first` if it has them, too, or if no device has them.
static struct host_gpu *gpu_of(struct host_gpu *first, uint64_t address, uint64_t bytes)
{
    struct host *host = first->host;
    for (uint32_t i = 0; host->gpu_count > 1 && i < host->gpu_count; i++)
        if (!device_owns(first->device, address, bytes) &&
            device_owns(host->gpus[i].device, address, bytes))
            return &host->gpus[i];
    return first;
}

const char *host_check_copy(struct host *host, const struct host_copy *copy)
{
    const uint64_t ends[] = {copy->from, copy->to};
    // Memory without bits is always full, so filling it is allowed and has no effect.
    bool has_state = copy->mark && copy->mark != plane_mark(PLANE_ALWAYS, PLANE_FILL);
    for (int i = 0; i < 2; i++) {
        const struct device *device = gpu_of(host->gpus, ends[i], copy->bytes)->device;
        if (ends[i] && !device_at(device, ends[i], copy->bytes))
            return "the bytes are not in one live allocation";
        if (ends[i] && has_state && !plane_covers(device->image, ends[i], copy->bytes))
            return "a trigger or emptying words needs memory with full/empty bits";
    }
    if (copy->to && copy->from && copy->to < copy->from + copy->bytes &&
        copy->from < copy->to + copy->bytes)
        return "source and destination overlap";
    return NULL;
}

// Finds the bytes of a copy in this process. Returns false if the copy is refused.
static bool find_bytes(const struct host_stream *stream, const struct host_copy *copy,
                       struct host_command *made)
{
    if (host_check_copy(stream->host, copy))
        return false;
    struct device_command *command = &made->command;
    struct host_gpu *to = gpu_of(stream->gpu, copy->to, copy->bytes);
    struct host_gpu *from = gpu_of(stream->gpu, copy->from, copy->bytes);
    *command = (struct device_command){.kind = COMMAND_COPY,
                                       .to = copy->to,
                                       .from = copy->from,
                                       .bytes = copy->bytes,
                                       .data_to = copy->data_to,
                                       .data_from = copy->data_from,
                                       .mark = copy->mark};
    if (copy->from)
        command->data_from = device_at(from->device, copy->from, copy->bytes);
    if (copy->to)
        command->data_to = device_at_written(to->device, copy->to, copy->bytes);
    made->gpu = !copy->from || to == stream->gpu ? to : from;
    command->peer = copy->to && copy->from && to != from;
    if (!copy->to)
        made->gpu = from;
    if (command->peer)
        *(made->gpu == to ? &command->from : &command->to) = 0;
    return true;
}

bool host_copy(struct host_stream *stream, const struct host_copy *copy)
{
    const struct host_config *config = stream->gpu->config;
    struct host_command made = {.latency = host_us(config->copy_driver_us)};
    if (!find_bytes(stream, copy, &made))
        return false;
    enqueue(stream, "copy", made, host_us(config->copy_call_us));
    return true;
}

bool host_set(struct host_stream *stream, uint64_t to, uint8_t value, uint64_t bytes)
{
    const struct host_config *config = stream->gpu->config;
    struct host_command made = {
        .command = {.kind = COMMAND_SET,
                    .to = to,
                    .bytes = bytes,
                    .value = value,
                    .mark = plane_mark(PLANE_ALWAYS, PLANE_FILL)},
        .latency = host_us(config->launch_driver_us),
    };
    made.gpu = gpu_of(stream->gpu, to, bytes);
    made.command.data_to = device_at_written(made.gpu->device, to, bytes);
    if (made.command.data_to)
        enqueue(stream, "set", made, host_us(config->launch_call_us));
    return made.command.data_to;
}

bool host_set_state(struct host_stream *stream, uint64_t address, uint64_t bytes,
                    enum plane_action action)
{
    const struct host_config *config = stream->gpu->config;
    struct host_command made = {
        .command = {.kind = COMMAND_CALL,
                    .to = address,
                    .bytes = bytes,
                    .mark = plane_mark(PLANE_ALWAYS, action)},
        .latency = host_us(config->launch_driver_us),
    };
    if (!plane_covers(stream->gpu->device->image, address, bytes))
        return false;
    enqueue(stream, "set state", made, host_us(config->launch_call_us));
    return true;
}

void host_launch(struct host_stream *stream, struct device_launch *launch)
{
    const struct host_config *config = stream->gpu->config;
    struct host_command made = {.command = {.kind = COMMAND_LAUNCH, .launch = launch},
                                .latency = host_us(config->launch_driver_us)};
    made.gpu = stream->host->gpus; // a stream of a graph may have launches of other devices
    while (made.gpu->device != launch->device)
        made.gpu++;
    enqueue(stream, "launch", made, host_us(config->launch_call_us));
}

void host_call(struct host_stream *stream, void (*call)(void *context), void *context)
{
    struct host_command made = {.command = {.kind = COMMAND_CALL, .call = call, .context = context},
                                .at_once = true};
    enqueue(stream, "call", made, 0);
}

void host_call_program(struct host_stream *stream, void (*call)(void *context), void *context)
{
    struct host_command made = {.command = {.kind = COMMAND_CALL, .call = call, .context = context},
                                .at_once = true,
                                .outside = true};
    enqueue(stream, "call", made, 0);
}

void host_record(struct host_stream *stream, struct host_event *event)
{
    struct host_command made = {
        .command = {.kind = COMMAND_CALL}, .at_once = true, .record = event};
    struct host_command *command = enqueue(stream, "record", made, 0);
    *event = (struct host_event){.command = command, .stream = stream, .number = command->number};
}

void host_wait(struct host_stream *stream, const struct host_event *event)
{
    struct host_command made = {
        .command = {.kind = COMMAND_CALL}, .at_once = true, .after = event->command};
    if (event->command)
        enqueue(stream, "wait", made, 0);
}

void host_wait_until(struct host_stream *stream, bool (*holds)(const void *context), void *context)
{
    struct host_command made = {
        .command = {.kind = COMMAND_CALL, .context = context}, .at_once = true, .holds = holds};
    enqueue(stream, "wait", made, 0);
}

// Waiting

static bool has_no_commands(const void *context)
{
    const struct host_stream *stream = context;
    return !stream->first;
}

// A command of a stream. It may be freed while its end is awaited.
struct point {
    const struct host_stream *stream;
    uint64_t number;
};

static bool has_passed(const void *context)
{
    const struct point *point = context;
    return !point->stream->first || point->stream->first->number > point->number;
}

static bool has_happened(const void *context)
{
    const struct host_event *event = context;
    return !event->command;
}

static bool is_idle(const void *context)
{
    const struct host *host = context;
    return !host->open;
}

static bool is_gpu_idle(const void *context)
{
    const struct host_gpu *gpu = context;
    for (const struct host_stream *stream = gpu->host->streams; stream; stream = stream->next)
        if (stream->gpu == gpu && stream->first)
            return false;
    return true;
}

static bool never(const void *context)
{
    (void)context;
    return false;
}

// The aim of a wait: the condition, the time at which it was met, and the commands whose
// effects must be computed.
struct awaited {
    bool (*is_over)(const void *context);
    const void *context;
    const uint64_t *ended;
    const struct host_stream *stream; // NULL: all
    uint64_t number;
};

// Computes effects and executes commands. The host's clock is not changed.
static enum device_end wait_for(struct host *host, const struct awaited *on, uint64_t until,
                                struct device_result *result)
{
    host_compute_all(host);
    enum device_end end = host->end;
    *result = (struct device_result){.end = end};
    // Nothing is to be done if the wait is over, or if another thread executes commands.
    bool is_needed = on->number ? !on->is_over(on->context) : !host->busy;
    if (is_needed || end != DEVICE_DONE)
        end = host_advance(host, on->is_over, on->context, until, result);
    if (end == DEVICE_DONE && host->apart && on->number &&
        !host_settle(host, on->stream, on->number))
        return end;
    return end == DEVICE_DONE && host->lost
               ? host_advance(host, on->is_over, on->context, until, result)
               : end;
}

// Waits, from the caller's time on. The call then takes `after` picoseconds to return.
static enum device_end wait_until(struct host *host, const struct awaited *on, uint64_t after,
                                  struct device_result *result)
{
    struct host_stats *counts = &host->gpus->counts;
    uint64_t begun = host->now;
    bool was_over = on->is_over(on->context); // by host_run_ahead
    enum device_end end = wait_for(host, on, UINT64_MAX, result);
    uint64_t ended = was_over ? *on->ended : host->time;
    host->now = ended > begun ? ended : begun;
    host_trace_call(host, "wait", begun, host->now);
    host_trace_call(host, "return", host->now, host->now + after);
    counts->waits += (host->now - begun) / HOST_NS;
    counts->calls += after / HOST_NS;
    host->now += after;
    counts->runtime = host_runtime(host) / HOST_NS;
    for (uint32_t i = 0; !host->open && !host->apart && i < host->gpu_count; i++) {
        device_drop(host->gpus[i].device);
        plane_next_round(host->gpus[i].device->image);
    }
    return end;
}

static enum device_end synchronise(struct host *host, const struct awaited *on,
                                   struct device_result *result)
{
    uint64_t call = host_us(host->gpus->config->sync_call_us);
    host_trace_call(host, "synchronise", host->now, host->now + call);
    host->now += call;
    host->gpus->counts.calls += call / HOST_NS;
    return wait_until(host, on, host_us(host->gpus->config->sync_after_us), result);
}

enum device_end host_synchronise_stream(struct host_stream *stream, struct device_result *result)
{
    const struct awaited on = {has_no_commands, stream, &stream->ended, stream,
                               stream->host->calls};
    return synchronise(stream->host, &on, result);
}

enum device_end host_synchronise_event(struct host *host, struct host_event *event,
                                       struct device_result *result)
{
    const struct awaited on = {has_happened, event, &event->time, event->stream, event->number};
    return synchronise(host, &on, result);
}

enum device_end host_synchronise(struct host *host, struct device_result *result)
{
    const struct awaited on = {is_idle, host, &host->time, NULL, host->calls};
    return synchronise(host, &on, result);
}

enum device_end host_synchronise_gpu(struct host_gpu *gpu, struct device_result *result)
{
    const struct awaited on = {is_gpu_idle, gpu, &gpu->ended, NULL, gpu->host->calls};
    return synchronise(gpu->host, &on, result);
}

enum device_end host_copy_now(struct host_stream *stream, const struct host_copy *copy,
                              bool *enqueued, struct device_result *result)
{
    struct host *host = stream->host;
    struct host_command made = {.latency = host_us(stream->gpu->config->memcpy_us)};
    *result = (struct device_result){.end = DEVICE_DONE};
    *enqueued = find_bytes(stream, copy, &made);
    if (!*enqueued)
        return DEVICE_DONE;
    const struct point point = {stream, enqueue(stream, "copy", made, 0)->number};
    const struct awaited on = {has_passed, &point, &host->time, stream, point.number};
    return wait_until(host, &on, 0, result);
}

enum device_end host_finish(struct host *host, struct device_result *result)
{
    const struct awaited on = {is_idle, host, &host->time, NULL, host->calls};
    return wait_for(host, &on, UINT64_MAX, result);
}

enum device_end host_look(struct host *host, struct device_result *result)
{
    const struct awaited on = {.is_over = never};
    return wait_for(host, &on, host->now, result);
}
