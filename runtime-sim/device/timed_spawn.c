// Launches by kernels with time. A launch begins machine.device_launch_latency cycles after its
// call, and after the launches before it in its stream. A launch is over when its CTAs and all
// launches by its threads have ended; then its tail launches run, one after another.
//
// The machine pauses in a cycle with calls, so the calls of a cycle can be sorted.
#include "runtime-sim/device/spawn.h"
#include "runtime-sim/device/timed_run.h"
#include <stdlib.h>

// A stream of a launch: a stream that it has created, or the one of a CTA.
struct timed_stream {
    uint64_t handle;
    uint32_t cta;
    const struct machine_event *last;
};

// A command, and the commands of its threads.
struct timed_family {
    struct timed_family *parent; // NULL: issued by the host
    const struct device_command *command;
    const struct machine_event *event;
    uint32_t open;  // commands of its threads that are not over
    uint64_t ended; // latest end of these
    uint32_t begun; // number of tail launches that have begun
    VEC(struct spawn) tails;
    VEC(struct timed_stream) streams;
    bool is_over;
};

void timed_family_add(struct timed *timed, struct device_command *command,
                      struct machine_event *event, struct timed_family *parent)
{
    struct arena *arena = &timed->period.arena;
    struct timed_family *family = ARENA_NEW(arena, struct timed_family);
    *family = (struct timed_family){.parent = parent, .command = command, .event = event};
    vec_push(arena, &timed->period.families, family);
    if (command->launch)
        command->launch->launch->family = family;
    if (parent)
        parent->open++;
}

bool timed_family_is_over(const struct timed_family *family, uint64_t *ended)
{
    *ended = larger(family->ended, family->event->ended);
    return family->is_over;
}

bool timed_family_is_host(const struct timed_family *family)
{
    return !family->parent;
}

// Streams and events

static struct timed_stream *stream_of(struct timed *timed, const struct spawn *spawn)
{
    struct timed_family *family = spawn->parent->family;
    uint32_t cta = spawn->stream <= SPAWN_STREAM_FREE ? spawn->cta : 0;
    for (uint32_t i = 0; i < family->streams.n; i++)
        if (family->streams.v[i].handle == spawn->stream && family->streams.v[i].cta == cta)
            return &family->streams.v[i];
    vec_push(&timed->period.arena, &family->streams,
             (struct timed_stream){.handle = spawn->stream, .cta = cta});
    return &family->streams.v[family->streams.n - 1];
}

static struct timed_mark *mark_of(struct timed *timed, uint64_t handle)
{
    struct timed_period *period = &timed->period;
    for (uint32_t i = 0; i < period->marks.n; i++)
        if (period->marks.v[i].handle == handle)
            return &period->marks.v[i];
    vec_push(&period->arena, &period->marks, (struct timed_mark){.handle = handle});
    return &period->marks.v[period->marks.n - 1];
}

static void do_nothing(void *context, uint64_t cycle)
{
    (void)context, (void)cycle;
}

// Lets the stream wait for an event.
static void wait_for(struct timed *timed, struct timed_stream *stream,
                     const struct machine_event *event)
{
    struct machine_event *both = ARENA_NEW(&timed->period.arena, struct machine_event);
    *both = (struct machine_event){
        .kind = EVENT_CALL, .call = do_nothing, .after = {stream->last, event}};
    machine_add_event(timed->machine, both);
    stream->last = both;
}

// Commands

// Makes a copy or set a command. Returns false if bytes are not in one allocation.
static bool plan_move(struct timed *timed, const struct spawn *spawn,
                      struct device_command *command)
{
    *command = (struct device_command){
        .kind = spawn->kind == SPAWN_COPY ? COMMAND_COPY : COMMAND_SET,
        .to = spawn->to,
        .from = spawn->from,
        .bytes = spawn->bytes,
        .value = spawn->value,
        .data_to = device_at(timed->device, spawn->to, spawn->bytes),
    };
    if (spawn->kind == SPAWN_COPY)
        command->data_from = device_at(timed->device, spawn->from, spawn->bytes);
    return command->data_to && (spawn->kind == SPAWN_SET || command->data_from);
}

