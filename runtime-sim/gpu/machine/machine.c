#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "support/random.h"
#include <assert.h>
#include <string.h>

// Moves the values of a served request.
static enum memsys_served serve(void *context, const struct memsys_request *request)
{
    struct machine *machine = context;
    EACH_SCHEME (scheme, machine, memory.admit)
        if (scheme->ops->memory.admit(machine, scheme->state, request) == MEMSYS_WAIT)
            return MEMSYS_WAIT;
    if (request->requester < CORE_REQUESTERS) {
        core_served(&machine->cores[machine->core_at[request->core]], request);
        return MEMSYS_SERVED;
    }
    if (!machine->schemes.of_requester[request->requester]) {
        machine_serve_copy(machine, request);
        return MEMSYS_SERVED;
    }
    const struct active_scheme *scheme =
        &machine->schemes.active[machine->schemes.of_requester[request->requester] - 1];
    if (scheme->ops->memory.serve)
        scheme->ops->memory.serve(machine, scheme->state, request);
    return MEMSYS_SERVED;
}

uint32_t machine_cores(const struct machine *machine)
{
    return machine->ordinary;
}

struct machine *machine_new(struct arena *arena, const struct machine_config *config,
                            const struct program *program)
{
    return machine_new_planned(arena, config, program, NULL);
}

struct machine *machine_new_planned(struct arena *arena, const struct machine_config *config,
                                    const struct program *program,
                                    const struct machine_plans *plans)
{
    struct machine *machine = ARENA_NEW(arena, struct machine);
    *machine = (struct machine){.arena = arena, .config = config, .program = program};
    machine_choose_schemes(machine, plans);
    config = machine->config;
    machine_init_kinds(machine);
    machine->time.clock = config->memsys.memory.core_clock;
    machine->time.cores = machine->ordinary;
    machine->words = bits_words(machine->count);
    timings_build(&machine->shared.timings, arena, program);
    machine->shared.sites = config->sites;
    machine_init_rows(machine);
    machine_create_schemes(machine, plans);
    struct memsys_tables tables = {.requesters = machine->schemes.requesters.v,
                                   .requester_count = machine->schemes.requesters.n,
                                   .in_sectors = CORE_REQUESTERS,
                                   .sites = config->sites ? &config->sites->memory : NULL,
                                   .far = config->far.rate ? &config->far : NULL};
    EACH_SCHEME (scheme, machine, memory.extend)
        scheme->ops->memory.extend(machine, scheme->state, &tables);
    if (config->copies)
        machine_add_copies(machine, &tables);
    machine_add_endpoints(machine, &tables);
    machine->shared.memsys = memsys_new(arena, &config->memsys, &tables, serve, machine);
    machine_init_cores(machine, &tables);
    machine->ticks.due = ARENA_ARRAY(arena, uint64_t, machine->count);
    machine->ticks.awake = bits_new(arena, machine->count);
    machine->ticks.ticked = bits_new(arena, machine->count);
    machine->ticks.trying = bits_new(arena, machine->count);
    machine->ticks.order = ARENA_ARRAY(arena, uint32_t, machine->count);
    for (uint32_t i = 0; i < machine->count; i++) {
        machine->ticks.due[i] = UINT64_MAX;
        machine->ticks.order[i] = i;
    }
    EACH_SCHEME (scheme, machine, memory.connect)
        scheme->ops->memory.connect(machine, scheme->state);
    if (machine->copies)
        machine_connect_copies(machine, &tables);
    return machine;
}

void machine_shuffle(struct machine *machine, uint64_t seed)
{
    machine->ticks.shuffle = seed;
    memsys_shuffle(machine->shared.memsys, seed);
}

void machine_start_at(struct machine *machine, uint64_t cycle)
{
    machine->start = cycle;
}

uint64_t machine_cycle(const struct machine *machine)
{
    return machine->start + machine->now;
}

uint64_t machine_waited(const struct machine *machine)
{
    uint64_t address = 0;
    EACH_SCHEME (scheme, machine, report.waits) {
        uint64_t word = scheme->ops->report.waits(machine, scheme->state, NULL);
        address = address ? address : word;
    }
    return address;
}

void machine_look_at_planes(struct machine *machine)
{
    memsys_look_at_gates(machine->shared.memsys);
}

void machine_report(const struct machine *machine, FILE *to)
{
    EACH_SCHEME (scheme, machine, report.waits)
        scheme->ops->report.waits(machine, scheme->state, to);
    memsys_report(machine->shared.memsys, to, 32);
}

// Time

