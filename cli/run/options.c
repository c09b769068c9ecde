#include "cli/run/options.h"
#include "cli/tagger/embedded.h"
#include "runtime-sim/host/host.h"
#include "support/file.h"
#include <stdlib.h>
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

// Reads the number of devices, or the machine of each.
static const char *parse_devices(struct arena *arena, void *into, const char *argument)
{
    struct starter_arguments *arguments = into;
    VEC(const char *) list = {0};
    char *end;
    long count = strtol(argument, &end, 10);
    if (*end) { // not a number
        for (const char *at = argument; at;) {
            size_t length = strcspn(at, ",");
            vec_push(arena, &list, arena_strndup(arena, at, length));
            at = at[length] ? at + length + 1 : NULL;
        }
        count = list.n;
    }
    bool good = *argument && count >= 1 && count <= HOST_GPUS;
    for (uint32_t i = 0; i < list.n; i++)
        good &= *list.v[i] != 0;
    if (!good)
        return arena_printf(arena,
                            "cannot be '%s': expected 1 to %d devices, or a machine for each, "
                            "such as gtx580,mymachine.yaml",
                            argument, HOST_GPUS);
    arguments->devices = (int)count;
    arguments->machines = list.n ? list.v : NULL;
    arguments->sim.has_peers = count > 1;
    return NULL;
}

const char *starter_machine(const struct starter_arguments *arguments, uint32_t device)
{
    return arguments->machines ? arguments->machines[device] : arguments->sim.config;
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
    {"--devices", "N", CALL(parse_devices),
     .help = "simulate N devices, at most 16, each with the machine of\n"
             "--config; or a machine for each: MACHINE,MACHINE...; the\n"
             "link between them has the keys peer.link_gbps and\n"
             "peer.latency_us of --set"},
    {"--record", "FOLDER", TEXT(record), .file = OPTION_WRITES, .folder = true,
     .help = "write the program's PTX, buffers and launches as run files\n"
             "of ptxoffload-sim; with --timed only these launches"},
    {"--expect", NULL, FLAG(expect, 1),
     .help = "with --record, also write the contents of memory after the\n"
             "launches, with which ptxoffload-sim compares its results"},
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

void starter_options_default(void *arguments, struct arena *arena)
{
    struct starter_arguments *run = arguments;
    sim_options_default(&run->sim, arena);
    run->devices = 1;
}

bool starter_options_check(void *arguments, struct command_line *line)
{
    struct starter_arguments *run = arguments;
    const struct sim_arguments *sim = &run->sim;
    run->options = line->end;
    run->has_program = line->operands.n;
    run->sim.timed_selects = run->record;
    if (!sim_options_check(&run->sim, line))
        return false;
    line->failed |= run->offload && !embedded_read(line->arena, run->offload, line->errors);
    if (line->failed)
        return false;
    const char *single = run->devices == 1  ? NULL
                         : run->record      ? "--record"
                         : run->sim.overlap ? "--overlap"
                         : run->sim.beside  ? "--beside"
                                            : NULL;
    if (single)
        return options_fault(
            line, "%s is for one device: leave out --devices, or its other devices", single);
    if (run->expect && !run->record)
        return options_fault(line, "--expect is for the run files of --record, and needs it");
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
    .set_defaults = starter_options_default,
    .check = starter_options_check,
};
