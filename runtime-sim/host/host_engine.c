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

static uint64_t cycle_at(const struct host *host, uint64_t time)
{
    return scale(time, host->clock, HOST_US);
}

static uint64_t time_of(const struct host *host, uint64_t cycle)
{
    return scale(cycle, HOST_US, host->clock);
}

// End of commands

static void end_command(struct host *host, struct host_command *command, uint64_t time)
{
    struct host_stream *stream = command->stream;
    struct host_event *event = command->record;
    command->stage = HOST_ENDED;
    command->ended = stream->ended = time;
    stream->first = command->next;
    if (!stream->first)
        stream->last = NULL;
    host->open--;
    if (event && event->command == command) {
        event->command = NULL;
        event->has_ended = true;
        event->time = time;
    }
    if (host->driver == command) { // held by the command (HOST_DRIVER_HELD)
        host->driver = NULL;
        host->counts.driver_busy += (time - command->driver) / HOST_NS;
    }
    host_trace_execution(host, command);
}

static void count_end(struct host *host, const struct host_command *command)
{
    struct host_stats *stats = &host->counts;
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

static uint64_t link_time(const struct host *host, uint64_t bytes)
{
    return scale(bytes, HOST_US, host_link_rate(host->config));
}

static uint32_t engine_of(const struct host *host, const struct host_command *command)
{
    return host->config->engines == 1 ? 0 : host_direction(&command->command);
}

static bool needs_engine(const struct host_command *command)
{
    return !command->machine && host_direction(&command->command) < 2;
}

// Gives idle engines their next copies, in the order in which the commands began.
static void start_copies(struct host *host)
{
    for (uint32_t i = 0; i < host->executed.n; i++) {
        struct host_command *command = host->executed.v[i];
        uint32_t engine = engine_of(host, command);
        if (!needs_engine(command) || command->ended || host->engine[engine])
            continue;
        uint64_t free = host->engine_free[engine];
        host->engine[engine] = command;
        command->ended = (free > command->begun ? free : command->begun) +
                         link_time(host, command->command.bytes);
    }
}

// Returns the address of a word whose state does not meet the copy's trigger, or 0.
static uint64_t missing_word(const struct host *host, const struct host_command *command)
{
    const struct device_command *copy = &command->command;
    if (copy->kind != COMMAND_COPY || !copy->mark)
        return 0;
    return plane_find_missing(host->device->image, copy->from ? copy->from : copy->to, copy->bytes,
                              plane_trigger_of(copy->mark));
}

// Executes a command at the end of its time. Returns false if it waits for words.
static bool finish(struct host *host, struct host_command *command, enum device_end *end,
                   struct device_result *result)
{
    struct device_command *one = &command->command;
    if (command->apart)
        return true;
    command->missing = missing_word(host, command);
    if (one->kind == COMMAND_LAUNCH) {
        bool done = device_attempt(host->device, one, result);
        command->missing = done ? 0 : result->grid.fault.needs_word;
        *end = done ? result->end : DEVICE_DONE;
    } else if (!command->missing) {
        *end = device_run_now(host->device, one, result);
    }
    if (command->missing)
        command->ended = UINT64_MAX;
    else if (host->timed && plane_action_of(one->mark))
        timed_look_at_planes(host->timed);
    return !command->missing;
}

// Lets waiting commands continue after words have changed. A launch runs again. A copy only has to
// transfer the line for which it waited.
static void retry(struct host *host, uint64_t time)
{
    for (uint32_t i = 0; i < host->executed.n; i++) {
        struct host_command *command = host->executed.v[i];
        if (!command->missing || missing_word(host, command))
            continue;
        uint64_t line = command->command.bytes < PLANE_LINE ? command->command.bytes : PLANE_LINE;
        command->missing = 0;
        command->ended = time + (needs_engine(command) ? link_time(host, line) : 0);
    }
}

static void leave_engine(struct host *host, const struct host_command *command)
{
    uint32_t engine = engine_of(host, command);
    if (!needs_engine(command))
        return;
    host->engine[engine] = NULL;
    host->engine_free[engine] = command->ended;
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
        bool is_over = command->machine ? command->command.has_ended &&
                                              time_of(host, command->command.ended) <= time
                                        : command->ended <= time && !command->missing &&
                                              (command->ended || !needs_engine(command)) &&
                                              finish(host, command, end, result);
        if (!is_over)
            continue;
        memmove(host->executed.v + i, host->executed.v + i + 1,
                (host->executed.n - i - 1) * sizeof(struct host_command *));
        host->executed.n--;
        end_command(host, command,
                    command->machine ? time_of(host, command->command.ended) : command->ended);
        count_end(host, command);
        leave_engine(host, command);
        retry(host, time);
        return true;
    }
    return false;
}

