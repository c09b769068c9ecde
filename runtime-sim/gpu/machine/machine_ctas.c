#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include <string.h>

// Occupancy

// Returns the maximum number of registers per thread with which a core has room for a CTA of the
// size that the kernel declares; 0 if there is no such number. An assembler uses no more registers
// and moves other values to local memory.
static uint32_t max_registers(const struct core_config *config, const struct program_function *fn)
{
    const uint32_t *size = fn->block[0] ? fn->block : fn->max;
    uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    uint64_t warps = align_up(divide_up(threads, LANES), config->register_warps);
    if (!warps)
        return 0;
    uint64_t of_warp = config->registers / warps / config->register_granule;
    return (uint32_t)(of_warp * config->register_granule / LANES);
}

uint32_t machine_registers(const struct machine *machine, const struct machine_launch *launch,
                           const char **source)
{
    const struct program_function *fn = &machine->program->functions.v[launch->launch->function];
    const struct core_config *config = machine_kind_of(machine, launch)->kind.config;
    uint32_t given = config->thread_registers;
    uint32_t max = max_registers(config, fn);
    *source = "core.thread_registers";
    if (given)
        return given;
    *source = "of the kernel's machine code";
    if (fn->assembled)
        return fn->registers;
    *source = ".maxnreg";
    if (fn->maxnreg && fn->maxnreg < fn->registers)
        return fn->maxnreg;
    *source = "the maximum for a CTA of the declared size";
    if (max && max < fn->registers)
        return max;
    *source = "estimated from the kernel's PTX";
    return fn->registers ? fn->registers : 1;
}

uint32_t machine_occupancy(const struct machine *machine, const struct machine_launch *from,
                           const char **why)
{
    const struct core_config *config = machine_kind_of(machine, from)->kind.config;
    const struct launch *launch = from->launch;
    const char *source;
    struct core_needs needs = core_needs(config, launch, machine_registers(machine, from, &source));
    uint32_t capacity = core_capacity(config, &needs, why);
    if (!from->placement.one_per_core || capacity < 1)
        return capacity;
    *why = "CTAs";
    return 1;
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
    struct running *running = machine->launches.running[index];
    core_start(&machine->cores[core], machine->now + 1, cta, index, running->registers);
    if (machine->config->machine.cta_latency)
        core_hold_cta(&machine->cores[core], cta,
                      machine->now + 1 + machine->config->machine.cta_latency);
    machine->cores[core].used.one_cta = running->launch->placement.one_per_core;
    machine_set_due(machine, core, machine->now + 1);
    machine->watchdog.progress++;
}

// Returns the next cluster in the order of the launch's placement.
static uint64_t next_cluster(const struct running *running)
{
    return running->launch->placement.order == CTAS_DESCENDING ? running->count - 1 - running->next
                                                               : running->next;
}

// Starts the CTAs of a cluster together, on `cores`, one each.
static void start_cluster(struct machine *machine, uint32_t index, const uint32_t *cores)
{
    struct running *running = machine->launches.running[index];
    struct launch *launch = running->launch->launch;
    struct cluster cluster = {.count = grid_cluster_ctas(launch)};
    for (uint32_t i = 0; i < cluster.count; i++)
        cluster.ctas[i] = idle_cta(running, machine->shared.fault);
    if (running->period)
        machine_sample_skip(machine, running, cluster.ctas[0]);
    for (uint32_t i = 0; i < cluster.count; i++) {
        cluster.ctas[i]->cluster = cluster;
        cluster.ctas[i]->core = cores[i];
        cta_start(cluster.ctas[i], grid_cta(launch, next_cluster(running), i));
    }
    for (uint32_t i = 0; i < cluster.count; i++)
        place_cta(machine, cores[i], index, cluster.ctas[i]);
    running->next++;
}

static bool has_room(const struct core *core, const struct running *running)
{
    if (core->used.one_cta || (running->launch->placement.one_per_core && core->used.ctas))
        return false;
    return core_has_room(core, running->launch->launch, running->registers);
}

static bool is_trying(const struct machine *machine)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < machine->words; w++)
        any |= machine->ticks.trying[w];
    return any;
}

enum { CLUSTER_GROUPS = 1024 }; // cores beyond them belong to the last one

