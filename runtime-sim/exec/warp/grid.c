// Runs CTAs one after another. If lanes may wait for other CTAs, many CTAs are resident and run
// round-robin in a fixed order. Another CTA starts when all resident ones wait or have used up
// their turn.
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/spawn.h"
#include <stdio.h>
#include <string.h>

const char *grid_load(struct image *image, const struct program *program, uint32_t first)
{
    for (uint32_t i = first; i < program->variables.n; i++) {
        const struct program_variable *variable = &program->variables.v[i];
        const struct ir_symbol *symbol = &program->module->symbols.v[variable->symbol];
        const struct name *name = tree_name(program->module->tree, symbol->name);
        struct allocation *at =
            image_allocate_at(image, variable->address, variable->bytes,
                              arena_strndup(image->arena, name->text, name->length));
        at->constant = variable->constant;
        at->filled = true; // a variable without an initial value is 0
        const char *error = layout_initial(program, variable, at->data);
        if (error)
            return error;
    }
    return NULL;
}

// The resources of one multiprocessor, the maximum of architectures from sm_70 on.
enum {
    MULTIPROCESSORS = 160,
    SM_CTAS = 32,
    SM_WARPS = 64,
    SM_REGISTERS = 64 * 1024,
    SM_SHARED = 228 * 1024,
    CTA_SHARED = 1024, // reserved by the system for each CTA
};

uint32_t grid_shared_bytes(const struct launch *launch)
{
    const struct program_function *fn = &launch->program->functions.v[launch->function];
    return (uint32_t)align_up(fn->shared_bytes, fn->shared_align) + launch->dynamic_shared;
}

uint64_t grid_room(const struct launch *launch)
{
    const struct program_function *fn = &launch->program->functions.v[launch->function];
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = divide_up(threads, LANES);
    uint32_t registers = warps * LANES * (fn->registers ? fn->registers : 1);
    uint32_t ctas = smaller(SM_CTAS, SM_WARPS / warps);
    ctas = smaller(ctas, SM_SHARED / (grid_shared_bytes(launch) + CTA_SHARED));
    // Registers beyond these would be spilled, so at least one CTA fits.
    uint32_t by_registers = SM_REGISTERS / registers;
    ctas = smaller(ctas, by_registers ? by_registers : 1);
    return (uint64_t)ctas * MULTIPROCESSORS;
}

static struct allocation *allocation_at(struct image *image, uint64_t address)
{
    return &image->list.v[image_find(image, address)];
}

// Prepares the workspace that cooperative_groups finds through the environment registers: its size,
// and the counter of the grid's barrier.
static void prepare_workspace(struct launch *launch)
{
    enum { WORKSPACE = 8 };
    static const uint32_t size = WORKSPACE;
    launch->workspace = 0;
    if (!launch->cooperative)
        return;
    launch->workspace = image_allocate(launch->image, WORKSPACE, 256, IMAGE_WORKSPACE);
    if (!launch->workspace)
        return;
    struct allocation *at = allocation_at(launch->image, launch->workspace);
    memcpy(at->data, &size, sizeof size);
    at->filled = true;
}

static void prepare(struct launch *launch, struct arena *arena)
{
    const struct program_function *fn = &launch->program->functions.v[launch->function];
    for (uint32_t i = 0; i < 3; i++)
        launch->cluster[i] = launch->cluster[i] ? launch->cluster[i]
                             : fn->cluster[i]   ? fn->cluster[i]
                                                : 1;
    launch->shared_bytes = grid_shared_bytes(launch);
    launch->params_address = image_allocate(launch->image, fn->param_bytes, 64, IMAGE_PARAMETERS);
    struct allocation *at = allocation_at(launch->image, launch->params_address);
    memcpy(at->data, launch->params, fn->param_bytes);
    at->constant = at->filled = true;
    prepare_workspace(launch);
    special_fill_launch(launch, arena);
}

static bool has_ended(const struct cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].live)
            return false;
    return true;
}

