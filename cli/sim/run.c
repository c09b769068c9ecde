#include "cli/sim/run.h"
#include "runtime-sim/run/line.h"
#include "runtime-sim/run/session.h"
#include "support/file.h"

static bool read_file(struct run *run, struct source *source, const char *path, struct arena *arena,
                      const struct sim_arguments *arguments, struct diags *diags,
                      const struct messages *messages)
{
    struct file_text file;
    const char *error = file_read(arena, path, &file);
    if (error) {
        message_error(messages, "cannot read '%s': %s", path, error);
        return false;
    }
    source_init(source, arena, path, file.text, file.length);
    run_init(run, arena, source, diags);
    for (uint32_t i = 0; i < arguments->settings.n; i++) {
        const struct sim_setting *from = &arguments->settings.v[i];
        run_set(run, from->name, from->value);
    }
    return run_read(run, arena);
}

static bool read_line(struct run *run, struct source *source, const char *path, struct arena *arena,
                      const struct sim_arguments *a, struct diags *diags)
{
    struct run_line line = {.program = path,
                            .kernel = a->kernel,
                            .grid = a->grid,
                            .block = a->block,
                            .cluster = a->cluster,
                            .shared = a->shared,
                            .args = a->args.list.v,
                            .arg_count = a->args.list.n,
                            .cooperative = a->cooperative,
                            .textures = a->textures.list.v,
                            .texture_count = a->textures.list.n};
    run_line_source(source, arena, &line);
    run_init(run, arena, source, diags);
    return run_line_read(run, &line);
}

bool sim_run_read(struct run *run, struct source *source, const char *path, struct arena *arena,
                  const struct sim_arguments *arguments, struct diags *diags,
                  const struct messages *messages)
{
    return arguments->run_file ? read_file(run, source, path, arena, arguments, diags, messages)
                               : read_line(run, source, path, arena, arguments, diags);
}

// Rehearsal

// Returns the rehearsal functions of the first scheme that has some, or NULL.
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

static void rehearse(const struct sim_rehearsal *r, struct arena *arena,
                     const struct profile_watch *watch)
{
    struct run run;
    struct source source = {0};
    struct diags run_diags, diags;
    diags_init(&run_diags, arena);
    diags_init(&diags, arena);
    if (!sim_run_read(&run, &source, r->path, arena, r->arguments, &run_diags, r->messages))
        return;
    struct host host = {.gpus = {{.config = r->host_config}}};
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
    rehearse(rehearsal, &own, watch);
    arena_free(&own);
}