// Finds `wanted` cores with room among `count` cores of a kind from number `first` on, beginning
// with `turn` if it is one of them. Returns false if fewer have room.
static bool find_cores_of(struct machine *machine, const struct machine_kind *kind,
                          const struct running *running, uint32_t first, uint32_t count,
                          uint32_t wanted, uint32_t *cores)
{
    uint32_t found = 0, start = kind->turn - first < count ? kind->turn - first : 0;
    for (uint32_t i = 0; i < count && found < wanted; i++) {
        uint32_t core = kind->first + first + (start + i) % count;
        if (!bits_test(machine->ticks.trying, core))
            continue;
        if (has_room(&machine->cores[core], running))
            cores[found++] = core;
        else if (wanted == 1 && machine->launches.live == 1)
            bits_clear(machine->ticks.trying, core);
    }
    return found == wanted;
}

// Finds cores of one group (machine.cluster_cores), from the group of `turn` on.
static bool find_group(struct machine *machine, const struct machine_kind *kind,
                       const struct running *running, uint32_t wanted, uint32_t *cores)
{
    const struct config_list *sizes = &machine->config->machine.cluster_cores;
    uint32_t begins[CLUSTER_GROUPS], groups = 0, start = 0;
    for (uint32_t at = 0; at < kind->count && groups < CLUSTER_GROUPS; groups++) {
        start = at <= kind->turn ? groups : start;
        begins[groups] = at;
        at += (uint32_t)sizes->v[groups % sizes->n];
    }
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t group = (start + i) % groups, first = begins[group];
        uint32_t end = group + 1 < groups ? begins[group + 1] : kind->count;
        if (find_cores_of(machine, kind, running, first, end - first, wanted, cores))
            return true;
    }
    return false;
}

// Finds cores of the kind for the CTAs of a cluster, one each. Returns false if fewer cores have
// room than the cluster needs.
static bool find_cores(struct machine *machine, const struct machine_kind *kind,
                       const struct running *running, uint32_t *cores)
{
    uint32_t wanted = grid_cluster_ctas(running->launch->launch);
    if (!is_trying(machine))
        return false;
    if (wanted > 1 && machine->config->machine.cluster_cores.n)
        return find_group(machine, kind, running, wanted, cores);
    return find_cores_of(machine, kind, running, 0, kind->count, wanted, cores);
}

// Returns the first launch on cores of the kind that has a CTA to start, or NULL.
static struct running *next_to_start(struct machine *machine, const struct machine_kind *kind)
{
    for (uint32_t i = 0; i < machine->launches.count; i++)
        if (machine->launches.running[i]->next < machine->launches.running[i]->count &&
            machine_kind_of(machine, machine->launches.running[i]->launch) == kind &&
            machine->launches.running[i]->ready <= machine->now)
            return machine->launches.running[i];
    return NULL;
}

// Starts at most one CTA per core and cycle.
static bool dispatch(struct machine *machine, struct machine_kind *kind)
{
    uint32_t given = 0;
    bool more = false;
    struct running *running;
    while (given < kind->count && (running = next_to_start(machine, kind))) {
        uint32_t cores[CLUSTER_CTAS];
        more = find_cores(machine, kind, running, cores);
        if (!more)
            break;
        uint32_t count = grid_cluster_ctas(running->launch->launch);
        start_cluster(machine, running->number, cores);
        kind->turn = (cores[count - 1] - kind->first + 1) % kind->count;
        given += count;
    }
    return more && next_to_start(machine, kind);
}

bool machine_dispatch(struct machine *machine)
{
    bool more = false;
    for (uint32_t i = 0; i < machine->kind_count; i++)
        more |= dispatch(machine, &machine->kinds[i]);
    return more;
}

static void look_at(struct machine *machine, const struct cta *cta)
{
    struct core *core = &machine->cores[cta->core];
    uint32_t at = 0;
    while (at < CORE_CTAS && core->ctas[at].cta != cta)
        at++;
    if (at == CORE_CTAS)
        return;
    core_catch_up(core, machine->now + 1);
    core_look_at_cta(core, machine->now + 1, at);
    machine_set_due(machine, cta->core, machine->now + 1);
}

void machine_look_at_clusters(struct machine *machine, uint32_t index)
{
    struct core *core = &machine->cores[index];
    for (; core->results.stirred; core->results.stirred &= core->results.stirred - 1) {
        const struct cta *cta = core->ctas[__builtin_ctzll(core->results.stirred)].cta;
        for (uint32_t i = 0; cta && i < cta->cluster.count; i++)
            look_at(machine, cta->cluster.ctas[i]);
    }
}

