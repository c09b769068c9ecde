#include "runtime-sim/gpu/machine.h"
#include "runtime-sim/exec/grid.h"
#include "support/bits.h"
#include <stdio.h>
#include <string.h>

// A launch that runs.
struct running {
    struct machine_launch *launch;
    struct arena arena;   // of its CTAs
    uint64_t next, count; // clusters of the grid; without clusters each CTA is one
    uint64_t ctas, over;
    uint32_t registers;
    VEC(struct cta *) idle;
};

struct machine {
    struct arena *arena;
    const struct machine_config *config;
    const struct program *program;
    struct core_shared shared;
    struct core *cores;
    uint32_t count, words; // cores, and of sets of them
    uint64_t *due;         // when each core has something to do
    uint64_t *awake;       // the set of cores that will have
    uint64_t *ticked;      // the set of those that tick in this cycle
    uint64_t *trying;      // the set of cores that may have room for a CTA
    uint64_t now;
    struct launch_time time;
    uint32_t turn;    // core that gets the next CTA first
    uint64_t shuffle; // state; 0: off
    uint32_t *order;
    struct running *running;
    uint32_t running_count;
    uint64_t progress;                   // CTAs begun and ended
    uint64_t progress_seen, progress_at; // all that the watchdog counts, and when it last grew
    uint64_t looked_at;                  // when CTAs that stand still were last looked for
    struct machine_totals totals;
    struct core_stats core_totals;
    struct cache_stats l1_totals;
    const struct machine_limits *limits; // of this run
    uint64_t begun, cycles_before;       // when it began; what runs before it took
};

// Values of requests that went past the first level.
static void served(void *context, const struct memsys_request *request)
{
    struct machine *machine = context;
    core_served(&machine->cores[request->core], request);
}

static void init_shared(struct machine *machine)
{
    const struct machine_config *config = machine->config;
    machine->shared = (struct core_shared){.config = &config->core,
                                           .l1 = &config->l1,
                                           .code = &config->code,
                                           .constant = &config->constant,
                                           .texture = &config->texture};
    timings_build(&machine->shared.timings, machine->arena, machine->program);
    for (uint32_t i = 0; i < TIMING_CLASSES; i++) {
        machine->shared.latency[i] = timing_latency(&config->core, i);
        machine->shared.interval[i] = timing_interval(&config->core, i);
    }
    const struct core_config *core = &config->core;
    const uint64_t units[UNITS] = {
        core->alu_units, core->sfu_units, core->fp64_units, core->matrix_units, 1, CORE_UNITS};
    for (uint32_t i = 0; i < UNITS; i++)
        machine->shared.units[i] = (uint32_t)units[i];
    machine->shared.memsys = memsys_new(machine->arena, &config->memsys, served, machine);
}

struct machine *machine_new(struct arena *arena, const struct machine_config *config,
                            const struct program *program)
{
    struct machine *machine = ARENA_NEW(arena, struct machine);
    *machine = (struct machine){.arena = arena, .config = config, .program = program};
    machine->count = (uint32_t)config->memsys.memory.cores;
    machine->time.clock = config->memsys.memory.core_clock;
    machine->time.cores = machine->count;
    machine->words = bits_words(machine->count);
    init_shared(machine);
    machine->cores = ARENA_ARRAY(arena, struct core, machine->count);
    machine->due = ARENA_ARRAY(arena, uint64_t, machine->count);
    machine->awake = bits_new(arena, machine->count);
    machine->ticked = bits_new(arena, machine->count);
    machine->trying = bits_new(arena, machine->count);
    machine->order = ARENA_ARRAY(arena, uint32_t, machine->count);
    for (uint32_t i = 0; i < machine->count; i++) {
        core_init(&machine->cores[i], arena, &machine->shared, i);
        machine->due[i] = UINT64_MAX;
        machine->order[i] = i;
    }
    return machine;
}

void machine_shuffle(struct machine *machine, uint64_t seed)
{
    machine->shuffle = seed;
    memsys_shuffle(machine->shared.memsys, seed);
}

