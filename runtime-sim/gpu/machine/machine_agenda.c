// The agenda of a run: starts launches, copies, pauses and calls when they are due.
#include "runtime-sim/gpu/machine/machine_state.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Launches

// Describes the resources of a core that a CTA needs. `limit` is one of the limits of
// machine_occupancy.
static void describe_room(const struct machine *machine, const struct machine_launch *from,
                          char *text, size_t size)
{
    const struct core_config *config = machine_kind_of(machine, from)->kind.config;
    const struct core_needs needs = core_needs(config, from->launch, from->registers);
    const struct {
        const char *limit, *key;
        uint64_t needs, room;
    } limits[] = {
        {"warps", "core.warps", needs.warps, config->warps},
        {"threads", "core.threads", (uint64_t)needs.warps * LANES, config->threads},
        {"registers", "core.registers", needs.registers, config->registers},
        {"shared memory", "core.shared_bytes", needs.shared_bytes, config->shared_bytes},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(limits); i++)
        if (!strcmp(limits[i].limit, from->limit))
            snprintf(text, size,
                     "a core has too %s %s for one CTA of the launch: %s is %" PRIu64
                     ", but the CTA needs %" PRIu64,
                     i < 3 ? "few" : "little", from->limit, limits[i].key, limits[i].room,
                     limits[i].needs);
    if (!strcmp(from->limit, "registers"))
        snprintf(text + strlen(text), size - strlen(text),
                 ", at %u per thread (%s; --set=core.thread_registers=N sets it)", from->registers,
                 from->registers_source);
}

// Returns the number of cores that can run a cluster.
static uint32_t cluster_room(const struct machine *machine, uint32_t cores)
{
    const struct config_list *sizes = &machine->config->machine.cluster_cores;
    uint32_t most = sizes->n ? 0 : cores;
    for (uint32_t at = 0, i = 0; sizes->n && at < cores; at += (uint32_t)sizes->v[i++ % sizes->n]) {
        uint32_t size = (uint32_t)sizes->v[i % sizes->n];
        size = size < cores - at ? size : cores - at;
        most = size > most ? size : most;
    }
    return most;
}

bool machine_fits(const struct machine *machine, struct machine_launch *from, struct fault *fault)
{
    const struct launch *launch = from->launch;
    from->registers = machine_registers(machine, from, &from->registers_source);
    from->room = machine_occupancy(machine, from, &from->limit);
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint32_t cluster = grid_cluster_ctas(launch);
    uint32_t cores = machine_kind_of(machine, from)->count;
    uint32_t cluster_cores = cluster_room(machine, cores);
    bool together = launch->cooperative && ctas > (uint64_t)from->room * cores;
    fault->refused = fault->happened = !from->room || together || cluster > cluster_cores;
    fault->needs = (struct launch_needs){
        .threads = launch->block[0] * launch->block[1] * launch->block[2],
        .registers = from->registers,
        .shared_bytes = launch->shared_bytes,
        .together = launch->cooperative ? ctas : 1,
        .cluster = cluster,
    };
    if (!from->room)
        describe_room(machine, from, fault->text, sizeof fault->text);
    else if (together)
        snprintf(fault->text, sizeof fault->text,
                 "the launch's %" PRIu64
                 " CTAs must be resident at once, but each of the machine's %u cores has room for "
                 "only %u, limited by %s",
                 ctas, cores, from->room, from->limit);
    else if (fault->refused)
        snprintf(fault->text, sizeof fault->text,
                 "a cluster has %u CTAs, one per core, but %s is %u", cluster,
                 cluster_cores < cores ? "the largest group of machine.cluster_cores"
                                       : "memory.cores",
                 cluster_cores);
    return !fault->refused;
}

// Called before each launch that starts while no other one runs: L1s are emptied, and no core is
// known to be full.
static void flush_cores(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->count; i++)
        core_flush(&machine->cores[i]);
}

