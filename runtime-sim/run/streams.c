// Executes `streams`: each step is a call of the host.
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>
#include <string.h>

enum { STREAMS = 16, MAX_ROUNDS = 1000000 };

struct stream_execution {
    struct session *session;
    struct host *host;
    struct host_stream streams[STREAMS];
};

static enum session_outcome do_calls(struct stream_execution *s, const struct run_calls *calls);

// Returns the stream of an expression, stream 0 without one, or NULL after an error.
static struct host_stream *find_stream(struct stream_execution *s, const struct run_expr *expr)
{
    int64_t number = 0;
    if (expr->expr && !run_integer(s->session->run, expr, 0, STREAMS - 1, "the stream", &number))
        return NULL;
    return &s->streams[number];
}

// Reports how a wait for commands ended. If no command can continue, the notes name what each waits
// for.
static enum session_outcome end_wait(struct stream_execution *s, const struct run_text *at,
                                     const struct device_result *result)
{
    struct session *session = s->session;
    enum session_outcome outcome = session_end(session, result);
    if (result->end != DEVICE_STUCK)
        return outcome;
    const char *text = "deadlock: no command can proceed";
    diag_add(session->run->diags, DIAG_ERROR, "no-progress", at->begin, at->end, "%s", text);
    for (const char *line = s->host->why, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        run_note(session->run, "%.*s", (int)(end - line), line);
    }
    session->fault.stuck = true;
    session->fault.text = session->fault.text ? session->fault.text : text;
    return outcome;
}

// Evaluates the range of a copy or state change, in elements. Returns false after an error.
static bool evaluate_range(struct run *run, const struct run_call *call,
                           const struct run_buffer *buffer, int64_t *first, int64_t *count)
{
    int64_t all = (int64_t)buffer->elements;
    *first = 0;
    if (call->first.expr && !run_integer(run, &call->first, 0, all, "the first element", first))
        return false;
    *count = all - *first;
    return !call->count.expr ||
           run_integer(run, &call->count, 0, all - *first, "the number of elements", count);
}

static enum session_outcome do_copy(struct stream_execution *s, const struct run_call *call)
{
    struct run *run = s->session->run;
    const struct run_buffer *buffer = &run->buffers.v[call->buffer];
    struct host_stream *stream = find_stream(s, &call->stream);
    struct device_result result;
    int64_t first, count;
    bool enqueued = true;
    if (!stream || !evaluate_range(run, call, buffer, &first, &count))
        return SESSION_BAD_INPUT;
    uint64_t bytes = buffer->type->bytes, offset = (uint64_t)first * bytes;
    struct host_copy copy = {.bytes = (uint64_t)count * bytes, .mark = call->mark};
    if (call->to_host) {
        copy.from = buffer->address + offset;
        copy.data_to = buffer->host_data + offset;
    } else {
        copy.to = buffer->address + offset;
        copy.data_from = buffer->host_data + offset;
    }
    const char *wrong = count ? host_check_copy(s->host, &copy) : NULL;
    if (wrong) {
        run_fault(run, &call->at, "%s", wrong);
        return SESSION_BAD_INPUT;
    }
    if (call->waits) {
        host_copy_now(stream, &copy, &enqueued, &result);
        return end_wait(s, &call->at, &result);
    }
    host_copy(stream, &copy);
    return SESSION_DONE;
}

static enum session_outcome do_launch(struct stream_execution *s, const struct run_call *call)
{
    struct host_stream *stream = find_stream(s, &call->launch->stream);
    struct device_launch *launch = stream ? session_prepare_launch(s->session, call->launch) : NULL;
    if (launch)
        host_launch(stream, launch);
    return launch ? SESSION_DONE : SESSION_BAD_INPUT;
}

static enum session_outcome do_sync(struct stream_execution *s, const struct run_call *call)
{
    struct host_stream *stream = call->stream.expr ? find_stream(s, &call->stream) : NULL;
    struct device_result result;
    if (call->stream.expr && !stream)
        return SESSION_BAD_INPUT;
    if (stream)
        host_synchronise_stream(stream, &result);
    else
        host_synchronise(s->host, &result);
    return end_wait(s, &call->at, &result);
}

static enum session_outcome do_state(struct stream_execution *s, const struct run_call *call)
{
    const struct run_buffer *buffer = &s->session->run->buffers.v[call->buffer];
    struct host_stream *stream = find_stream(s, &call->stream);
    int64_t first, count;
    if (!stream || !evaluate_range(s->session->run, call, buffer, &first, &count))
        return SESSION_BAD_INPUT;
    if (!count ||
        host_set_state(stream, buffer->address + (uint64_t)first * buffer->type->bytes,
                       (uint64_t)count * buffer->type->bytes, plane_action_of(call->mark)))
        return SESSION_DONE;
    run_fault(s->session->run, &call->at, "the memory of '%s' has no full/empty bits",
              buffer->name);
    return SESSION_BAD_INPUT;
}