uint64_t machine_cycle(const struct machine *machine)
{
    return machine->now;
}

struct memsys *machine_memsys(const struct machine *machine)
{
    return machine->shared.memsys;
}

void machine_flush(struct machine *machine)
{
    struct memsys *memsys = machine->shared.memsys;
    memsys_flush(memsys);
    while (memsys_flushing(memsys))
        machine->now = memsys_advance(memsys, UINT64_MAX);
    for (uint32_t i = 0; i < machine->count; i++) // no kernel's cycles
        for (uint32_t k = 0; k < CORE_WARPS; k++)
            machine->cores[i].slots[k].since = machine->now;
}

void machine_report(const struct machine *machine, FILE *to)
{
    memsys_report(machine->shared.memsys, to, 32);
}

// Occupancy

uint32_t machine_registers(const struct machine *machine, const struct launch *launch,
                           const char **source)
{
    const struct program_function *fn = &machine->program->functions.v[launch->function];
    *source = "core.thread_registers";
    if (machine->config->core.thread_registers)
        return (uint32_t)machine->config->core.thread_registers;
    *source = "the most that live at once in the kernel's PTX";
    return fn->registers ? fn->registers : 1;
}

uint32_t machine_occupancy(const struct machine *machine, const struct launch *launch,
                           const char **why)
{
    const struct core_config *config = &machine->config->core;
    const char *source;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = (threads + LANES - 1) / LANES;
    uint64_t granule = config->register_granule;
    uint64_t registers = (uint64_t)machine_registers(machine, launch, &source) * LANES;
    registers = (registers + granule - 1) / granule * granule * warps;
    uint64_t shared = launch->shared_bytes + config->shared_granule - 1;
    shared -= shared % config->shared_granule;
    const struct {
        uint64_t room;
        const char *what;
    } limits[] = {
        {config->ctas, "CTAs"},
        {config->warps / warps, "warps"},
        {config->threads / (warps * LANES), "threads"},
        {config->registers / registers, "registers"},
        {shared ? config->shared_bytes / shared : UINT64_MAX, "shared memory"},
    };
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].room < least) {
            least = limits[i].room;
            *why = limits[i].what;
        }
    return (uint32_t)least;
}

static void set_due(struct machine *machine, uint32_t core, uint64_t cycle)
{
    machine->due[core] = cycle;
    if (cycle == UINT64_MAX)
        bits_clear(machine->awake, core);
    else
        bits_set(machine->awake, core);
}

// CTAs

static struct cta *idle_cta(struct running *running, struct fault *fault)
{
    struct launch *launch = running->launch->launch;
    return running->idle.n ? running->idle.v[--running->idle.n]
                           : cta_new(&running->arena, launch, launch->profile, fault);
}

static void place_cta(struct machine *machine, uint32_t core, uint32_t index, struct cta *cta)
{
    struct running *running = &machine->running[index];
    core_start(&machine->cores[core], machine->now + 1, cta, index, running->registers);
    set_due(machine, core, machine->now + 1);
    machine->progress++;
}

// The CTAs of a cluster begin together, at `cores`, one each.
static void start_cluster(struct machine *machine, uint32_t index, const uint32_t *cores)
{
    struct running *running = &machine->running[index];
    struct launch *launch = running->launch->launch;
    struct cluster cluster = {.count = grid_cluster_ctas(launch)};
    for (uint32_t i = 0; i < cluster.count; i++)
        cluster.ctas[i] = idle_cta(running, machine->shared.fault);
    for (uint32_t i = 0; i < cluster.count; i++) {
        cluster.ctas[i]->cluster = cluster;
        cluster.ctas[i]->core = cores[i];
        cta_start(cluster.ctas[i], grid_cta(launch, running->next, i));
    }
    for (uint32_t i = 0; i < cluster.count; i++)
        place_cta(machine, cores[i], index, cluster.ctas[i]);
    running->next++;
}