void grid_count(struct grid_result *result, struct cta *cta)
{
    struct launch_counts *counts = cta->launch->counts;
    uint64_t before = result->warp_instructions;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct warp *warp = &cta->warps[i];
        result->warp_instructions += warp->warp_instructions;
        result->thread_instructions += warp->thread_instructions;
        warp->warp_instructions = warp->thread_instructions = 0;
    }
    if (!counts)
        return;
    atomic_fetch_add(&counts->instructions, result->warp_instructions - before);
    atomic_fetch_add(&counts->ended, has_ended(cta));
}

struct residents {
    VEC(struct cta *) active, idle;
    uint64_t next, count; // clusters of the grid; without clusters, each CTA is one
};

uint32_t grid_cluster_ctas(const struct launch *launch)
{
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

uint32_t grid_cta(const struct launch *launch, uint64_t cluster, uint32_t rank)
{
    uint64_t linear = 0, stride = 1;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t across = launch->grid[i] / launch->cluster[i];
        uint64_t at = cluster % across * launch->cluster[i] + rank % launch->cluster[i];
        linear += at * stride;
        stride *= launch->grid[i];
        cluster /= across;
        rank /= launch->cluster[i];
    }
    return (uint32_t)linear;
}

// Starts the CTAs of one cluster together.
static bool start_one(struct residents *residents, struct launch *launch, struct arena *arena,
                      struct grid_result *result)
{
    if (residents->next == residents->count)
        return false;
    struct cluster cluster = {.count = grid_cluster_ctas(launch)};
    for (uint32_t i = 0; i < cluster.count; i++)
        cluster.ctas[i] = residents->idle.n
                              ? residents->idle.v[--residents->idle.n]
                              : cta_new(arena, launch, launch->profile, &result->fault);
    for (uint32_t i = 0; i < cluster.count; i++) {
        cluster.ctas[i]->cluster = cluster;
        cta_start(cluster.ctas[i], grid_cta(launch, residents->next, i));
        vec_push(arena, &residents->active, cluster.ctas[i]);
    }
    residents->next++;
    return true;
}

// Other CTAs of the cluster may still access the shared memory of an ended CTA, so the last one of
// a cluster frees all.
static void end_one(struct residents *residents, struct arena *arena, const struct cta *cta)
{
    struct cluster cluster = cta->cluster;
    for (uint32_t i = 0; i < cluster.count; i++)
        if (!has_ended(cluster.ctas[i]))
            return;
    for (uint32_t i = 0; i < cluster.count; i++)
        vec_push(arena, &residents->idle, cluster.ctas[i]);
}

static uint64_t progress(const struct residents *residents)
{
    uint64_t events = residents->next;
    for (uint32_t i = 0; i < residents->active.n; i++)
        events += residents->active.v[i]->events;
    return events;
}

// Executes the launches that the CTAs have made, if the owner has no time for them later. Returns
// false after a fault.
static bool execute_spawns(const struct launch *launch, struct grid_result *result)
{
    struct spawns *spawns = launch->spawns;
    return !spawns || !spawns->fresh.n || !spawns->execute ||
           spawns->execute(spawns->context, launch, result);
}

// Runs one turn of every resident CTA. Returns false after a fault, or if the run must stop. Sets
// `waits` if all of them wait for others.
static bool turn(struct residents *residents, struct arena *arena,
                 const struct grid_options *options, struct grid_result *result, bool *waits)
{
    uint32_t kept = 0;
    *waits = true;
    for (uint32_t i = 0; i < residents->active.n; i++) {
        struct cta *cta = residents->active.v[i];
        enum warp_state state = cta_run(cta, TURN);
        grid_count(result, cta);
        launch_pause(cta->launch, false);
        result->stopped = state != WARP_FAULT && launch_stops(cta->launch);
        result->limited = state != WARP_FAULT && options->max_instructions &&
                          result->warp_instructions >= options->max_instructions;
        if (state == WARP_FAULT || result->stopped || result->limited ||
            !execute_spawns(cta->launch, result))
            return false;
        *waits &= state == WARP_WAITS;
        if (state == WARP_DONE)
            end_one(residents, arena, cta);
        else
            residents->active.v[kept++] = cta;
    }
    residents->active.n = kept;
    return true;
}

