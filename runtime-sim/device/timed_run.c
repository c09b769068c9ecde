// Executes commands by the machine, in busy periods (struct timed_period).
#include "runtime-sim/device/timed_run.h"
#include "runtime-sim/device/spawn.h"
#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

void timed_count_run(struct timed *timed, struct timed_kernel *kernel,
                     const struct stats_mark *before, uint64_t launches, uint64_t cycles)
{
    struct timed_kernel *const both[] = {&timed->total, kernel};
    for (int i = 0; i < 1 + !!kernel; i++) {
        both[i]->launches += launches;
        both[i]->cycles += cycles;
        stats_sum(&timed->stats, before, &both[i]->sum);
    }
}

static void sample(void *context, uint64_t cycle)
{
    struct timed *timed = context;
    if (timed->options->sample)
        timed->options->sample(timed->options->context, timed->kernel, cycle);
    if (timed->trace)
        timed_trace_power(timed, cycle);
    if (timed->options->marks_samples || timed->trace)
        stats_retake(&timed->stats, &timed->sampled);
}

struct machine_limits timed_limits(struct timed *timed)
{
    return (struct machine_limits){
        .every = timed->interval,
        .sample = sample,
        .context = timed,
        .cycle = &timed->cycle,
        .ctas_done = &timed->ctas_done,
    };
}

void timed_set_interval(struct timed *timed, uint64_t interval)
{
    timed->interval = interval;
    timed->period.limits.every = interval;
}

// Adds a launch to the progress, and to the kernel names in rows of time series.
static void show_launch(struct timed *timed, const struct device_launch *one)
{
    const uint32_t *grid = one->launch->grid;
    const char *name = one->kernel->name;
    bool is_first = !strcmp(timed->kernel, "copy");
    timed->kernel = is_first ? name : arena_printf(timed->arena, "%s+%s", timed->kernel, name);
    atomic_fetch_add(&timed->ctas, (uint64_t)grid[0] * grid[1] * grid[2]);
}

// Events

static void plan_copy(const struct timed_options *options, const struct device_command *command,
                      struct arena *arena, struct machine_copy *copy)
{
    bool crosses = command->kind == COMMAND_COPY && (!command->to || !command->from);
    uint8_t trigger = plane_mark(plane_trigger_of(command->mark), PLANE_KEEP);
    uint8_t action = plane_mark(PLANE_ALWAYS, plane_action_of(command->mark));
    uint64_t rate = command->peer ? options->peer_rate : crosses ? options->link_rate : 0;
    *copy = (struct machine_copy){.to = command->to,
                                  .from = command->from,
                                  .bytes = command->bytes,
                                  .data_to = command->data_to,
                                  .data_from = command->data_from,
                                  .rate = rate,
                                  .is_peer = command->peer,
                                  .outstanding = options->copy_outstanding,
                                  .read_mark = (crosses ? command->mark : trigger) | PLANE_OF_HOST,
                                  .write_mark = (crosses ? command->mark : action) | PLANE_OF_HOST,
                                  .one_engine = options->one_copy_engine};
    if (command->kind == COMMAND_SET) {
        uint8_t *values = arena_alloc(arena, command->bytes + 1);
        memset(values, command->value, command->bytes);
        copy->data_from = values;
    }
}

static struct machine_event *plan_command(const struct timed *timed, struct device_command *command,
                                          struct arena *arena)
{
    struct machine_event *event = ARENA_NEW(arena, struct machine_event);
    if (command->launch) {
        event->launch = ARENA_NEW(arena, struct machine_launch);
        event->launch->launch = command->launch->launch;
        event->launch->sample_waves = timed->options->sampling.waves;
    } else {
        event->kind = EVENT_COPY;
        plan_copy(timed->options, command, arena, &event->copy);
    }
    return event;
}

// Periods

// Advances the idle machine to a cycle. The cycles count for no kernel.
static void wait_until(struct timed *timed, uint64_t cycle)
{
    struct timed_period *period = &timed->period;
    if (cycle <= machine_cycle(timed->machine))
        return;
    machine_open(timed->machine, &period->limits, &period->result);
    enum machine_end end = machine_proceed(timed->machine, cycle, &period->result);
    machine_close(timed->machine, end == MACHINE_PAUSED ? MACHINE_DONE : end, &period->result);
}

// Lets the LLC have the data of copies that were made without time.
static void warm_copies(struct timed *timed)
{
    struct device *device = timed->device;
    for (uint32_t i = 0; i < device->copied.n; i++)
        machine_warm_copy(timed->machine, device->copied.v[i].address, device->copied.v[i].bytes);
    device->copied.n = 0;
}