// Cores for all CTAs of a cluster, one each, from `turn` on. False: there are not so many.
static bool find_cores(struct machine *machine, const struct running *running, uint32_t *cores)
{
    const struct launch *launch = running->launch->launch;
    uint32_t wanted = grid_cluster_ctas(launch), found = 0;
    for (uint32_t i = 0; i < machine->count && found < wanted; i++) {
        uint32_t core = (machine->turn + i) % machine->count;
        if (!bits_test(machine->trying, core))
            continue;
        if (core_has_room(&machine->cores[core], launch, running->registers))
            cores[found++] = core;
        else if (wanted == 1 && machine->running_count == 1)
            bits_clear(machine->trying, core);
    }
    return found == wanted;
}

static struct running *next_to_start(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->running_count; i++)
        if (machine->running[i].next < machine->running[i].count)
            return &machine->running[i];
    return NULL;
}

// In a cycle each core gets one CTA at most.
static bool dispatch(struct machine *machine)
{
    uint32_t given = 0;
    bool more = false;
    struct running *running;
    while (given < machine->count && (running = next_to_start(machine))) {
        uint32_t cores[CLUSTER_CTAS];
        more = find_cores(machine, running, cores);
        if (!more)
            break;
        uint32_t count = grid_cluster_ctas(running->launch->launch);
        start_cluster(machine, (uint32_t)(running - machine->running), cores);
        machine->turn = (cores[count - 1] + 1) % machine->count;
        given += count;
    }
    return more && next_to_start(machine);
}

static bool is_resident(const struct machine *machine, const struct cta *cta)
{
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < CORE_CTAS; k++)
            if (machine->cores[i].ctas[k].cta == cta)
                return true;
    return false;
}

// Others may still access the shared memory of a CTA that is over: the last of a cluster frees all.
static bool cluster_has_ended(const struct machine *machine, const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        if (is_resident(machine, cluster->ctas[i]))
            return false;
    return true;
}

static void end_cta(struct machine *machine, struct core_cta *at, struct grid_result *result)
{
    struct running *running = &machine->running[at->kernel];
    struct cta *cta = at->cta;
    at->cta = NULL;
    grid_count(result, cta);
    if (cta->cluster.count == 1) {
        vec_push(&running->arena, &running->idle, cta);
    } else if (cluster_has_ended(machine, &cta->cluster)) {
        for (uint32_t i = 0; i < cta->cluster.count; i++)
            vec_push(&running->arena, &running->idle, cta->cluster.ctas[i]);
    }
    machine->progress++;
    if (++running->over == running->ctas)
        running->launch->ended = machine->now;
}

static void take_ended(struct machine *machine, uint32_t index, struct grid_result *result)
{
    struct core *core = &machine->cores[index];
    for (uint64_t ended = core_take_ended(core); ended; ended &= ended - 1)
        end_cta(machine, &core->ctas[__builtin_ctzll(ended)], result);
    bits_set(machine->trying, index);
}

// Time

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void shuffle_order(struct machine *machine)
{
    for (uint32_t i = machine->count; i > 1; i--) {
        uint32_t k = (uint32_t)(draw(&machine->shuffle) % i), other = machine->order[k];
        machine->order[k] = machine->order[i - 1];
        machine->order[i - 1] = other;
    }
}

static void tick_shuffled(struct machine *machine)
{
    shuffle_order(machine);
    for (uint32_t i = 0; i < machine->count; i++)
        if (bits_test(machine->ticked, machine->order[i]))
            core_tick(&machine->cores[machine->order[i]], machine->now);
}

// The members of a word, as cores; the set does not change meanwhile.
#define EACH_OF(core, word, members)                                                               \
    for (uint64_t rest = (members), core;                                                          \
         rest && (core = (word)*64 + (uint64_t)__builtin_ctzll(rest), true); rest &= rest - 1)

static void tick(struct machine *machine)
{
    uint64_t now = machine->time.cycle = machine->now;
    for (uint32_t w = 0; w < machine->words; w++) {
        uint64_t ticked = 0;
        EACH_OF (i, w, machine->awake[w])
            ticked |= (uint64_t)(machine->due[i] <= now) << i % 64;
        machine->ticked[w] = ticked;
    }
    if (machine->shuffle) {
        tick_shuffled(machine);
        return;
    }
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->ticked[w])
            core_tick(&machine->cores[i], now);
}