static enum session_outcome do_at(struct stream_execution *s, const struct run_call *call)
{
    struct run *run = s->session->run;
    struct host_number number;
    if (!run_value(run, &call->value, &number))
        return SESSION_BAD_INPUT;
    double time = number_real(&number) * HOST_US;
    if (number_is_reference(&number) || !(time >= (double)s->host->now && time < HOST_LONGEST)) {
        run_fault(run, &call->value.at,
                  "the host is at %.3f us: 'at' must be a later time in microseconds",
                  (double)s->host->now / HOST_US);
        return SESSION_BAD_INPUT;
    }
    host_pass(s->host, (uint64_t)(time + 0.5) - s->host->now);
    host_mark(s->host);
    return SESSION_DONE;
}

static enum session_outcome do_cpu(struct stream_execution *s, const struct run_call *call)
{
    int64_t elements;
    if (!run_integer(s->session->run, &call->value, 0, INT64_C(1) << 40, "the number of elements",
                     &elements))
        return SESSION_BAD_INPUT;
    host_work(s->host, (uint64_t)elements);
    return SESSION_DONE;
}

static enum session_outcome do_reset(struct stream_execution *s, const struct run_call *call)
{
    const struct run_buffer *buffer = &s->session->run->buffers.v[call->buffer];
    if (!buffer->host.at.text)
        memset(buffer->host_data, 0, buffer->elements * buffer->type->bytes);
    else if (!fill_do(s->session->run, &buffer->host, buffer, buffer->host_data))
        return SESSION_BAD_INPUT;
    return SESSION_DONE;
}

// Evaluates the condition. Returns 1 for another round, 0 for the end, -1 after an error.
static int has_round(struct run *run, const struct run_calls *calls)
{
    struct host_number number;
    if (!calls->condition.expr)
        return 1;
    if (!run_value(run, &calls->condition, &number))
        return -1;
    return number.kind == NUMBER_REAL ? number.real != 0 : number.integer != 0;
}

static enum session_outcome do_repeat(struct stream_execution *s, const struct run_call *call)
{
    struct run *run = s->session->run;
    const struct run_calls *calls = call->calls;
    int64_t times = INT64_MAX, max = MAX_ROUNDS;
    if ((calls->times.expr &&
         !run_integer(run, &calls->times, 0, INT64_MAX, "the number of rounds", &times)) ||
        (calls->max.expr &&
         !run_integer(run, &calls->max, 1, INT64_MAX, "the limit of rounds", &max)))
        return SESSION_BAD_INPUT;
    for (int64_t round = 0; round < times; round++) {
        if (round == max) {
            diag_add(run->diags, DIAG_ERROR, "no-progress", call->at.begin, call->at.end,
                     "the repeat has had %" PRId64 " rounds", max);
            return SESSION_NO_PROGRESS;
        }
        if (calls->index != UINT32_MAX)
            run->names.v[calls->index].number =
                (struct host_number){.kind = NUMBER_INTEGER, .integer = round};
        enum session_outcome outcome = do_calls(s, calls);
        int more = outcome == SESSION_DONE ? has_round(run, calls) : 0;
        if (more <= 0)
            return more < 0 ? SESSION_BAD_INPUT : outcome;
    }
    return SESSION_DONE;
}

static enum session_outcome do_calls(struct stream_execution *s, const struct run_calls *calls)
{
    static enum session_outcome (*const all[])(struct stream_execution *,
                                               const struct run_call *) = {
        [CALL_COPY] = do_copy,    [CALL_LAUNCH] = do_launch, [CALL_SYNC] = do_sync,
        [CALL_EMPTY] = do_state,  [CALL_FILL] = do_state,    [CALL_RELEASE] = do_state,
        [CALL_AT] = do_at,        [CALL_CPU] = do_cpu,       [CALL_RESET] = do_reset,
        [CALL_REPEAT] = do_repeat};
    for (uint32_t i = 0; i < calls->list.n; i++) {
        const atomic_int *stop = s->session->device.stop;
        if (stop && atomic_load(stop))
            return SESSION_INTERRUPTED;
        enum session_outcome outcome = all[calls->list.v[i].kind](s, &calls->list.v[i]);
        if (outcome != SESSION_DONE)
            return outcome;
    }
    return SESSION_DONE;
}

// Makes the host's copy the result of each buffer that is copied to the host.
static void use_host_data(struct run *run)
{
    for (uint32_t i = 0; i < run->buffers.n; i++)
        if (run->buffers.v[i].comes_back)
            run->buffers.v[i].data = run->buffers.v[i].host_data;
}

enum session_outcome session_streams(struct session *session)
{
    struct stream_execution s = {.session = session, .host = session->host};
    struct device_result result;
    host_begin(s.host, &session->device, session->timed, s.host->gpus->config, NULL);
    host_trace_begin(s.host);
    if (session->logs)
        host_log_begin(s.host);
    for (int i = 0; i < STREAMS; i++)
        host_stream_add(s.host->gpus, &s.streams[i], HOST_INDEPENDENT);
    enum session_outcome outcome = do_calls(&s, &session->run->calls);
    if (outcome == SESSION_DONE && s.host->open) { // the program ends without waiting
        host_finish(s.host, &result);
        struct run_text file = {.begin = NO_OFFSET, .end = NO_OFFSET};
        outcome = end_wait(&s, &file, &result);
    }
    host_end(s.host);
    for (int i = 0; i < STREAMS; i++)
        host_stream_remove(&s.streams[i]);
    use_host_data(session->run);
    return outcome;
}