static void open_period(struct timed *timed, uint64_t cycle)
{
    struct timed_period *period = &timed->period;
    if (timed->broken)
        timed_renew(timed);
    warm_copies(timed);
    period->limits = timed_limits(timed);
    wait_until(timed, cycle);
    uint64_t begun = machine_cycle(timed->machine), max = timed->options->max_cycles;
    if (max)
        period->limits.cycles = begun + (max > timed->total.cycles ? max - timed->total.cycles : 1);
    period->commands = (__typeof__(period->commands)){0};
    period->events = (__typeof__(period->events)){0};
    period->families = (__typeof__(period->families)){0};
    period->marks = (__typeof__(period->marks)){0};
    period->limits.awaited = &timed->device->spawns->fresh.n;
    period->ended = period->first = 0;
    period->before = stats_snapshot(&timed->stats, &period->arena);
    period->begun = begun;
    period->is_open = true;
    device_enter(timed->device);
    timed->used = true;
    timed->kernel = "copy";
    atomic_store(&timed->cycle, 0);
    atomic_store(&timed->ctas_done, 0);
    atomic_store(&timed->ctas, 0);
    machine_open(timed->machine, &period->limits, &period->result);
}

// Returns the latency of the link between devices in cycles.
static uint64_t peer_latency(const struct timed *timed)
{
    const uint64_t ps_per_us = 1000000;
    return timed->options->peer_latency * timed->config.memsys.memory.core_clock / ps_per_us;
}

struct machine_event *timed_add_command(struct timed *timed, struct device_command *command,
                                        uint64_t cycle, struct timed_family *parent)
{
    struct timed_period *period = &timed->period;
    struct machine_event *event = plan_command(timed, command, &period->arena);
    vec_push(&period->arena, &period->commands, command);
    vec_push(&period->arena, &period->events, event);
    event->cycle = cycle;
    if (command->peer)
        event->cycle += peer_latency(timed);
    timed_family_add(timed, command, event, parent);
    machine_add_event(timed->machine, event);
    if (command->launch)
        show_launch(timed, command->launch);
    return event;
}

static void sample_launch(const struct timed *timed, struct timed_kernel *kernel,
                          const struct device_launch *one, const struct machine_launch *run)
{
    double error, skipped = machine_sample_cycles(run, &error);
    kernel->sampled.skipped_cycles += skipped;
    kernel->sampled.skipped_squares += error * error;
    kernel->sampled.skipped_instructions += run->skipped.warp_instructions;
    sample_add(&kernel->sampled, sample_measures(&timed->options->sampling, one->launch->id),
               (double)(run->ended - run->begun) + skipped, one->warp_instructions);
}

static struct timed_kernel *count_launch(struct timed *timed, struct device_launch *one,
                                         const struct machine_launch *run)
{
    struct timed_kernel *kernel = timed_counts(timed, one->kernel);
    one->warp_instructions = run->warp_instructions + run->skipped.warp_instructions;
    one->thread_instructions = run->thread_instructions + run->skipped.thread_instructions;
    kernel->warp_instructions += run->warp_instructions;
    kernel->thread_instructions += run->thread_instructions;
    kernel->registers = run->registers;
    kernel->registers_source = run->registers_source;
    kernel->room = run->room;
    kernel->limit = run->limit;
    struct timed_span span = {.kernel = one->kernel, .begun = run->begun, .ended = run->ended};
    memcpy(span.grid, one->launch->grid, sizeof span.grid);
    memcpy(span.block, one->launch->block, sizeof span.block);
    vec_push(timed->arena, &timed->spans, span);
    sample_launch(timed, kernel, one, run);
    return kernel;
}

// Counts the launches of a period. Statistics of the machine belong to the kernel of a launch that
// ran alone, and to no kernel if there were several launches.
static void count_launches(struct timed *timed)
{
    const struct timed_period *period = &timed->period;
    uint64_t launches = 0, cycles = machine_cycle(timed->machine) - period->begun;
    timed->last = NULL;
    for (uint32_t i = 0; i < period->commands.n; i++)
        launches += period->commands.v[i]->launch != NULL;
    for (uint32_t i = 0; i < period->commands.n; i++) {
        struct device_launch *one = period->commands.v[i]->launch;
        const struct machine_launch *run = period->events.v[i]->launch;
        if (!one) {
            const struct device_command *copy = period->commands.v[i];
            vec_push(timed->arena, &timed->copies,
                     (struct timed_copy){copy->begun, copy->ended, copy->bytes});
            continue;
        }
        struct timed_kernel *kernel = count_launch(timed, one, run);
        if (launches == 1) {
            timed->last = kernel;
            continue;
        }
        kernel->together++;
        kernel->launches++;
        kernel->cycles += run->ended - run->begun;
    }
    timed_count_run(timed, timed->last, &period->before, launches, cycles);
}

