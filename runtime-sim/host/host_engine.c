// The driver, and the execution of commands with or without a machine.
//
// At an event time, commands end, then commands leave and enter the driver. Between two event times
// the state of the host does not change, and the machine runs from one to the next.
#include "runtime-sim/host/host_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Times and cycles

// Returns value · multiply / divide, rounded up. Requires divide · multiply below 2⁶⁴.
static uint64_t scale(uint64_t value, uint64_t multiply, uint64_t divide)
{
    return value / divide * multiply + (value % divide * multiply + divide - 1) / divide;
}

static uint64_t cycle_at(const struct host_gpu *gpu, uint64_t time)
{
    return scale(time, gpu->clock, HOST_US);
}

static uint64_t time_of(const struct host_gpu *gpu, uint64_t cycle)
{
    return scale(cycle, HOST_US, gpu->clock);
}

// Returns the time at which the machine has ended a command.
static uint64_t machine_end(const struct host_command *command)
{
    return time_of(command->gpu, command->command.ended);
}

// End of commands

static void end_command(struct host *host, struct host_command *command, uint64_t time)
{
    struct host_stream *stream = command->stream;
    struct host_event *event = command->record;
    command->stage = HOST_ENDED;
    command->ended = stream->ended = time;
    if (stream->gpu->ended < time)
        stream->gpu->ended = time;
    stream->first = command->next;
    if (!stream->first)
        stream->last = NULL;
    host->open--;
    if (event && event->command == command) {
        event->command = NULL;
        event->has_ended = true;
        event->time = time;
    }
    if (command->gpu->driver == command) { // held by the command (HOST_DRIVER_HELD)
        command->gpu->driver = NULL;
        command->gpu->counts.driver_busy += (time - command->driver) / HOST_NS;
    }
    host_trace_execution(host, command);
}

static void count_end(const struct host_command *command)
{
    struct host_stats *stats = &command->gpu->counts;
    uint64_t took = (command->ended - command->begun) / HOST_NS;
    uint64_t *const sums[] = {&stats->copies_to_device, &stats->copies_to_host};
    uint64_t *const bytes[] = {&stats->to_device_bytes, &stats->to_host_bytes};
    uint32_t direction = host_direction(&command->command);
    if (direction < 2) {
        *sums[direction] += took;
        *bytes[direction] += command->command.bytes;
    }
    if (command->command.kind == COMMAND_LAUNCH)
        stats->launches += took;
}

// Without a machine

static uint64_t link_time(const struct host_command *command, uint64_t bytes)
{
    const struct host_gpu *gpu = command->gpu;
    return command->command.peer
               ? host_us(gpu->peer->latency_us) + scale(bytes, HOST_US, host_peer_rate(gpu->peer))
               : scale(bytes, HOST_US, host_link_rate(gpu->config));
}

static uint32_t engine_of(const struct host_command *command)
{
    return command->command.peer                ? ENGINE_PEER
           : command->gpu->config->engines == 1 ? ENGINE_TO_DEVICE
                                                : host_direction(&command->command);
}

static bool needs_engine(const struct host_command *command)
{
    return !command->machine && (command->command.peer || host_direction(&command->command) < 2);
}

// Gives idle engines their next copies, in the order in which the commands began.
static void start_copies(struct host *host)
{
    for (uint32_t i = 0; i < host->executed.n; i++) {
        struct host_command *command = host->executed.v[i];
        if (!needs_engine(command) || command->ended)
            continue;
        struct host_gpu *gpu = command->gpu;
        uint32_t engine = engine_of(command);
        if (gpu->engine[engine])
            continue;
        uint64_t free = gpu->engine_free[engine];
        gpu->engine[engine] = command;
        command->ended = (free > command->begun ? free : command->begun) +
                         link_time(command, command->command.bytes);
    }
}

// Returns the address of a word whose state does not meet the copy's trigger, or 0.
static uint64_t missing_word(const struct host_command *command)
{
    const struct device_command *copy = &command->command;
    if (copy->kind != COMMAND_COPY || !copy->mark)
        return 0;
    return plane_find_missing(command->gpu->device->image, copy->from ? copy->from : copy->to,
                              copy->bytes, plane_trigger_of(copy->mark));
}

