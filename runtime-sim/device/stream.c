#include "runtime-sim/device/stream.h"
#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

void device_stream_init(struct device_stream *stream, struct device *device)
{
    *stream = (struct device_stream){.device = device};
}

// Issue

static struct device_command *add(struct device_stream *stream, struct device_command command)
{
    struct device *device = stream->device;
    struct device_command *to = ARENA_NEW(&device->queue_arena, struct device_command);
    *to = command;
    to->stream = stream;
    to->number = device->queue.n;
    to->after[0] = stream->last;
    stream->last = to;
    vec_push(&device->queue_arena, &device->queue, to);
    return to;
}

void device_stream_launch(struct device_stream *stream, struct device_launch *launch)
{
    add(stream, (struct device_command){.kind = COMMAND_LAUNCH, .launch = launch});
}

// Adds the command if `at`, the bytes in the device that it accesses, is not NULL.
static bool add_access(struct device_stream *stream, const uint8_t *at,
                       struct device_command command)
{
    if (at)
        add(stream, command);
    return at;
}

bool device_stream_write(struct device_stream *stream, uint64_t to, const void *from,
                         uint64_t bytes)
{
    struct device_command copy = {
        .kind = COMMAND_COPY, .to = to, .bytes = bytes, .data_from = from};
    copy.data_to = device_at_written(stream->device, to, bytes);
    return add_access(stream, copy.data_to, copy);
}

bool device_stream_read(struct device_stream *stream, void *to, uint64_t from, uint64_t bytes)
{
    struct device_command copy = {
        .kind = COMMAND_COPY, .from = from, .bytes = bytes, .data_to = to};
    copy.data_from = device_at(stream->device, from, bytes);
    return add_access(stream, copy.data_from, copy);
}

bool device_stream_copy(struct device_stream *stream, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct device_command copy = {.kind = COMMAND_COPY, .to = to, .from = from, .bytes = bytes};
    copy.data_from = device_at(stream->device, from, bytes);
    copy.data_to = copy.data_from ? device_at_written(stream->device, to, bytes) : NULL;
    return add_access(stream, copy.data_to, copy);
}

bool device_stream_set(struct device_stream *stream, uint64_t to, uint8_t value, uint64_t bytes)
{
    uint8_t *at = device_at_written(stream->device, to, bytes);
    return add_access(
        stream, at,
        (struct device_command){
            .kind = COMMAND_SET, .to = to, .bytes = bytes, .data_to = at, .value = value});
}

void device_stream_call(struct device_stream *stream, void (*call)(void *context), void *context)
{
    add(stream, (struct device_command){.kind = COMMAND_CALL, .call = call, .context = context});
}

void device_stream_record(struct device_stream *stream, struct device_event *event)
{
    struct device_command *command =
        add(stream, (struct device_command){.kind = COMMAND_CALL, .event = event});
    *event = (struct device_event){.command = command};
}

void device_stream_wait(struct device_stream *stream, const struct device_event *event)
{
    if (event->command)
        add(stream, (struct device_command){.kind = COMMAND_CALL})->after[1] = event->command;
}

// Execution

void device_begin_launch(struct device *device, struct device_launch *one)
{
    one->launch->id = (uint32_t)device->launches++;
    one->kernel->launches++;
    if (device->progress)
        device->progress(device->progress_context, one->kernel->name, device->launches);
}

static void count_launch(struct device_launch *one)
{
    one->kernel->warp_instructions += one->warp_instructions;
    one->kernel->thread_instructions += one->thread_instructions;
}

static void blame(struct device_result *result, const struct device_launch *one)
{
    result->kernel = one->kernel;
    result->launch = (uint64_t)one->launch->id + 1;
}

void device_end_launch(struct device_launch *one, struct device_result *result)
{
    count_launch(one);
    if (!result->kernel || one->launch->id == result->grid.fault.launch)
        blame(result, one);
}

enum device_end device_end_of(const struct grid_result *grid)
{
    return grid->stopped          ? DEVICE_STOPPED
           : grid->limited        ? DEVICE_LIMITED
           : grid->stuck          ? DEVICE_STUCK
           : grid->fault.refused  ? DEVICE_REFUSED
           : grid->fault.happened ? DEVICE_FAULT
                                  : DEVICE_DONE;
}

