// Effects that are computed apart from the times of their commands: functions of the program, which
// an owner's thread calls, and without a machine all commands.
//
// Effects are computed in the order of calls, except that a command whose stream waits for a
// function of the program is passed by those of other streams. The order of streams is kept, so a
// program without data races has the same results whenever they are computed.
#include "runtime-sim/host/host_state.h"
#include <string.h>

enum { LATE_ROUNDS = 50 }; // waits of the owner after which a function is late

void host_set_apart(struct host *host, struct host_command *command)
{
    struct host_stream *stream = command->stream;
    command->apart = host->owner && (command->outside || host_is_apart(host));
    if (!command->apart)
        return;
    *(stream->last_apart ? &stream->last_apart->next_apart : &stream->first_apart) = command;
    stream->last_apart = command;
    host->apart++;
}

static void end_apart(struct host *host, struct host_command *command)
{
    struct host_stream *stream = command->stream;
    command->computed = true;
    command->computing = false;
    stream->first_apart = command->next_apart;
    if (!stream->first_apart)
        stream->last_apart = NULL;
    host->apart--;
    host->owner->notify(host->owner->context);
}

// Posted functions

void host_post(struct host *host, struct host_command *command)
{
    command->computing = true;
    host->posted++;
    vec_push(host->gpus->device->arena, &host->functions, command);
    host->owner->post(host->owner->context, command);
}

void host_called(struct host *host, struct host_command *command, uint64_t era)
{
    if (host->era != era)
        return; // dropped
    for (uint32_t i = 0; i < host->functions.n; i++)
        if (host->functions.v[i] == command)
            host->functions.v[i] = host->functions.v[--host->functions.n];
    end_apart(host, command);
}

// Returns a posted function that precedes the command, or NULL.
static struct host_command *call_before(const struct host *host, const struct host_command *command)
{
    for (uint32_t i = 0; i < host->functions.n; i++) {
        struct host_command *call = host->functions.v[i];
        if (call->number < command->number &&
            (call->stream == command->stream || host_orders(call->stream, command->stream)))
            return call;
    }
    return NULL;
}

// Functions take no simulated time, so all streams wait for one that is followed by a command. One
// that does not return soon may wait for other streams, so these continue then.
bool host_await_calls(struct host *host, const struct host_command *command)
{
    struct host_command *call;
    uint32_t rounds = 0;
    while (host->functions.n && !host_is_apart(host) && (call = call_before(host, command))) {
        call->late |= !host->ahead && ++rounds == LATE_ROUNDS;
        host->blocked = host->ahead && !call->late;
        if (host->ahead || call->late || !host->owner->await(host->owner->context))
            return false;
    }
    return true;
}

bool host_is_late(const struct host *host, const struct host_command *command)
{
    const struct host_command *call = host->functions.n ? call_before(host, command) : NULL;
    return call && call->late && !host_is_apart(host);
}

bool host_await_late(struct host *host)
{
    bool any = host->functions.n && !host_is_apart(host);
    host->blocked |= any && host->ahead;
    return any && !host->ahead && host->owner->await(host->owner->context);
}

// Order

static bool is_free(const struct host *host, const struct host_command *command)
{
    if ((command->after && !command->after->computed) ||
        (command->holds && !command->holds(command->command.context)))
        return false;
    for (const struct host_stream *other = host->streams; other; other = other->next)
        if (host_orders(command->stream, other) && other->first_apart &&
            other->first_apart->number < command->number)
            return false;
    return true;
}

// Returns the oldest command that depends on no other, or NULL.
static struct host_command *find_free(const struct host *host)
{
    struct host_command *found = NULL;
    for (const struct host_stream *stream = host->streams; stream; stream = stream->next) {
        struct host_command *command = stream->first_apart;
        if (command && !command->computing && (!found || command->number < found->number) &&
            is_free(host, command))
            found = command;
    }
    return found;
}

// Computation

// Waits while another thread is busy. Returns false if the owner gives up.
static bool await_turn(struct host *host)
{
    host->claiming++;
    bool goes_on = host->owner->await(host->owner->context);
    host->claiming--;
    return goes_on;
}

bool host_claim(struct host *host)
{
    while (host->busy)
        if (!await_turn(host))
            return false;
    host->busy = true;
    return true;
}

void host_release(struct host *host)
{
    host->busy = false;
    if (host->owner)
        host->owner->notify(host->owner->context);
}

static enum device_end compute(struct host *host, struct host_command *command)
{
    struct device_result result = {.end = DEVICE_DONE};
    host->busy = command->computing = true;
    host->computing++;
    result.end = device_run_now(command->gpu->device, &command->command, &result);
    host->computing--;
    if (result.end != DEVICE_DONE && host->end == DEVICE_DONE)
        host_fail(host, command->gpu, &result);
    end_apart(host, command);
    host_release(host);
    return result.end;
}

bool host_compute(struct host *host, enum device_end *end)
{
    bool may = host_is_apart(host) && !host->busy && host->end == DEVICE_DONE;
    struct host_command *command = may ? find_free(host) : NULL;
    *end = DEVICE_DONE;
    if (command && command->outside)
        host_post(host, command);
    else if (command)
        *end = compute(host, command);
    return command;
}

void host_compute_all(struct host *host)
{
    enum device_end end;
    while (host->apart && host_is_apart(host) && host->end == DEVICE_DONE)
        if (!host_compute(host, &end) && (!host->busy || !await_turn(host)))
            return;
}

static bool has_before(const struct host_stream *stream, uint64_t number)
{
    return stream->first_apart && stream->first_apart->number <= number;
}

bool host_is_settled(const struct host *host, const struct host_stream *stream, uint64_t number)
{
    if (stream || !host->apart)
        return !host->apart || !has_before(stream, number);
    for (stream = host->streams; stream; stream = stream->next)
        if (has_before(stream, number))
            return false;
    return true;
}

bool host_settle(struct host *host, const struct host_stream *stream, uint64_t number)
{
    for (;;) {
        host_compute_all(host);
        if (host->end != DEVICE_DONE || host_is_settled(host, stream, number))
            return true;
        if (!host->owner->await(host->owner->context))
            return false;
    }
}

// Ahead of the caller

bool host_runs_ahead(const void *context)
{
    const struct host *host = context;
    return host->blocked || host->posted != host->posted_before || !host->open;
}

enum device_end host_run_ahead(struct host *host)
{
    struct device_result result;
    for (uint32_t i = 0; i < host->functions.n; i++)
        host->functions.v[i]->late = true;
    host->posted_before = host->posted;
    host->ahead = true;
    enum device_end end = host_advance(host, host_runs_ahead, host, UINT64_MAX, &result);
    host->ahead = host->blocked = false;
    return end;
}

void host_forked(struct host *host)
{
    for (struct host_stream *stream = host->streams; stream; stream = stream->next)
        if (stream->first_apart && stream->first_apart->computing)
            end_apart(host, stream->first_apart);
    host->busy = false;
    host->computing = host->functions.n = 0;
}