// Updates the commands that have ended. Returns true if one of the host has.
static bool note_ends(struct timed_period *period)
{
    bool is_first = true, any = false;
    for (uint32_t i = period->first; i < period->commands.n; i++) {
        struct device_command *command = period->commands.v[i];
        const struct machine_event *event = period->events.v[i];
        uint64_t ended = event->ended;
        bool is_over = timed_family_is_over(period->families.v[i], &ended);
        bool is_new = is_over && !command->has_ended;
        period->ended += is_new;
        any |= is_new && timed_family_is_host(period->families.v[i]);
        command->has_ended = is_over;
        command->begun = event->begun;
        command->ended = ended;
        is_first &= is_over;
        period->first += is_first;
    }
    return any;
}

static void close_period(struct timed *timed, enum machine_end end)
{
    struct timed_period *period = &timed->period;
    machine_close(timed->machine, end, &period->result);
    period->first = 0;
    note_ends(period);
    count_launches(timed);
    if (timed->options->period_end)
        timed->options->period_end(timed->options->context, machine_cycle(timed->machine));
    period->is_open = false;
    timed->broken = end != MACHINE_DONE;
    if (timed->broken)
        device_spawns_drop(timed->device);
    device_leave(timed->device, !timed->broken);
}

// Continues as machine_proceed does, with the launches by threads.
static enum machine_end proceed(struct timed *timed, uint64_t until)
{
    struct grid_result *result = &timed->period.result;
    enum machine_end end = machine_proceed(timed->machine, until, result);
    if (end != MACHINE_DONE && end != MACHINE_PAUSED)
        return end;
    bool more = timed_spawn(timed, result);
    return result->fault.happened ? MACHINE_FAULT : more ? MACHINE_PAUSED : end;
}

void timed_execute(void *context, struct device_command *const *commands, uint32_t count,
                   struct grid_result *result)
{
    struct timed *timed = context;
    if (timed->options->max_cycles && timed->total.cycles >= timed->options->max_cycles) {
        *result = (struct grid_result){.limited = true};
        return;
    }
    open_period(timed, 0);
    for (uint32_t i = 0; i < count; i++)
        timed_add_command(timed, commands[i], 0, NULL);
    enum machine_end end;
    do
        end = proceed(timed, UINT64_MAX);
    while (end == MACHINE_PAUSED);
    close_period(timed, end);
    *result = timed->period.result;
    arena_free(&timed->period.arena);
}

// Commands one by one

void timed_start(struct timed *timed, struct device_command *command, uint64_t cycle)
{
    if (!timed->period.is_open)
        open_period(timed, cycle);
    timed_add_command(timed, command, cycle, NULL);
    if (command->launch)
        device_begin_launch(timed->device, command->launch);
}

// Reports the end of a period to the device: counts its launches, and sets the one to which a fault
// belongs.
static void report(struct timed *timed, struct device_result *result)
{
    const struct timed_period *period = &timed->period;
    result->grid = period->result;
    for (uint32_t i = 0; i < period->commands.n; i++)
        if (period->commands.v[i]->launch)
            device_end_launch(period->commands.v[i]->launch, result);
    result->end = device_end_of(&period->result);
}

enum device_end timed_proceed(struct timed *timed, uint64_t until, struct device_result *result)
{
    struct timed_period *period = &timed->period;
    *result = (struct device_result){.end = DEVICE_DONE};
    if (!period->is_open)
        return DEVICE_DONE;
    struct device_spell spell = device_spell_begin(timed->device);
    enum machine_end end = MACHINE_PAUSED;
    bool is_awaited = false;
    while (end == MACHINE_PAUSED && !is_awaited && machine_cycle(timed->machine) < until) {
        end = proceed(timed, until);
        is_awaited = note_ends(period);
    }
    if (end == MACHINE_PAUSED && period->ended == period->commands.n)
        end = MACHINE_DONE;
    if (end != MACHINE_PAUSED) {
        close_period(timed, end);
        report(timed, result);
        arena_free(&period->arena);
    }
    device_spell_end(timed->device, &spell);
    return result->end;
}

void timed_abandon(struct timed *timed)
{
    if (!timed->period.is_open)
        return;
    close_period(timed, MACHINE_STOPPED);
    arena_free(&timed->period.arena);
}

void timed_look_at_planes(struct timed *timed)
{
    machine_look_at_planes(timed->machine);
}

uint64_t timed_waited(const struct timed *timed)
{
    return machine_waited(timed->machine);
}

uint64_t timed_cycle(const struct timed *timed)
{
    return machine_cycle(timed->machine);
}