// Divides core.unified_bytes between shared memory and the L1 for a launch that starts while no
// other one runs.
static void carve(struct machine *machine, const struct machine_launch *from)
{
    const struct machine_kind *kind = machine_kind_of(machine, from);
    const struct core_config *config = kind->kind.config;
    const struct core_needs needs = core_needs(config, from->launch, from->registers);
    uint64_t shared = UINT64_MAX, used = (uint64_t)needs.shared_bytes * from->room;
    for (uint32_t i = 0; i < config->carveouts.n; i++)
        if (config->carveouts.v[i] >= used && config->carveouts.v[i] < shared)
            shared = config->carveouts.v[i];
    uint32_t set_bytes = kind->kind.l1->sets * kind->kind.l1->line_bytes;
    uint64_t ways = (config->unified_bytes - shared) / set_bytes;
    ways = ways < kind->kind.l1->ways ? ways : kind->kind.l1->ways;
    for (uint32_t i = 0; i < kind->count; i++)
        cache_use_ways(&machine->cores[kind->first + i].l1, (uint32_t)ways);
}

static bool begin_launch(struct machine *machine, struct machine_event *event,
                         struct grid_result *result)
{
    struct machine_launch *from = event->launch;
    struct launch *launch = from->launch;
    if (!machine->launches.live)
        flush_cores(machine);
    for (uint32_t i = 0; i < machine->count; i++)
        bits_set(machine->ticks.trying, i);
    struct running *running = ARENA_NEW(&machine->run.arena, struct running);
    *running = (struct running){.number = machine->launches.count,
                                .event = event,
                                .launch = from,
                                .ready = machine->now + machine->config->machine.launch_latency};
    machine->launches.running[machine->launches.count++] = running;
    machine->launches.live++;
    from->begun = from->ended = machine_cycle(machine);
    result->fault.launch = launch->id;
    result->fault.function = launch->function;
    arena_init(&running->arena, machine->arena->memory);
    launch->time = &machine->time;
    launch->high_lane_later = machine->config->core.divergence == CORE_LOW_LANES_FIRST;
    machine->shared.profiled |= launch->profile != NULL;
    EACH_SCHEME (scheme, machine, memory.place_launch)
        scheme->ops->memory.place_launch(machine, scheme->state, from);
    if (!grid_begin(launch, &running->arena, &result->fault))
        return false;
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    running->ctas = ctas;
    running->count = ctas / grid_cluster_ctas(launch);
    if (!machine_fits(machine, from, &result->fault))
        return false;
    running->registers = from->registers;
    if (machine_kind_of(machine, from)->kind.config->unified_bytes && machine->launches.live == 1)
        carve(machine, from);
    machine_sample_begin(machine, running);
    return true;
}

void machine_release(struct running *running)
{
    if (running->is_released)
        return;
    running->is_released = true;
    grid_end(running->launch->launch);
    running->launch->launch->time = NULL;
    running->launch->launch->high_lane_later = false;
    arena_free(&running->arena);
}

// Ended launches keep their memory for the rest of the cycle.
static void release_ended(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->launches.count; i++)
        if (machine->launches.running[i]->event->has_ended)
            machine_release(machine->launches.running[i]);
    machine->launches.unreleased = 0;
}

void machine_end_launch(struct machine *machine, struct running *running)
{
    machine->launches.live--;
    machine->launches.unreleased++;
    machine_end_event(machine, running->event);
    if (!machine->launches.live)
        EACH_SCHEME (scheme, machine, memory.launch)
            scheme->ops->memory.launch(machine, scheme->state, false);
}

// Pauses

static bool has_drained(const struct machine *machine)
{
    return memsys_inside(machine->shared.memsys) == machine_copies_inside(machine);
}

static void end_pause(struct machine *machine)
{
    struct machine_event *event = machine->agenda.pausing;
    machine->agenda.pausing = NULL;
    if (event)
        machine_end_event(machine, event);
}

static void pause_cores(struct machine *machine, struct machine_event *event)
{
    end_pause(machine);
    machine->shared.paused = true;
    machine->agenda.pausing = event;
}

static bool is_ready(const struct core *core)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < core->words; i++)
        any |= core->sets[i].ready;
    return any;
}