static bool is_resident(const struct machine *machine, const struct cta *cta)
{
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < CORE_CTAS; k++)
            if (machine->cores[i].ctas[k].cta == cta)
                return true;
    return false;
}

// Other CTAs of the cluster may still access the shared memory of an ended CTA, so the last one of
// a cluster frees all.
static bool cluster_has_ended(const struct machine *machine, const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        if (is_resident(machine, cluster->ctas[i]))
            return false;
    return true;
}

static void count_cta(struct machine_launch *launch, struct cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct warp *warp = &cta->warps[i];
        launch->warp_instructions += warp->warp_instructions;
        launch->thread_instructions += warp->thread_instructions;
        warp->warp_instructions = warp->thread_instructions = 0;
    }
}

void machine_count_there(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0;
             machine->cores[i].used.threads && k < core_cta_capacity(&machine->cores[i]); k++) {
            const struct core_cta *at = &machine->cores[i].ctas[k];
            if (at->cta)
                count_cta(machine->launches.running[at->kernel]->launch, at->cta);
        }
}

static void end_cta(struct machine *machine, struct core *core, struct core_cta *at)
{
    struct running *running = machine->launches.running[at->kernel];
    struct cta *cta = at->cta;
    at->cta = NULL;
    core->used.one_cta = false;
    count_cta(running->launch, cta);
    if (cta->cluster.count == 1) {
        vec_push(&running->arena, &running->idle, cta);
    } else if (cluster_has_ended(machine, &cta->cluster)) {
        for (uint32_t i = 0; i < cta->cluster.count; i++)
            vec_push(&running->arena, &running->idle, cta->cluster.ctas[i]);
    }
    machine->watchdog.progress++;
    if (++running->over < running->ctas)
        return;
    for (uint32_t i = 0; i < machine->count; i++)
        running->posted += machine->cores[i].account.posted;
    machine->shared.ending = true;
}

// Ends each launch whose CTAs have ended, when as many posted stores are acknowledged as there were
// when the last of these CTAs ended.
static void end_launches(struct machine *machine)
{
    uint64_t settled = 0;
    machine->shared.ending = false;
    for (uint32_t i = 0; i < machine->count; i++)
        settled += machine->cores[i].account.settled;
    for (uint32_t i = 0; i < machine->launches.count; i++) {
        struct running *running = machine->launches.running[i];
        if (running->over < running->ctas || running->event->has_ended)
            continue;
        if (settled < running->posted)
            machine->shared.ending = true;
        else
            machine_end_launch(machine, running);
    }
}

// Returns detached warps. A warp that is started when another one is returned, and ends
// immediately, is returned in the next cycle.
static void return_warps(struct machine *machine, struct core *core)
{
    uint64_t returned[CORE_WORDS];
    memcpy(returned, core->results.returned, sizeof returned);
    memset(core->results.returned, 0, sizeof core->results.returned);
    core->results.returns = false;
    EACH_WARP_SLOT (slot, core->words, returned[word]) {
        const struct core_cta *at = &core->ctas[CORE_CTAS + slot];
        count_cta(machine->launches.running[at->kernel]->launch, at->cta);
        core_return_warp(core, machine->now + 1, slot);
        machine->watchdog.progress++;
    }
    machine_set_due(machine, core->id.index, machine->now + 1);
}

void machine_retire_ended(struct machine *machine, uint32_t index)
{
    struct core *core = &machine->cores[index];
    for (uint64_t ended = core_pop_ended(core); ended; ended &= ended - 1)
        end_cta(machine, core, &core->ctas[__builtin_ctzll(ended)]);
    core->results.settles = false;
    if (machine->shared.ending)
        end_launches(machine);
    if (core->results.returns)
        return_warps(machine, core);
    bits_set(machine->ticks.trying, index);
}

uint64_t machine_shared_bytes(const struct machine *machine)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < machine->launches.count; i++) {
        const struct running *running = machine->launches.running[i];
        struct core_needs needs =
            core_needs(&machine->config->core, running->launch->launch, running->registers);
        uint64_t bytes = (uint64_t)needs.shared_bytes * running->launch->room;
        max = bytes > max ? bytes : max;
    }
    return max;
}
