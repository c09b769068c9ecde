#include "cli/sim/rehearse.h"
#include "cli/sim/run.h"
#include "runtime-sim/run/session.h"

// Returns the functions of the first scheme that has some.
static const struct profile_watch *find_watch(const struct sim_rehearsal *r, struct arena *arena)
{
    const struct profile_watch *watch = NULL;
    for (uint32_t i = 0; !watch && r->config->schemes[i]; i++) {
        const struct scheme_ops *ops = r->config->schemes[i];
        const void *plan = machine_plan_of(&r->plans->plans, ops);
        if (plan && ops->configuration.rehearse)
            watch = ops->configuration.rehearse(arena, r->config->of_scheme[i], plan);
    }
    return watch;
}

static void run(const struct sim_rehearsal *r, struct arena *arena,
                const struct profile_watch *watch)
{
    struct run run;
    struct source source = {0};
    struct diags run_diags, diags;
    diags_init(&run_diags, arena);
    diags_init(&diags, arena);
    if (!sim_run_read(&run, &source, r->path, arena, r->arguments, &run_diags, r->messages))
        return;
    struct host host = {.config = r->host_config};
    struct session session = {
        .device = {.arena = arena,
                   .program = &r->module->program,
                   .source = &r->module->source,
                   .max_instructions = r->arguments->max_instructions,
                   .profiled = true,
                   .watch = watch,
                   .planes = machine_planes(r->config),
                   .stop = r->stop},
        .host = &host,
        .arena = arena,
        .run = &run,
        .diags = &diags,
        .stop_after = r->arguments->stop_after,
    };
    if (session_prepare(&session))
        session_run(&session);
}

void sim_rehearse(const struct sim_rehearsal *rehearsal, struct arena *arena)
{
    const struct profile_watch *watch = find_watch(rehearsal, arena);
    struct arena own;
    if (!watch)
        return;
    arena_init(&own, arena->memory);
    run(rehearsal, &own, watch);
    arena_free(&own);
}
