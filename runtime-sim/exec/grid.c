// CTAs one after another. Where lanes may wait for other CTAs, many are there at once and have
// their turn in a fixed order: one more starts when all that are there wait or have used up their
// turn.
#include "runtime-sim/exec/grid.h"
#include "runtime-sim/exec/grid_parallel.h"
#include "runtime-sim/exec/special.h"
#include "runtime-sim/program/layout.h"
#include <string.h>

enum { TURN = 1 << 12 }; // backward branches of a warp before others go on

const char *grid_load(struct image *image, const struct program *program)
{
    for (uint32_t i = 0; i < program->variables.n; i++) {
        const struct program_variable *variable = &program->variables.v[i];
        const struct ir_symbol *symbol = &program->module->symbols.v[variable->symbol];
        const struct name *name = tree_name(program->module->tree, symbol->name);
        struct allocation *at =
            image_allocate_at(image, variable->address, variable->bytes,
                              arena_strndup(image->arena, name->text, name->length));
        at->constant = variable->constant;
        const char *error = layout_initial(program, variable, at->data);
        if (error)
            return error;
    }
    return NULL;
}

static void prepare(struct launch *launch, struct arena *arena)
{
    const struct program_function *fn = &launch->program->functions.v[launch->function];
    for (uint32_t i = 0; i < 3; i++)
        launch->cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
    launch->shared_bytes =
        (uint32_t)align_up(fn->shared_bytes, fn->shared_align) + launch->dynamic_shared;
    launch->params_address =
        image_allocate(launch->image, fn->param_bytes, 64, "kernel parameters");
    struct allocation *at = &launch->image->list.v[launch->image->list.n - 1];
    memcpy(at->data, launch->params, fn->param_bytes);
    special_fill_launch(launch, arena);
}

void grid_count(struct grid_result *result, struct cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct warp *warp = &cta->warps[i];
        result->warp_instructions += warp->warp_instructions;
        result->thread_instructions += warp->thread_instructions;
        warp->warp_instructions = warp->thread_instructions = 0;
    }
}

struct residents {
    VEC(struct cta *) active, idle;
    uint64_t next, count; // CTAs of the grid
};

static bool start_one(struct residents *residents, struct launch *launch, struct arena *arena,
                      struct grid_result *result)
{
    if (residents->next == residents->count)
        return false;
    struct cta *cta = residents->idle.n ? residents->idle.v[--residents->idle.n]
                                        : cta_new(arena, launch, &result->fault);
    cta_start(cta, (uint32_t)residents->next++);
    vec_push(arena, &residents->active, cta);
    return true;
}

static uint64_t progress(const struct residents *residents)
{
    uint64_t events = residents->next;
    for (uint32_t i = 0; i < residents->active.n; i++)
        events += residents->active.v[i]->events;
    return events;
}

// One turn of every CTA that is there. False after a fault.
static bool turn(struct residents *residents, struct arena *arena, struct grid_result *result)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < residents->active.n; i++) {
        struct cta *cta = residents->active.v[i];
        enum warp_state state = cta_run(cta, TURN);
        grid_count(result, cta);
        if (state == WARP_FAULT)
            return false;
        if (state == WARP_DONE)
            vec_push(arena, &residents->idle, cta);
        else
            residents->active.v[kept++] = cta;
    }
    residents->active.n = kept;
    return true;
}

static void run_all(struct launch *launch, struct arena *arena, uint64_t most_idle,
                    struct grid_result *result)
{
    struct residents residents = {.count = (uint64_t)launch->grid[0] * launch->grid[1] *
                                           launch->grid[2]};
    uint64_t seen = 0, idle = 0;
    while (start_one(&residents, launch, arena, result) || residents.active.n) {
        if (!turn(&residents, arena, result))
            return;
        uint64_t now = progress(&residents);
        idle = now == seen ? idle + 1 : 0;
        seen = now;
        if (idle > most_idle) {
            result->stuck = true;
            return;
        }
    }
}

void grid_run(struct launch *launch, struct arena *arena, const struct grid_options *options,
              struct grid_result *result)
{
    *result = (struct grid_result){0};
    struct arena own;
    arena_init(&own, arena->memory);
    prepare(launch, &own);
    bool ordered = launch->program->functions.v[launch->function].ordered;
    if (options->threads > 1 && !ordered)
        grid_run_parallel(launch, arena->memory, options->threads, result);
    else
        run_all(launch, &own, options->most_idle ? options->most_idle : 1 << 20, result);
    image_free(launch->image, launch->params_address);
    arena_free(&own);
}