static void commit(struct machine *machine, struct grid_result *result)
{
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->ticked[w]) {
            struct core *core = &machine->cores[i];
            if (core_has_commit(core))
                core_commit(core, machine->now);
            if (core->ended)
                take_ended(machine, (uint32_t)i, result);
            set_due(machine, (uint32_t)i, core->next);
        }
}

static void wake_cores(struct machine *machine)
{
    for (uint32_t w = 0; w < bits_words(machine->count); w++)
        for (uint64_t rest = memsys_answers(machine->shared.memsys, w) |
                             memsys_may_send(machine->shared.memsys, w);
             rest; rest &= rest - 1)
            set_due(machine, w * 64 + (uint32_t)__builtin_ctzll(rest), machine->now);
}

static uint64_t least_due(const struct machine *machine)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t w = 0; w < machine->words; w++)
        EACH_OF (i, w, machine->awake[w])
            least = machine->due[i] < least ? machine->due[i] : least;
    return least;
}

// Watching

static uint64_t count_progress(const struct machine *machine)
{
    uint64_t sum = machine->progress;
    for (uint32_t i = 0; i < machine->count; i++) {
        const struct core *core = &machine->cores[i];
        sum += core->progress;
        for (uint32_t k = 0; k < CORE_CTAS && core->cta_count; k++)
            sum += core->ctas[k].cta ? core->ctas[k].cta->events : 0;
    }
    return sum;
}

// CTAs whose warps wait for lanes that wait at a barrier. True if some may go on.
static bool relieve(struct machine *machine)
{
    bool relieved = false;
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < CORE_CTAS; k++) {
            struct core *core = &machine->cores[i];
            struct core_cta *at = &core->ctas[k];
            if (!at->cta || at->seen != at->cta->events || !cta_relieve(at->cta)) {
                at->seen = at->cta ? at->cta->events : 0;
                continue;
            }
            core_catch_up(core, machine->now + (machine->due[i] > machine->now));
            core_look_at_cta(core, machine->now + 1, k);
            set_due(machine, i, machine->now + 1);
            relieved = true;
        }
    return relieved;
}

static void tell_stalls(struct machine *machine, struct grid_result *result)
{
    VEC(struct cta *) ctas = {0};
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < CORE_CTAS; k++)
            if (machine->cores[i].ctas[k].cta)
                vec_push(machine->arena, &ctas, machine->cores[i].ctas[k].cta);
    result->stuck = true;
    stall_look(&result->stalls, ctas.v, ctas.n);
    for (uint32_t i = 0; i < machine->running_count; i++) {
        result->stalls.ctas += machine->running[i].ctas;
        result->stalls.ended += machine->running[i].over;
    }
}

enum { LOOK_EVERY = 1 << 16 };

// True: the run is to be given up.
static bool watch(struct machine *machine)
{
    machine->looked_at = machine->now;
    uint64_t progress = count_progress(machine);
    if (progress != machine->progress_seen) {
        machine->progress_seen = progress;
        machine->progress_at = machine->now;
    }
    relieve(machine);
    return machine->now - machine->progress_at > machine->config->machine.watchdog;
}

// Statistics

static void add_all(uint64_t *to, const void *from, size_t bytes)
{
    const uint64_t *values = from;
    for (size_t i = 0; i < bytes / sizeof *values; i++)
        to[i] += values[i];
}