// Starts a launch, copy or set after an event of its stream, which may be NULL. Returns its event,
// or NULL after a fault.
static const struct machine_event *start(struct timed *timed, const struct spawn *spawn,
                                         const struct machine_event *after, struct fault *fault)
{
    struct device *device = timed->device;
    struct launch_refusal refusal;
    struct device_command *command = ARENA_NEW(&timed->period.arena, struct device_command);
    uint64_t latency = timed->config.machine.device_launch_latency;
    if (spawn->kind == SPAWN_LAUNCH) {
        command->launch = device_prepare_spawn(device, spawn, &refusal);
        if (!command->launch) {
            device_refuse_spawn(device, spawn, fault);
            return NULL;
        }
    } else if (!plan_move(timed, spawn, command)) {
        device_move_fault(spawn, fault);
        return NULL;
    }
    struct machine_event *event = timed_add_command(
        timed, command, machine_cycle(timed->machine) + latency, spawn->parent->family);
    event->after[0] = after;
    if (command->launch)
        device_begin_launch(device, command->launch);
    return event;
}

// Executes a command of a thread. Returns false after a fault.
static bool issue(struct timed *timed, const struct spawn *spawn, struct fault *fault)
{
    struct timed_family *family = spawn->parent->family;
    if (spawn->kind == SPAWN_RECORD) {
        const struct machine_event *last = stream_of(timed, spawn)->last;
        mark_of(timed, spawn->event)->at = last;
    } else if (spawn->kind == SPAWN_WAIT) {
        const struct timed_mark *mark = mark_of(timed, spawn->event);
        if (mark->at)
            wait_for(timed, stream_of(timed, spawn), mark->at);
    } else if (spawn->stream == SPAWN_STREAM_TAIL) {
        vec_push(&timed->period.arena, &family->tails, *spawn);
    } else if (spawn->kind == SPAWN_LAUNCH || spawn->bytes) {
        bool is_free = spawn->stream == SPAWN_STREAM_FREE;
        struct timed_stream *stream = is_free ? NULL : stream_of(timed, spawn);
        const struct machine_event *event =
            start(timed, spawn, stream ? stream->last : NULL, fault);
        if (stream)
            stream->last = event;
        return event;
    }
    return true;
}

static int compare_spawns(const void *a, const void *b)
{
    const struct spawn *one = a, *two = b;
    const uint32_t keys[][2] = {{one->parent->id, two->parent->id},
                                {one->cta, two->cta},
                                {one->warp, two->warp},
                                {one->number, two->number}};
    for (uint32_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

// Ends commands with all commands of their threads, which follow them in the list. Returns true if
// a tail launch has begun.
static bool end_families(struct timed *timed, struct fault *fault)
{
    struct timed_period *period = &timed->period;
    bool added = false;
    for (uint32_t i = period->families.n; i-- > period->first && !fault->happened;) {
        struct timed_family *family = period->families.v[i];
        if (family->is_over || family->open || !family->event->has_ended)
            continue;
        if (family->begun < family->tails.n) {
            start(timed, &family->tails.v[family->begun++], NULL, fault);
            added = true;
            continue;
        }
        family->is_over = true;
        if (family->parent) {
            family->parent->open--;
            family->parent->ended =
                larger(family->parent->ended, larger(family->ended, family->event->ended));
        }
    }
    return added;
}

bool timed_spawn(struct timed *timed, struct grid_result *result)
{
    struct spawns *spawns = timed->device->spawns;
    uint32_t count = spawns->fresh.n;
    bool good = true;
    if (count)
        qsort(spawns->fresh.v, count, sizeof *spawns->fresh.v, compare_spawns);
    for (uint32_t i = 0; i < count && good; i++)
        good = issue(timed, &spawns->fresh.v[i], &result->fault);
    spawns->fresh.n = 0;
    return good && (end_families(timed, &result->fault) || count);
}