static void shuffle_order(struct machine *machine)
{
    for (uint32_t i = machine->count; i > 1; i--) {
        uint32_t k = (uint32_t)(xorshift64(&machine->ticks.shuffle) % i),
                 other = machine->ticks.order[k];
        machine->ticks.order[k] = machine->ticks.order[i - 1];
        machine->ticks.order[i - 1] = other;
    }
}

static void tick_shuffled(struct machine *machine)
{
    shuffle_order(machine);
    for (uint32_t i = 0; i < machine->count; i++)
        if (bits_test(machine->ticks.ticked, machine->ticks.order[i]))
            core_tick(&machine->cores[machine->ticks.order[i]], machine->now);
}

// Loops over the cores set in a word; the set must not change meanwhile.
#define EACH_OF(core, word, members)                                                               \
    for (uint64_t rest = (members), core;                                                          \
         rest && (core = (word)*64 + (uint64_t)__builtin_ctzll(rest), true); rest &= rest - 1)

static void tick(struct machine *machine)
{
    uint64_t now = machine->now;
    machine->time.cycle = machine_cycle(machine);
    EACH_SCHEME (scheme, machine, memory.tick)
        scheme->ops->memory.tick(machine, scheme->state);
    if (machine->copies)
        machine_tick_copies(machine);
    for (uint32_t w = 0; w < machine->words; w++) {
        uint64_t ticked = 0;
        EACH_OF (i, w, machine->ticks.awake[w])
            ticked |= (uint64_t)(machine->ticks.due[i] <= now) << i % 64;
        machine->ticks.ticked[w] = ticked;
    }
    if (machine->ticks.shuffle) {
        tick_shuffled(machine);
        return;
    }
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->ticks.ticked[w]) {
            uint64_t after = rest & (rest - 1);
            if (after)
                core_prefetch(&machine->cores[w * 64 + (uint32_t)__builtin_ctzll(after)]);
            core_tick(&machine->cores[i], now);
        }
}

static void commit(struct machine *machine)
{
    bool stirred = false, ended = false;
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->ticks.ticked[w]) {
            struct core *core = &machine->cores[i];
            if (core_has_commit(core))
                core_commit(core, machine->now);
            stirred |= core->results.stirred != 0;
            ended |= core->results.ended || core->results.returns || core->results.settles;
            machine_set_due(machine, (uint32_t)i, core->next);
        }
    for (uint32_t w = 0; stirred && w < machine->words; w++)
        EACH_OF (i, w, machine->ticks.ticked[w])
            machine_look_at_clusters(machine, (uint32_t)i);
    for (uint32_t w = 0; ended && w < machine->words; w++)
        EACH_OF (i, w, machine->ticks.ticked[w])
            if (machine->cores[i].results.ended || machine->cores[i].results.returns ||
                machine->cores[i].results.settles)
                machine_retire_ended(machine, (uint32_t)i);
}

// Returns the bits of an endpoint word that are ordinary cores.
static uint64_t cores_of(const struct machine *machine, uint32_t word)
{
    uint32_t left = machine->ordinary - word * 64;
    return left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
}

static void wake_cores(struct machine *machine)
{
    const struct memsys *memsys = machine->shared.memsys;
    for (uint32_t w = 0; w < bits_words(machine->ordinary); w++)
        for (uint64_t rest = (memsys_reply_endpoints(memsys, w) | memsys_may_send(memsys, w)) &
                             cores_of(machine, w);
             rest; rest &= rest - 1)
            machine_set_due(machine, w * 64 + (uint32_t)__builtin_ctzll(rest), machine->now);
    for (uint32_t i = machine->ordinary; i < machine->count; i++) {
        uint32_t end = machine->cores[i].id.endpoint;
        if ((memsys_reply_endpoints(memsys, end / 64) | memsys_may_send(memsys, end / 64)) >>
                end % 64 &
            1)
            machine_set_due(machine, i, machine->now);
    }
}

static uint64_t min_due(const struct machine *machine)
{
    uint64_t min = UINT64_MAX;
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->ticks.awake[w])
            min = machine->ticks.due[i] < min ? machine->ticks.due[i] : min;
    EACH_SCHEME (scheme, machine, memory.next) {
        uint64_t next = scheme->ops->memory.next(machine, scheme->state);
        min = next < min ? next : min;
    }
    return min;
}

// Runs

enum {
    LOOK_EVERY = 1 << 16, // maximum number of cycles between checks for progress
    LOOKS = 16,           // minimum number of checks within the watchdog's limit
    WATCHED_EVERY = 64,   // evaluated cycles between reports to the watching thread
};