// Executes a command at the end of its time. Returns false if it waits for words.
static bool finish(struct host *host, struct host_command *command, enum device_end *end,
                   struct device_result *result)
{
    struct device_command *one = &command->command;
    if (command->apart)
        return true;
    command->missing = missing_word(command);
    if (one->kind == COMMAND_LAUNCH) {
        bool done = device_attempt(command->gpu->device, one, result);
        command->missing = done ? 0 : result->grid.fault.needs_word;
        *end = done ? result->end : DEVICE_DONE;
    } else if (!command->missing) {
        *end = device_run_now(command->gpu->device, one, result);
    }
    if (*end != DEVICE_DONE)
        host->failed = command->gpu;
    if (command->missing)
        command->ended = UINT64_MAX;
    else if (command->gpu->timed && plane_action_of(one->mark))
        timed_look_at_planes(command->gpu->timed);
    return !command->missing;
}

// Lets waiting commands continue after words have changed. A launch runs again. A copy only has to
// transfer the line for which it waited.
static void retry(struct host *host, uint64_t time)
{
    for (uint32_t i = 0; i < host->executed.n; i++) {
        struct host_command *command = host->executed.v[i];
        if (!command->missing || missing_word(command))
            continue;
        uint64_t line = command->command.bytes < PLANE_LINE ? command->command.bytes : PLANE_LINE;
        command->missing = 0;
        command->ended = time + (needs_engine(command) ? link_time(command, line) : 0);
    }
}

static void leave_engine(const struct host_command *command)
{
    if (!needs_engine(command))
        return;
    uint32_t engine = engine_of(command);
    command->gpu->engine[engine] = NULL;
    command->gpu->engine_free[engine] = command->ended;
}

// End of execution

// Ends the first command whose execution has ended by `time`. Returns false if no command has
// ended.
static bool end_executed(struct host *host, uint64_t time, enum device_end *end,
                         struct device_result *result)
{
    start_copies(host);
    for (uint32_t i = 0; i < host->executed.n; i++) {
        struct host_command *command = host->executed.v[i];
        bool is_over = command->machine ? command->command.has_ended && machine_end(command) <= time
                                        : command->ended <= time && !command->missing &&
                                              (command->ended || !needs_engine(command)) &&
                                              finish(host, command, end, result);
        if (!is_over)
            continue;
        memmove(host->executed.v + i, host->executed.v + i + 1,
                (host->executed.n - i - 1) * sizeof(struct host_command *));
        host->executed.n--;
        end_command(host, command, command->machine ? machine_end(command) : command->ended);
        count_end(command);
        leave_engine(command);
        retry(host, time);
        return true;
    }
    return false;
}

// Start of execution

static void begin_command(struct host *host, struct host_command *command, uint64_t time)
{
    const struct device_launch *launch = command->command.launch;
    const struct host_gpu *gpu = command->gpu;
    command->stage = HOST_EXECUTES;
    command->begun = time;
    command->machine = gpu->timed && command->command.kind != COMMAND_CALL &&
                       (!launch || device_is_timed(gpu->device, launch));
    vec_push(gpu->device->arena, &host->executed, command);
    if (command->machine)
        timed_start(gpu->timed, &command->command, cycle_at(gpu, time));
    else
        command->ended = needs_engine(command) ? 0 : time;
}

// The driver

// Returns true if an older command of another stream must end before this one.
static bool must_wait(const struct host *host, const struct host_command *command)
{
    for (const struct host_stream *other = host->streams; other; other = other->next)
        if (host_orders(command->stream, other) && other->first &&
            other->first->number < command->number)
            return true;
    return false;
}

// Returns the oldest command that may enter a free driver, or with `at_once` one that needs no
// driver.
static struct host_command *find_ready(struct host *host, bool at_once)
{
    struct host_command *found = NULL;
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next) {
        struct host_command *command = stream->first;
        if (!command || command->stage != HOST_ENQUEUED || command->enqueued > host->time ||
            must_wait(host, command) || (command->after && command->after->stage != HOST_ENDED) ||
            host_is_late(host, command) ||
            (command->holds && !command->apart && !command->holds(command->command.context)))
            continue;
        if (!command->ready)
            command->ready = host->time;
        if (command->at_once == at_once && (at_once || !command->gpu->driver) &&
            (!found || command->number < found->number))
            found = command;
    }
    return found;
}