static void refresh(struct machine *machine)
{
    struct core_stats *cores = &machine->core_totals;
    struct cache_stats *l1 = &machine->l1_totals;
    memset(cores, 0, sizeof *cores);
    memset(l1, 0, sizeof *l1);
    for (uint32_t i = 0; i < machine->count; i++) {
        core_settle(&machine->cores[i], machine->now);
        add_all((uint64_t *)cores, &machine->cores[i].stats, sizeof *cores);
        add_all((uint64_t *)l1, &machine->cores[i].l1.stats, sizeof *l1);
    }
    struct machine_totals *totals = &machine->totals;
    totals->cycles = machine->cycles_before + machine->now - machine->begun;
    totals->core_cycles = 0;
    for (uint32_t i = 0; i < machine->count; i++)
        totals->core_cycles += machine->cores[i].busy;
    totals->warp_instructions = cores->warp_instructions;
    totals->thread_instructions = cores->thread_instructions;
    totals->from_l1 = l1->read_hits;
    totals->from_l1_merge = l1->read_merged;
    totals->l1_requests = l1->reads + cores->direct_loads;
    memsys_stats_refresh(machine->shared.memsys);
}

// Runs

static bool is_done(const struct machine *machine)
{
    for (uint32_t i = 0; i < machine->running_count; i++)
        if (machine->running[i].over < machine->running[i].ctas)
            return false;
    return true;
}

static bool is_stopped(const struct machine *machine)
{
    for (uint32_t i = 0; i < machine->running_count; i++)
        if (launch_stops(machine->running[i].launch->launch))
            return true;
    return false;
}

// To the next cycle in which there is something to do, or to `most`. False: there is none.
static bool go_on(struct machine *machine, bool dispatches, uint64_t most)
{
    uint64_t next = dispatches ? machine->now + 1 : least_due(machine);
    bool waits = next != UINT64_MAX || memsys_inside(machine->shared.memsys);
    if (waits && most > machine->now && most < next)
        next = most;
    next = memsys_advance(machine->shared.memsys, next);
    if (next == UINT64_MAX)
        return false;
    machine->now = next;
    wake_cores(machine);
    return true;
}

// The cycle that was evaluated last is over: statistics count it.
static enum machine_end end_cycle(struct machine *machine, enum machine_end end)
{
    go_on(machine, true, UINT64_MAX);
    return end;
}

static uint64_t next_sample(const struct machine *machine)
{
    uint64_t every = machine->limits->every;
    return every ? (machine->now / every + 1) * every : UINT64_MAX;
}

static void sample(struct machine *machine)
{
    refresh(machine);
    machine->limits->sample(machine->limits->context, machine->now);
}

static void be_watched(struct machine *machine)
{
    const struct machine_limits *limits = machine->limits;
    uint64_t over = 0;
    for (uint32_t i = 0; i < machine->running_count; i++)
        over += machine->running[i].over;
    if (limits->cycle)
        atomic_store_explicit(limits->cycle, machine->now - machine->begun, memory_order_relaxed);
    if (limits->ctas_done)
        atomic_store_explicit(limits->ctas_done, over, memory_order_relaxed);
}

static enum machine_end run(struct machine *machine, struct grid_result *result)
{
    const uint64_t limit = machine->limits->cycles ? machine->limits->cycles : UINT64_MAX;
    uint64_t sampled = next_sample(machine);
    while (!is_done(machine)) {
        tick(machine);
        commit(machine, result);
        if (result->fault.happened)
            return end_cycle(machine, MACHINE_FAULT);
        bool dispatches = dispatch(machine);
        if (!go_on(machine, dispatches, sampled < limit ? sampled : limit) && !is_done(machine) &&
            !relieve(machine) && !relieve(machine))
            return end_cycle(machine, MACHINE_STUCK);
        if (machine->now == sampled) {
            sample(machine);
            sampled = next_sample(machine);
        }
        if (machine->now >= limit && !is_done(machine))
            return MACHINE_CYCLES;
        if (machine->now - machine->looked_at < LOOK_EVERY)
            continue;
        be_watched(machine);
        if (is_stopped(machine))
            return MACHINE_STOPPED;
        if (watch(machine))
            return MACHINE_STUCK;
    }
    return MACHINE_DONE;
}