static uint64_t look_every(const struct machine *machine)
{
    uint64_t part = machine->config->machine.watchdog / LOOKS;
    return smaller(part, LOOK_EVERY);
}

static bool is_stopped(const struct machine *machine)
{
    for (uint32_t i = 0; i < machine->launches.count; i++)
        if (launch_stops(machine->launches.running[i]->launch->launch))
            return true;
    return false;
}

// Advances to the next cycle with work, or to `most`. Returns false if there is no such cycle.
static bool go_on(struct machine *machine, bool dispatches, uint64_t max)
{
    uint64_t next =
        dispatches ? machine->now + 1 : smaller(min_due(machine), machine_agenda_next(machine));
    bool waits = next != UINT64_MAX || memsys_inside(machine->shared.memsys);
    // The memory system may refresh its DRAM forever, or requests may wait for an event that will
    // not occur.
    if (!waits || (next == UINT64_MAX && memsys_is_still(machine->shared.memsys)))
        return false;
    if (max > machine->now && max < next)
        next = max;
    next = memsys_advance(machine->shared.memsys, next);
    if (next == UINT64_MAX)
        return false;
    machine->now = next;
    wake_cores(machine);
    return true;
}

// Ends the last evaluated cycle, so that statistics count it.
static enum machine_end end_cycle(struct machine *machine, enum machine_end end)
{
    go_on(machine, true, UINT64_MAX);
    return end;
}

static uint64_t next_sample(const struct machine *machine)
{
    uint64_t every = machine->run.limits->every;
    return every ? (machine_cycle(machine) / every + 1) * every - machine->start : UINT64_MAX;
}

static void sample(struct machine *machine)
{
    machine_refresh(machine);
    machine->run.limits->sample(machine->run.limits->context, machine_cycle(machine));
}

static void be_watched(struct machine *machine)
{
    const struct machine_limits *limits = machine->run.limits;
    uint64_t over = 0;
    for (uint32_t i = 0; i < machine->launches.count; i++)
        over += machine->launches.running[i]->over;
    if (limits->cycle)
        atomic_store_explicit(limits->cycle, machine->now - machine->run.begun,
                              memory_order_relaxed);
    if (limits->ctas_done)
        atomic_store_explicit(limits->ctas_done, over, memory_order_relaxed);
}

static uint64_t last_cycle(const struct machine *machine)
{
    return machine->run.limits->cycles ? machine->run.limits->cycles - machine->start : UINT64_MAX;
}

// Advances to the next cycle with work or, with `is_short`, to the next cycle. Returns
// MACHINE_PAUSED if there is one.
static enum machine_end leave_cycle(struct machine *machine, bool is_short, uint64_t max)
{
    bool dispatches = !machine->shared.paused && machine_dispatch(machine);
    if (!go_on(machine, dispatches || is_short, max)) {
        if (!machine->agenda.open)
            return end_cycle(machine, MACHINE_DONE);
        if (!machine_relieve(machine) && !machine_relieve(machine))
            return end_cycle(machine, MACHINE_STUCK);
    }
    if (machine->trace)
        machine_trace_cycle(machine);
    return MACHINE_PAUSED;
}

// Returns true if nothing is left to do; in an open run, not before `until`.
static bool is_over(const struct machine *machine)
{
    return !machine->agenda.open &&
           (machine->run.until == UINT64_MAX || machine->now >= machine->run.until);
}

// Returns true if the owner must learn what has happened in this cycle.
static bool is_awaited_now(const struct machine *machine)
{
    const uint32_t *awaited = machine->run.limits->awaited;
    return machine->agenda.ended != machine->agenda.ended_seen || (awaited && *awaited);
}

static enum machine_end run(struct machine *machine, struct grid_result *result)
{
    const uint64_t limit = last_cycle(machine);
    const uint64_t every = look_every(machine);
    uint64_t sampled = next_sample(machine);
    machine->agenda.ended_seen = machine->agenda.ended;
    while (!is_over(machine)) {
        uint64_t max = smaller(smaller(sampled, limit), machine->watchdog.looked_at + every);
        if (!machine_begin_due(machine, result))
            return MACHINE_FAULT;
        tick(machine);
        commit(machine);
        if (machine->shared.fault->happened)
            return end_cycle(machine, MACHINE_FAULT);
        bool is_awaited = is_awaited_now(machine);
        enum machine_end end = leave_cycle(machine, is_awaited, smaller(max, machine->run.until));
        if (end != MACHINE_PAUSED)
            return end;
        if (machine->now == sampled) {
            sample(machine);
            sampled = next_sample(machine);
        }
        if (machine->now >= limit && machine->agenda.open)
            return MACHINE_CYCLES;
        if (++machine->run.evaluated % WATCHED_EVERY == 0)
            be_watched(machine);
        if (is_stopped(machine))
            return MACHINE_STOPPED;
        if (machine->now - machine->watchdog.looked_at >= every && machine_watch(machine))
            return MACHINE_STUCK;
        if (is_awaited || machine->now >= machine->run.until)
            return MACHINE_PAUSED;
    }
    return MACHINE_DONE;
}

