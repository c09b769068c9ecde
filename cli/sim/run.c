#include "cli/sim/run.h"
#include "runtime-sim/run/line.h"
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
                            .args = a->args.v,
                            .arg_count = a->args.n,
                            .cooperative = a->cooperative,
                            .textures = a->textures.v,
                            .texture_count = a->textures.n};
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