static void leave_driver(struct host_gpu *gpu)
{
    struct host_command *command = gpu->driver;
    host_trace_driver(gpu->host, command, gpu->driver_until);
    if (gpu->config->driver == HOST_DRIVER_EXCLUSIVE) {
        gpu->counts.driver_busy += (gpu->driver_until - command->driver) / HOST_NS;
        gpu->driver = NULL;
    }
    begin_command(gpu->host, command, gpu->driver_until);
}

static void enter_driver(struct host *host, struct host_command *command)
{
    command->stage = HOST_IN_DRIVER;
    command->driver = host->time;
    command->gpu->counts.driver_waits += (host->time - command->ready) / HOST_NS;
    command->gpu->driver = command;
    command->gpu->driver_until = host->time + command->latency;
}

static bool is_in_stage(const struct host_gpu *gpu)
{
    return gpu->driver && gpu->driver->stage == HOST_IN_DRIVER;
}

// Executes a command that needs no driver.
static void run_at_once(struct host *host, struct host_command *command, enum device_end *end,
                        struct device_result *result)
{
    if (!command->apart)
        *end = device_run_now(command->gpu->device, &command->command, result);
    else if (command->outside && !host_is_apart(host))
        host_post(host, command);
    command->begun = host->time;
    end_command(host, command, host->time);
}

static bool has_free_driver(const struct host *host)
{
    for (uint32_t i = 0; i < host->gpu_count; i++)
        if (!host->gpus[i].driver)
            return true;
    return false;
}

// Changes the stage of one command at the current time. Returns false if no stage changes.
static bool move_one(struct host *host, enum device_end *end, struct device_result *result)
{
    struct host_command *command;
    if (end_executed(host, host->time, end, result))
        return true;
    for (uint32_t i = 0; i < host->gpu_count; i++)
        if (is_in_stage(&host->gpus[i]) && host->gpus[i].driver_until <= host->time) {
            leave_driver(&host->gpus[i]);
            return true;
        }
    if ((command = find_ready(host, true))) {
        if (!host_await_calls(host, command))
            return false;
        run_at_once(host, command, end, result);
        return true;
    }
    if (has_free_driver(host) && (command = find_ready(host, false))) {
        if (!host_await_calls(host, command))
            return false;
        enter_driver(host, command);
        return true;
    }
    return false;
}

// Time

// Returns the next event time that is known without the machine, or UINT64_MAX.
static uint64_t next_time(const struct host *host)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < host->gpu_count; i++)
        if (is_in_stage(&host->gpus[i]))
            next = smaller(next, host->gpus[i].driver_until);
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next)
        if (stream->first && stream->first->enqueued > host->time)
            next = smaller(next, stream->first->enqueued);
    for (uint32_t i = 0; i < host->executed.n; i++) {
        const struct host_command *command = host->executed.v[i];
        if (!command->machine && (command->ended || !needs_engine(command)))
            next = smaller(next, command->ended);
    }
    return next;
}

// Returns the earliest end of the machine's commands that have just ended, if before `none`; else
// `none`.
static uint64_t machine_time(const struct host *host, uint64_t none)
{
    uint64_t time = none;
    for (uint32_t i = 0; i < host->executed.n; i++) {
        const struct host_command *command = host->executed.v[i];
        if (command->machine && command->command.has_ended)
            time = smaller(time, machine_end(command));
    }
    return time;
}