// A new run waits for nothing of earlier runs.
void machine_open(struct machine *machine, const struct machine_limits *limits,
                  struct grid_result *result)
{
    *result = (struct grid_result){0};
    machine->run = (struct machine_run){.limits = limits,
                                        .until = UINT64_MAX,
                                        .begun = machine->now,
                                        .cycles_before = machine->totals.cycles};
    arena_init(&machine->run.arena, machine->arena->memory);
    machine->agenda = (struct machine_agenda){0};
    machine->launches = (struct machine_launches){0};
    machine->shared.fault = &result->fault;
    machine->shared.paused = machine->shared.profiled = false;
    machine->watchdog.looked_at = machine->watchdog.progress_at = machine->now;
    machine->watchdog.progress_seen = 0;
}

void machine_add_event(struct machine *machine, struct machine_event *event)
{
    struct machine_launch *launch = event->launch;
    uint32_t count = machine->agenda.events.n;
    event->has_begun = event->has_ended = false;
    vec_push(&machine->run.arena, &machine->agenda.events, event);
    machine->agenda.waiting++;
    machine->agenda.open++;
    if (!(count & (count - 1))) { // room for as many launches as events
        struct running **room =
            ARENA_ARRAY(&machine->run.arena, struct running *, count ? 2 * count : 1);
        if (machine->launches.count)
            memcpy(room, machine->launches.running, machine->launches.count * sizeof *room);
        machine->launches.running = room;
    }
    if (event->kind != EVENT_LAUNCH)
        return;
    launch->begun = launch->ended = machine_cycle(machine);
    launch->warp_instructions = launch->thread_instructions = 0;
}

enum machine_end machine_proceed(struct machine *machine, uint64_t until,
                                 struct grid_result *result)
{
    machine->run.until = until == UINT64_MAX      ? until
                         : until > machine->start ? until - machine->start
                                                  : 0;
    enum machine_end end = run(machine, result);
    machine->run.until = UINT64_MAX;
    return end;
}

static void end_launches(struct machine *machine, struct grid_result *result)
{
    machine_count_there(machine);
    for (uint32_t i = 0; i < machine->launches.count; i++)
        machine_release(machine->launches.running[i]);
    for (uint32_t i = 0; i < machine->agenda.events.n; i++) {
        struct machine_event *event = machine->agenda.events.v[i];
        if (!event->has_ended)
            event->ended = machine_cycle(machine);
        if (event->kind != EVENT_LAUNCH)
            continue;
        event->launch->ended = event->ended;
        result->warp_instructions += event->launch->warp_instructions;
        result->thread_instructions += event->launch->thread_instructions;
    }
}

void machine_close(struct machine *machine, enum machine_end end, struct grid_result *result)
{
    if (end == MACHINE_STUCK)
        machine_report_stalls(machine, result);
    result->stopped = end == MACHINE_STOPPED;
    result->limited = end == MACHINE_CYCLES;
    be_watched(machine);
    for (uint32_t i = 0; end == MACHINE_DONE && i < machine->agenda.events.n; i++)
        machine->totals.launches += machine->agenda.events.v[i]->kind == EVENT_LAUNCH;
    machine_refresh(machine);
    if (machine->trace && end != MACHINE_DONE)
        machine_trace_close(machine); // while its CTAs exist; no launch will follow
    end_launches(machine, result);
    arena_free(&machine->run.arena);
}

void machine_flush(struct machine *machine, const struct machine_limits *limits)
{
    static const struct machine_limits none;
    struct memsys *memsys = machine->shared.memsys;
    machine->run.limits = limits ? limits : &none;
    uint64_t sampled = next_sample(machine);
    assert(!memsys_inside(memsys)); // a CTA ends after all its replies
    memsys_flush(memsys);
    while (memsys_flushing(memsys)) {
        machine->now = memsys_advance(memsys, sampled);
        if (machine->now != sampled)
            continue;
        sample(machine);
        sampled = next_sample(machine);
    }
    machine_refresh(machine);
}
