#include "cli/run/options.h"
#include "cli/tagger/embedded.h"
#include "support/file.h"
#include <string.h>

#define OPTIONS_OF struct starter_arguments

// Reads --slack. Multiples of ALIGN keep allocations aligned.
static const char *parse_slack(struct arena *arena, void *into, const char *argument)
{
    enum { ALIGN = 4096 };
    struct starter_arguments *arguments = into;
    const char *error = options_size(argument, &arguments->slack);
    if (!error && arguments->slack % ALIGN)
        error =
            arena_printf(arena, "cannot be '%s': expected a multiple of %d bytes", argument, ALIGN);
    return error;
}

static const char *parse_offload(struct arena *arena, void *into, const char *argument)
{
    struct starter_arguments *arguments = into;
    (void)arena;
    arguments->offload = argument ? argument : "";
    return NULL;
}

// Refuses an option for checkpoints.
static const char *refuse_checkpoint(struct arena *arena, void *into, const char *argument)
{
    (void)arena, (void)into, (void)argument;
    return "is for ptxoffload-sim, because a checkpoint does not have the state of the program on "
           "the host: record the launches with --record=FOLDER, and give it to ptxoffload-sim "
           "FOLDER/run-0.yaml";
}

static const struct option program_options[] = {
    {"--offload", "[=OPTIONS]", CALL(parse_offload), .joined = true, .file = OPTION_WRITES,
     .help = "tag the program's PTX as ptxoffload does, for policies that\n"
             "use tags, with these options of ptxoffload, such as\n"
             "--offload='--fma=split --report=html:tags.html'"},
    {"--profiler", NULL, FLAG(profiler, 1),
     .help = "count cycles only between the program's calls of\n"
             "cudaProfilerStart and cudaProfilerStop"},
    {"--slack", "SIZE", CALL(parse_slack),
     .help = "let kernels access up to SIZE bytes (64K) before and after an\n"
             "allocation, as on a GPU with its large pages"},
    {"--record", "FOLDER", TEXT(record), .file = OPTION_WRITES, .folder = true,
     .help = "write the program's PTX, buffers and launches as run files\nof ptxoffload-sim"},
    {"--checkpoint", "PATH", CALL(refuse_checkpoint),
     .help = "refused, as --resume: a checkpoint lacks the state of the\n"
             "program on the host; ptxoffload-sim has both for the run\nfiles of --record"},
    {"--resume", "PATH", CALL(refuse_checkpoint)},
    {0},
};

// Returns true for options of the simulator that the program itself decides.
static bool is_left_out(const struct option *option)
{
    static const char *const names[] = {
        "--stop-after", "--checkpoint", "--checkpoint-every", "--resume", "--module", "--program",
        "--metadata",   "--save",       "--allow-outside",    NULL};
    for (const char *const *name = names; *name; name++)
        if (!strcmp(option->name, *name))
            return true;
    return false;
}

static const struct option *keep_options(struct arena *arena, const struct option *from)
{
    uint32_t count = 0, kept = 0;
    while (from[count].name)
        count++;
    struct option *to = ARENA_ARRAY(arena, struct option, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (!is_left_out(&from[i]))
            to[kept++] = from[i];
    return to;
}

static const struct option_example examples[] = {
    {"-- ./app 1024", "run a program, and count cycles"},
    {"--functional -- ./app", "run a program without timing"},
    {"--offload --json=app.json -- ./app", "tag its kernels first, and write the results"},
    {0},
};

const struct command run_command_base = {
    .name = "ptxoffload-run",
    .purpose = "run CUDA programs on a simulated GPU",
    .examples = examples,
    .usage = "[OPTION]... -- PROGRAM [ARGUMENT]...",
    .about = "Runs a CUDA program on the simulator: the program's calls of the CUDA runtime and\n"
             "driver go to replacement libraries, which run its kernels. The program must contain\n"
             "PTX, and a symbol table unless it was linked with nvcc -cudart shared.\n",
    .more = "Exit code: that of the program; 1 if it cannot be run, 2 bad usage.\n",
    .starts = true,
};

const struct command *run_command(struct arena *arena)
{
    const struct option_group *from = sim_command_with_policies(arena)->groups;
    uint32_t count = 0;
    while (from[count].title)
        count++;
    struct option_group *groups = ARENA_ARRAY(arena, struct option_group, count + 1);
    groups[0] = (struct option_group){"The program", program_options};
    for (uint32_t i = 1; i < count; i++) // without the first, the options of one launch
        groups[i] = (struct option_group){from[i].title, keep_options(arena, from[i].options)};
    struct command *command = ARENA_NEW(arena, struct command);
    *command = run_command_base;
    command->groups = groups;
    return command;
}

static bool is_standard(const char *path)
{
    return path && file_is_standard(path);
}

bool starter_options_check(void *arguments, struct command_line *line)
{
    struct starter_arguments *run = arguments;
    const struct sim_arguments *sim = &run->sim;
    run->options = line->end;
    run->has_program = line->operands.n;
    if (!sim_options_check(&run->sim, line))
        return false;
    line->failed |= run->offload && !embedded_read(line->arena, run->offload, line->errors);
    if (line->failed)
        return false;
    if (run->profiler && sim->functional)
        return options_fault(
            line, "--functional counts no cycles; it cannot be combined with --profiler");
    const char *text = is_standard(sim->overlap)    ? "--overlap"
                       : is_standard(sim->annotate) ? "--annotate"
                                                    : NULL;
    if (text && !sim->common.diagnostics.path && sim->common.diagnostics.format != DIAGNOSTICS_TEXT)
        return options_fault(line, "%s also writes to standard error: give --diagnostics a file",
                             text);
    return true;
}

const struct cli_program run_reader = {
    .command = &run_command_base,
    .set_defaults = sim_options_default,
    .check = starter_options_check,
};