static bool begin(struct machine *machine, struct running *running, struct machine_launch *from,
                  struct grid_result *result)
{
    const char *why;
    struct launch *launch = from->launch;
    *running = (struct running){.launch = from};
    arena_init(&running->arena, machine->arena->memory);
    from->begun = machine->now;
    launch->time = &machine->time;
    if (!grid_begin(launch, &running->arena, &result->fault))
        return false;
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    running->registers = machine_registers(machine, launch, &why);
    running->ctas = ctas;
    running->count = ctas / grid_cluster_ctas(launch);
    uint32_t room = machine_occupancy(machine, launch, &why);
    bool together = launch->cooperative && ctas > (uint64_t)room * machine->count;
    if (room && !together && grid_cluster_ctas(launch) <= machine->count)
        return true;
    result->fault.happened = true;
    snprintf(result->fault.text, sizeof result->fault.text,
             room ? "the launch's CTAs must be there at once, and the machine has too little %s"
                  : "a core has too little %s for one CTA of the launch",
             why);
    return false;
}

// Before the first CTAs.
static void wait_for_launch(struct machine *machine)
{
    uint64_t until = machine->now + machine->config->machine.launch_latency;
    while (machine->now < until)
        machine->now = memsys_advance(machine->shared.memsys, until);
}

enum machine_end machine_run(struct machine *machine, struct machine_launch *launches,
                             uint32_t count, const struct machine_limits *limits,
                             struct grid_result *result)
{
    struct arena own;
    arena_init(&own, machine->arena->memory);
    *result = (struct grid_result){0};
    machine->running = ARENA_ARRAY(&own, struct running, count);
    machine->shared.fault = &result->fault;
    enum machine_end end = MACHINE_DONE;
    machine->limits = limits;
    machine->cycles_before = machine->totals.cycles;
    machine->begun = machine->now;
    for (uint32_t i = 0; i < machine->count; i++) {
        core_flush(&machine->cores[i]);
        bits_set(machine->trying, i);
    }
    for (machine->running_count = 0; machine->running_count < count; machine->running_count++)
        if (!begin(machine, &machine->running[machine->running_count],
                   &launches[machine->running_count], result))
            end = MACHINE_FAULT;
    wait_for_launch(machine);
    machine->looked_at = machine->progress_at = machine->now;
    machine->progress_seen = 0;
    if (end == MACHINE_DONE)
        end = run(machine, result);
    if (end == MACHINE_STUCK)
        tell_stalls(machine, result);
    result->stopped = end == MACHINE_STOPPED;
    result->limited = end == MACHINE_CYCLES;
    be_watched(machine);
    uint64_t warps = machine->totals.warp_instructions;
    uint64_t threads = machine->totals.thread_instructions;
    machine->totals.launches += end == MACHINE_DONE ? count : 0;
    refresh(machine);
    result->warp_instructions = machine->totals.warp_instructions - warps;
    result->thread_instructions = machine->totals.thread_instructions - threads;
    for (uint32_t i = 0; i < count; i++) {
        grid_end(launches[i].launch);
        launches[i].launch->time = NULL;
        arena_free(&machine->running[i].arena);
    }
    arena_free(&own);
    return end;
}

void machine_stats_add(struct machine *machine, struct stats *stats)
{
    static const struct stat_key keys[] = {
#define STATS_DEF "runtime-sim/gpu/machine_stats.def"
#define STATS_OF struct machine_totals
#include "runtime-sim/engine/stats_keys.inc"
    };
    static const char *const clients[] = {"l1", "direct", "code", "constant", "texture", NULL};
    stats_add(stats, "machine", keys, sizeof keys / sizeof *keys, &machine->totals);
    stats_add(stats, "core", core_stat_keys, core_stat_key_count, &machine->core_totals);
    stats_add(stats, "l1", cache_stat_keys, cache_stat_key_count, &machine->l1_totals);
    memsys_stats_add(machine->shared.memsys, stats, clients);
    for (uint32_t i = 0; i < machine->count; i++) {
        const char *name = arena_printf(machine->arena, "core%u", i);
        stats_add(stats, name, core_stat_keys, core_stat_key_count, &machine->cores[i].stats);
        name = arena_printf(machine->arena, "l1_%u", i);
        stats_add(stats, name, cache_stat_keys, cache_stat_key_count, &machine->cores[i].l1.stats);
    }
}
