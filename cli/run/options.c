#include "cli/run/options.h"
#include "cli/common/response.h"
#include "runtime-sim/schemes/schemes.h"
#include <string.h>

#define INTO(field) .offset = offsetof(struct run_arguments, field)

// Allocations stay aligned.
static const char *take_slack(struct arena *arena, void *into, const char *argument)
{
    enum { ALIGN = 4096 };
    struct run_arguments *arguments = into;
    const char *error = options_size(argument, &arguments->slack);
    if (!error && arguments->slack % ALIGN)
        error =
            arena_printf(arena, "cannot be '%s': it is a multiple of %d bytes", argument, ALIGN);
    return error;
}

static const struct option program_options[] = {
    {"--offload", NULL, .kind = OPTION_FLAG, INTO(offload), .value = 1,
     .help = "tag the program's PTX as ptxoffload does, for policies that\nread tags"},
    {"--profiler", NULL, .kind = OPTION_FLAG, INTO(profiler), .value = 1,
     .help = "count cycles only between the program's calls of\n"
             "cudaProfilerStart and cudaProfilerStop"},
    {"--slack", "SIZE", .kind = OPTION_CALL, .call = take_slack,
     .help = "let kernels access memory up to SIZE (64K) before and behind an\n"
             "allocation, as on a GPU, whose pages are large"},
    {"--record", "FOLDER", .kind = OPTION_TEXT, INTO(record), .file = OPTION_WRITES,
     .help = "write the program's PTX, buffers and launches as run files\nof ptxoffload-sim"},
    {0},
};

// Options of the simulator that a program decides.
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
    {"--functional -- ./app", "run a program without time"},
    {"--offload --json=app.json -- ./app", "tag its kernels first, and write the results"},
    {0},
};

const struct command *run_command(struct arena *arena)
{
    const struct option_group *from = sim_command_with_policies(arena)->groups;
    uint32_t count = 0;
    while (from[count].title)
        count++;
    struct option_group *groups = ARENA_ARRAY(arena, struct option_group, count + 1);
    groups[0] = (struct option_group){"The program", program_options};
    for (uint32_t i = 1; i < count; i++) // the first has the options of one launch
        groups[i] = (struct option_group){from[i].title, keep_options(arena, from[i].options)};
    struct command *command = ARENA_NEW(arena, struct command);
    *command = (struct command){
        .name = "ptxoffload-run",
        .purpose = "run CUDA programs on a simulated GPU",
        .examples = examples,
        .usage = "[OPTION]... -- PROGRAM [ARGUMENT]...",
        .about =
            "Runs a CUDA program on the simulator: the program's calls of the CUDA runtime and\n"
            "driver libraries go to libraries of ours, which run its kernels. The program is\n"
            "linked with nvcc -cudart shared and has PTX in it.\n",
        .groups = groups,
        .more = "Exit code: that of the program; 1 if it cannot be run, 2 bad usage.\n",
    };
    return command;
}

static bool takes_argument(const struct command *command, const char *text)
{
    for (const struct option_group *group = command->groups; group->title; group++)
        for (const struct option *option = group->options; option->name; option++)
            if (!strcmp(option->name, text))
                return option->argument && !option->joined;
    return false;
}

// Returns the number of options and their arguments at the begin.
static int count_options(const struct command *command, int argc, char *const *argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--"))
        at += 1 + takes_argument(command, argv[at]);
    return at < argc ? at : argc;
}

int run_options_read(struct run_arguments *arguments, struct arena *arena, int argc,
                     char *const *argv, FILE *errors)
{
    const struct command *command = run_command(arena);
    struct sim_arguments *sim = &arguments->sim;
    *arguments = (struct run_arguments){0};
    sim_options_default(sim);
    int count = count_options(command, argc, argv);
    struct command_line line = options_read(command, arena, count, argv, arguments, errors);
    if (sim->policy_choice >= 0)
        sim->policy = scheme_policies(arena, schemes)[sim->policy_choice];
    sim_options_name_outputs(sim);
    bool good = !line.failed && sim_options_check(sim, command, errors);
    if (good && arguments->profiler && sim->functional)
        good = sim_options_fault(command, errors,
                                 "--functional counts no cycles; it cannot be combined with "
                                 "--profiler",
                                 "");
    if (good && sim->overlap && !strcmp(sim->overlap, "-") && !sim->common.diagnostics.path &&
        sim->common.diagnostics.format != DIAGNOSTICS_TEXT)
        good = sim_options_fault(
            command, errors,
            "--overlap=advise writes to standard error as well: give --diagnostics a file", "");
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", command->name);
    return good ? count : -1;
}