void machine_resume_cores(struct machine *machine)
{
    machine->shared.paused = false;
    for (uint32_t i = 0; i < machine->count; i++)
        if (is_ready(&machine->cores[i]))
            machine_set_due(machine, i, machine->now);
}

// Events

void machine_end_event(struct machine *machine, struct machine_event *event)
{
    event->has_ended = true;
    event->ended = machine_cycle(machine);
    machine->agenda.open--;
    machine->agenda.ended++;
}

static bool is_free(const struct machine_event *event)
{
    for (int i = 0; i < 2; i++)
        if (event->after[i] && !event->after[i]->has_ended)
            return false;
    return !event->has_begun;
}

static bool begin_event(struct machine *machine, struct machine_event *event,
                        struct grid_result *result)
{
    machine->agenda.waiting--;
    event->has_begun = true;
    event->begun = machine_cycle(machine);
    switch (event->kind) {
    case EVENT_LAUNCH:
        if (!begin_launch(machine, event, result))
            return false;
        if (!machine->launches.running[machine->launches.count - 1]->ctas)
            machine_end_launch(machine, machine->launches.running[machine->launches.count - 1]);
        return true;
    case EVENT_COPY: machine_begin_copy(machine, event); return true;
    case EVENT_PAUSE: pause_cores(machine, event); return true;
    case EVENT_RESUME:
        end_pause(machine);
        machine_resume_cores(machine);
        break;
    case EVENT_CALL: event->call(event->context, event->begun); break;
    }
    machine_end_event(machine, event);
    return true;
}

bool machine_begin_due(struct machine *machine, struct grid_result *result)
{
    uint32_t launches = machine->launches.count;
    if (machine->launches.unreleased)
        release_ended(machine);
    if (machine->agenda.pausing && has_drained(machine))
        end_pause(machine);
    for (uint32_t i = machine->agenda.first;
         machine->agenda.waiting && i < machine->agenda.events.n; i++) {
        struct machine_event *event = machine->agenda.events.v[i];
        if (is_free(event) && event->cycle <= machine_cycle(machine) &&
            !begin_event(machine, event, result))
            return false;
    }
    while (machine->agenda.first < machine->agenda.events.n &&
           machine->agenda.events.v[machine->agenda.first]->has_ended)
        machine->agenda.first++;
    if (machine->launches.count > launches)
        EACH_SCHEME (scheme, machine, memory.launch)
            scheme->ops->memory.launch(machine, scheme->state, true);
    return true;
}

static uint64_t not_before(uint64_t cycle, uint64_t first)
{
    return cycle > first ? cycle : first;
}

uint64_t machine_agenda_next(const struct machine *machine)
{
    uint64_t soon = machine->now + 1;
    uint64_t next = machine->copies ? machine_copies_next(machine) : UINT64_MAX;
    if (machine->run.until != UINT64_MAX)
        next = smaller(next, not_before(machine->run.until, soon));
    if (machine->agenda.pausing && has_drained(machine))
        next = soon;
    for (uint32_t i = 0; machine->launches.live && i < machine->launches.count; i++)
        if (machine->launches.running[i]->ready > machine->now)
            next = smaller(next, machine->launches.running[i]->ready);
    for (uint32_t i = machine->agenda.first;
         machine->agenda.waiting && i < machine->agenda.events.n; i++) {
        const struct machine_event *event = machine->agenda.events.v[i];
        uint64_t cycle = not_before(event->cycle, machine->start) - machine->start;
        if (is_free(event))
            next = smaller(next, not_before(cycle, soon));
    }
    return next;
}

bool machine_agenda_holds(const struct machine *machine)
{
    bool runs = false;
    if (machine->run.until != UINT64_MAX) // the owner may add events
        return true;
    for (uint32_t i = 0; i < machine->launches.count && !machine->shared.paused; i++)
        runs |= machine->launches.running[i]->over < machine->launches.running[i]->ctas &&
                machine->launches.running[i]->ready <= machine->now;
    return !runs && machine_agenda_next(machine) != UINT64_MAX;
}