// Returns a machine that has commands and has not reached the time `next`, or NULL: the one that is
// furthest behind. Sets *until to the cycle up to which it may run.
static struct host_gpu *find_behind(struct host *host, uint64_t next, uint64_t *until)
{
    struct host_gpu *found = NULL;
    uint64_t time = UINT64_MAX;
    uint32_t running = 0;
    for (uint32_t i = 0; i < host->gpu_count; i++) {
        struct host_gpu *gpu = &host->gpus[i];
        if (!gpu->timed || !timed_is_running(gpu->timed))
            continue;
        uint64_t cycle = timed_cycle(gpu->timed), at = time_of(gpu, cycle);
        running++;
        if (at < time && (next == UINT64_MAX || cycle_at(gpu, next) > cycle)) {
            found = gpu;
            time = at;
        }
    }
    if (found && running > 1) { // stops at multiples of the latency
        uint64_t slice = host_us(found->peer->latency_us);
        next = smaller(next, (time / slice + 1) * slice);
    }
    if (found)
        *until = next == UINT64_MAX ? next : cycle_at(found, next);
    return found;
}

// Runs the machines up to the time `next`, or until a command has ended.
static enum device_end run_machines(struct host *host, uint64_t next, struct device_result *result)
{
    enum device_end end = DEVICE_DONE;
    struct host_gpu *gpu;
    uint64_t until;
    next = machine_time(host, next); // a command that has ended after the last stop
    while (end == DEVICE_DONE && (gpu = find_behind(host, next, &until))) {
        end = timed_proceed(gpu->timed, until, result);
        host->failed = gpu;
        next = machine_time(host, next);
    }
    uint64_t time = machine_time(host, next);
    if (time != UINT64_MAX && time > host->time)
        host->time = time;
    return end;
}

void host_forget(struct host *host)
{
    for (struct host_stream *stream = host->streams; stream; stream = stream->next) {
        for (struct host_command *command = stream->first; command; command = command->next)
            if (command->record && command->record->command == command)
                command->record->command = NULL;
        stream->first = stream->last = stream->first_apart = stream->last_apart = NULL;
    }
    host->executed.n = host->open = host->apart = host->functions.n = 0;
    host->era++;
    for (uint32_t i = 0; i < host->gpu_count; i++) {
        struct host_gpu *gpu = &host->gpus[i];
        gpu->driver = NULL;
        memset(gpu->engine, 0, sizeof gpu->engine);
        if (gpu->timed) // another device, or a launch without time, may have failed
            timed_abandon(gpu->timed);
        device_drop(gpu->device);
    }
}

static enum device_end advance(struct host *host, bool (*is_over)(const void *context),
                               const void *context, uint64_t until, struct device_result *result)
{
    enum device_end end = DEVICE_DONE;
    for (;;) {
        while (move_one(host, &end, result))
            if (end != DEVICE_DONE)
                return end;
        if (end != DEVICE_DONE || is_over(context) || host->time >= until)
            return end;
        uint64_t next = smaller(next_time(host), until), before = host->time;
        end = run_machines(host, next, result);
        if (end != DEVICE_DONE)
            return end;
        if (next == UINT64_MAX && host->time == before && machine_time(host, next) == next &&
            !host_await_late(host))
            return host->ahead ? DEVICE_DONE : DEVICE_STUCK;
    }
}

// Stores the report on commands before they are dropped.
static void explain(struct host *host)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    host_report(host, to);
    fclose(to);
    host->why = arena_strndup(host->gpus->device->arena, text, size);
    free(text);
}

void host_fail(struct host *host, const struct host_gpu *gpu, const struct device_result *result)
{
    host->end = result->end;
    host->failed = gpu;
    host->failure = *result;
    host->lost = true;
    if (host->end == DEVICE_STUCK && host->open)
        explain(host);
}

enum device_end host_advance(struct host *host, bool (*is_over)(const void *context),
                             const void *context, uint64_t until, struct device_result *result)
{
    *result = (struct device_result){.end = DEVICE_DONE};
    if (!host_claim(host))
        return DEVICE_DONE;
    if (host->end == DEVICE_DONE)
        result->end = advance(host, is_over, context, until, result);
    if (result->end != DEVICE_DONE)
        host_fail(host, result->kernel ? host->failed : NULL, result);
    if (host->end != DEVICE_DONE && !host->computing)
        host_forget(host);
    host_release(host);
    if (!host->ahead && host->lost) {
        *result = host->failure;
        host->lost = false;
    }
    result->end = host->end;
    return host->end;
}