// Start of execution

static void begin_command(struct host *host, struct host_command *command, uint64_t time)
{
    const struct device_launch *launch = command->command.launch;
    command->stage = HOST_EXECUTES;
    command->begun = time;
    command->machine = host->timed && command->command.kind != COMMAND_CALL &&
                       (!launch || device_is_timed(host->device, launch));
    vec_push(host->device->arena, &host->executed, command);
    if (command->machine)
        timed_start(host->timed, &command->command, cycle_at(host, time));
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

// Returns the oldest command that may enter the driver, or with `at_once` one that needs no driver.
static struct host_command *find_ready(struct host *host, bool at_once)
{
    struct host_command *found = NULL;
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next) {
        struct host_command *command = stream->first;
        if (!command || command->stage != HOST_ENQUEUED || command->enqueued > host->time ||
            must_wait(host, command) || (command->after && command->after->stage != HOST_ENDED) ||
            host_is_late(host, command))
            continue;
        if (!command->ready)
            command->ready = host->time;
        if (command->at_once == at_once && (!found || command->number < found->number))
            found = command;
    }
    return found;
}

static void leave_driver(struct host *host)
{
    struct host_command *command = host->driver;
    host_trace_driver(host, command, host->driver_until);
    if (host->config->driver == HOST_DRIVER_EXCLUSIVE) {
        host->counts.driver_busy += (host->driver_until - command->driver) / HOST_NS;
        host->driver = NULL;
    }
    begin_command(host, command, host->driver_until);
}

static void enter_driver(struct host *host, struct host_command *command)
{
    command->stage = HOST_IN_DRIVER;
    command->driver = host->time;
    host->counts.driver_waits += (host->time - command->ready) / HOST_NS;
    host->driver = command;
    host->driver_until = host->time + command->latency;
}

static bool is_in_stage(const struct host *host)
{
    return host->driver && host->driver->stage == HOST_IN_DRIVER;
}

// Executes a command that needs no driver.
static void run_at_once(struct host *host, struct host_command *command, enum device_end *end,
                        struct device_result *result)
{
    if (!command->apart)
        *end = device_run_now(host->device, &command->command, result);
    else if (command->outside && !host_is_apart(host))
        host_post(host, command);
    command->begun = host->time;
    end_command(host, command, host->time);
}

// Changes the stage of one command at the current time. Returns false if no stage changes.
static bool move_one(struct host *host, enum device_end *end, struct device_result *result)
{
    struct host_command *command;
    if (end_executed(host, host->time, end, result))
        return true;
    if (is_in_stage(host) && host->driver_until <= host->time) {
        leave_driver(host);
        return true;
    }
    if ((command = find_ready(host, true))) {
        if (!host_await_calls(host, command))
            return false;
        run_at_once(host, command, end, result);
        return true;
    }
    if (!host->driver && (command = find_ready(host, false))) {
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
    uint64_t next = is_in_stage(host) ? host->driver_until : UINT64_MAX;
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
            time = smaller(time, time_of(host, command->command.ended));
    }
    return time;
}

static enum device_end run_machine(struct host *host, uint64_t next, struct device_result *result)
{
    enum device_end end = DEVICE_DONE;
    next = machine_time(host, next); // a command that has ended after the last stop
    uint64_t until = next == UINT64_MAX ? next : cycle_at(host, next);
    if (host->timed && (until == UINT64_MAX || until > timed_cycle(host->timed)))
        end = timed_proceed(host->timed, until, result);
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
    host->driver = host->engine[0] = host->engine[1] = NULL;
    device_drop(host->device);
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
        end = run_machine(host, next, result);
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
    host->why = arena_strndup(host->device->arena, text, size);
    free(text);
}

void host_fail(struct host *host, const struct device_result *result)
{
    host->end = result->end;
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
        host_fail(host, result);
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
