#include "cli/sim/paths.h"
#include "cli/common/files.h"
#include "cli/sim/plans.h"
#include "runtime-sim/run/npy.h"
#include "support/file.h"
#include <unistd.h>

struct paths {
    struct named_files files;
    const struct sim_arguments *arguments;
    const struct run *run;
    const struct config *machine;
};

static void add_path(struct paths *paths, const char *path, const char *what, bool written)
{
    files_add(&paths->files, path, what, written);
}

// Adds a data file by the name that the user wrote, unless it is NULL.
static void add_read(struct paths *paths, const char *name, const char *what)
{
    if (name)
        add_path(paths, run_path(paths->run, name), what, false);
}

static bool rewrites_checkpoint(struct paths *paths)
{
    const struct sim_arguments *a = paths->arguments;
    return a->checkpoint && a->resume && output_same(paths->files.arena, a->checkpoint, a->resume);
}

// Collects the files of the run; those that are read come first.
static void collect_paths(struct paths *paths)
{
    const struct run *run = paths->run;
    add_path(paths, paths->arguments->common.input, "the input", false);
    for (uint32_t i = 0; i < paths->machine->texts.n; i++)
        add_path(paths, paths->machine->texts.v[i]->source.name, "the configuration", false);
    if (paths->arguments->run_file)
        add_path(paths,
                 paths->arguments->program ? paths->arguments->program
                                           : run_path(run, run->program.text),
                 "the program", false);
    add_path(paths, sim_plans_path(paths->arguments, run), "the metadata", false);
    for (uint32_t i = 0; i < run->buffers.n; i++)
        add_read(paths, run->buffers.v[i].fill.path, "the file");
    for (uint32_t i = 0; i < run->checks.n; i++) {
        const struct run_check *check = &run->checks.v[i];
        add_read(paths, check->kind == CHECK_FILE ? check->path.text : check->fill.path,
                 "the expected file");
    }
    for (uint32_t i = 0; i < run->buffers.n; i++)
        add_path(paths, run->buffers.v[i].save.text,
                 arena_printf(paths->files.arena, "'%s'", run->buffers.v[i].name), true);
    // A run may write the file from which it resumes: by then it has read the file.
    if (!rewrites_checkpoint(paths))
        add_path(paths, paths->arguments->resume, "the checkpoint", false);
    add_path(paths, paths->arguments->beside, "the document of --beside", false);
    files_add_outputs(&paths->files, &sim_command, paths->arguments);
}

// Returns true if no file has this path, or one that a run has saved.
static bool can_replace(struct arena *arena, const char *path)
{
    enum { HEADER = 1 << 16 }; // bytes; all that npy_is_marked looks at
    if (file_is_standard(path) || access(path, F_OK))
        return true;
    FILE *from = output_is_special(path) ? NULL : fopen(path, "rbe");
    char *bytes = arena_alloc(arena, HEADER);
    bool own = from && npy_is_marked(bytes, fread(bytes, 1, HEADER, from));
    if (from)
        fclose(from);
    return own;
}

const char *sim_paths_refusal(struct arena *arena, const struct run_buffer *buffer)
{
    const char *path = buffer->save.text;
    if (!path || buffer->save_chosen)
        return NULL;
    const char *wrong = output_refusal(arena, path);
    if (!wrong && !can_replace(arena, path))
        wrong = "exists and is not a result of an earlier run";
    return wrong;
}

bool sim_paths_check(struct arena *arena, const struct messages *messages,
                     const struct sim_arguments *arguments, const struct run *run,
                     const struct config *machine)
{
    struct paths paths = {
        .files = {.arena = arena, .messages = messages},
        .arguments = arguments,
        .run = run,
        .machine = machine,
    };
    collect_paths(&paths);
    return files_check(&paths.files);
}