static enum device_end run_grid(struct device *device, struct device_launch *one,
                                struct device_result *result)
{
    struct grid_result *grid = &result->grid;
    uint64_t most = device->max_instructions, done = device->instructions;
    struct grid_options options = {.threads = device->image->watches_planes ? 1 : device->threads,
                                   .most_instructions = most > done ? most - done : 0};
    if (most && most <= done)
        return DEVICE_LIMITED;
    device_begin_launch(device, one);
    double before = device_cpu_seconds();
    grid_run(one->launch, device->arena, &options, grid);
    device->kernel_cpu_seconds += device_cpu_seconds() - before;
    one->warp_instructions = grid->warp_instructions;
    one->thread_instructions = grid->thread_instructions;
    device->instructions += grid->warp_instructions;
    // With several host threads the progress of other CTAs at a fault depends on the host.
    if (!grid->stuck && !grid->fault.happened)
        count_launch(one);
    blame(result, one);
    return device_end_of(grid);
}

enum device_end device_run_now(struct device *device, struct device_command *command,
                               struct device_result *result)
{
    command->has_ended = true;
    switch (command->kind) {
    case COMMAND_LAUNCH: return run_grid(device, command->launch, result);
    case COMMAND_COPY:
        memmove(command->data_to, command->data_from, command->bytes);
        if (command->from && plane_trigger_of(command->mark) == PLANE_WAIT_FULL)
            plane_count_reads(device->image, command->from, command->bytes);
        break;
    case COMMAND_SET: memset(command->data_to, command->value, command->bytes); break;
    case COMMAND_CALL:
        if (command->call)
            command->call(command->context);
        break;
    }
    plane_act_all(device->image, command->to ? command->to : command->from, command->bytes,
                  plane_action_of(command->mark));
    return DEVICE_DONE;
}

// All at the same time, as far as their order lets them.
static enum device_end run_together(struct device *device, struct device_command *const *commands,
                                    uint32_t count, struct device_result *result)
{
    struct grid_result *grid = &result->grid;
    for (uint32_t i = 0; i < count; i++)
        if (commands[i]->launch)
            device_begin_launch(device, commands[i]->launch);
    double before = device_cpu_seconds();
    device->execute(device->executor, commands, count, grid);
    device->kernel_cpu_seconds += device_cpu_seconds() - before;
    for (uint32_t i = 0; i < count; i++) {
        struct device_launch *one = commands[i]->launch;
        if (one)
            device_end_launch(one, result);
    }
    return device_end_of(grid);
}

bool device_takes_time(const struct device *device, const struct device_launch *launch)
{
    return device->execute && device->takes(device->executor, launch->kernel,
                                            launch->kernel->launches + 1, device->launches);
}

static bool takes_time(const struct device *device, struct device_command *const *commands,
                       uint32_t number)
{
    const struct device_launch *launch = commands[number]->launch;
    if (!device->execute || !launch)
        return device->execute;
    uint64_t before = launch->kernel->launches, all = device->launches;
    for (uint32_t i = 0; i < number; i++) {
        before += commands[i]->launch && commands[i]->launch->kernel == launch->kernel;
        all += commands[i]->launch != NULL;
    }
    return device->takes(device->executor, launch->kernel, before + 1, all);
}

// Commands of one stream alone run one by one, so that statistics belong to one command.
static uint32_t count_together(const struct device *device, struct device_command *const *commands,
                               uint32_t most)
{
    uint32_t count = 0;
    bool one_stream = true;
    for (uint32_t i = 1; i < most; i++)
        one_stream &= commands[i]->stream == commands[0]->stream;
    while (count < (one_stream ? 1 : most) && takes_time(device, commands, count))
        count++;
    return count;
}

static void end_events(struct device_command *const *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (commands[i]->event && commands[i]->event->command == commands[i])
            *commands[i]->event = (struct device_event){.has_ended = commands[i]->has_ended,
                                                        .cycle = commands[i]->ended};
}

void device_drop(struct device *device)
{
    for (uint32_t i = 0; i < device->queue.n; i++)
        device->queue.v[i]->stream->last = NULL;
    end_events(device->queue.v, device->queue.n);
    device->queue = (__typeof__(device->queue)){0};
    arena_free(&device->queue_arena);
}

enum device_end device_synchronise(struct device *device, struct device_result *result)
{
    *result = (struct device_result){.end = DEVICE_DONE};
    for (uint32_t i = 0; i < device->queue.n && result->end == DEVICE_DONE;) {
        struct device_command *const *commands = device->queue.v + i;
        uint32_t count = count_together(device, commands, device->queue.n - i);
        result->kernel = NULL;
        result->end = count ? run_together(device, commands, count, result)
                            : device_run_now(device, commands[0], result);
        i += count ? count : 1;
    }
    device_drop(device);
    return result->end;
}