static uint64_t max_idle_of(const struct grid_options *options)
{
    return options->max_idle ? options->max_idle : MAX_IDLE;
}

static void give_up(const struct residents *residents, struct launch *launch,
                    struct grid_result *result)
{
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    result->stuck = true;
    stall_look(&result->stalls, residents->active.v, residents->active.n);
    result->stalls.ctas = ctas;
    result->stalls.ended = residents->next * grid_cluster_ctas(launch) - residents->active.n;
}

static void run_all(struct launch *launch, struct arena *arena, const struct grid_options *options,
                    struct grid_result *result)
{
    uint64_t max_idle = max_idle_of(options);
    struct residents residents = {.count = (uint64_t)launch->grid[0] * launch->grid[1] *
                                           launch->grid[2] / grid_cluster_ctas(launch)};
    uint64_t seen = 0, idle = 0;
    struct repeats repeats = {.arena = arena};
    while (launch->cooperative && start_one(&residents, launch, arena, result))
        ;
    while (start_one(&residents, launch, arena, result) || residents.active.n) {
        bool waits;
        if (!turn(&residents, arena, options, result, &waits))
            return;
        uint64_t now = progress(&residents);
        idle = now == seen ? idle + 1 : 0;
        seen = now;
        // If all CTAs wait and the state has not changed, none will continue. CTAs that poll may
        // see what others write.
        bool waiting = waits && idle && residents.active.n;
        bool polling =
            idle > max_idle || repeats_turn(&repeats, residents.active.v, residents.active.n, idle);
        if (polling && !waiting && launch_pause(launch, true)) {
            idle = 0;
        } else if (waiting || polling) {
            give_up(&residents, launch, result);
            return;
        }
    }
}

// Returns false if the grid is not a multiple of its clusters, or if these are too large.
static bool fits_clusters(const struct launch *launch)
{
    for (uint32_t i = 0; i < 3; i++)
        if (launch->grid[i] % launch->cluster[i])
            return false;
    return grid_cluster_ctas(launch) <= CLUSTER_CTAS;
}

bool grid_begin(struct launch *launch, struct arena *arena, struct fault *fault)
{
    prepare(launch, arena);
    if (launch->depth)
        launch->spawns->pending--;
    if (launch->check)
        check_begin(launch->check, launch, arena);
    if (launch->profile)
        profile_shape(launch->profile, launch->block);
    if (fits_clusters(launch))
        return true;
    fault->happened = fault->refused = true;
    snprintf(fault->text, sizeof fault->text,
             "a grid of %u x %u x %u CTAscannot be divided into clusters of %u x %u x %u",
             launch->grid[0], launch->grid[1], launch->grid[2], launch->cluster[0],
             launch->cluster[1], launch->cluster[2]);
    return false;
}

void grid_end(struct launch *launch)
{
    if (launch->workspace)
        image_free(launch->image, launch->workspace);
    image_free(launch->image, launch->params_address);
}

void grid_run(struct launch *launch, struct arena *arena, const struct grid_options *options,
              struct grid_result *result)
{
    *result = (struct grid_result){0};
    struct arena own;
    arena_init(&own, arena->memory);
    if (grid_begin(launch, &own, &result->fault)) {
        bool alone = launch->program->functions.v[launch->function].alone ||
                     grid_cluster_ctas(launch) > 1 || launch->check || launch->cooperative ||
                     options->max_instructions || (launch->profile && launch->profile->watch);
        if (!alone)
            grid_run_parallel(launch, arena->memory, options->threads, max_idle_of(options),
                              result);
        else
            run_all(launch, &own, options, result);
    }
    grid_end(launch);
    arena_free(&own);
}
