#include "cli/sim/options.h"
#include "runtime-sim/schemes/schemes.h"
#include <string.h>

enum { MAX_THREADS = 1024 };

static const char *const check_names[] = {
    [CHECK_OF_RACES] = "race",
    [CHECK_OF_READS] = "uninit",
    NULL,
};

static const char *const help_names[] = {[SIM_HELP_RUN] = "run", [SIM_HELP_KEYS] = "keys", NULL};

static const char *parse_pair(struct arena *arena, const char *argument, struct sim_setting *pair)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument || !equals[1])
        return arena_printf(arena, "cannot be '%s': expected NAME=VALUE", argument);
    pair->name = arena_strndup(arena, argument, (size_t)(equals - argument));
    pair->value = equals + 1;
    return NULL;
}

static const char *check_texture(struct arena *arena, void *into, const char *argument)
{
    struct sim_setting pair;
    (void)into;
    return parse_pair(arena, argument, &pair);
}

// Rejects the syntax of earlier versions, which would name a file.
static const char *check_overlap(struct arena *arena, void *into, const char *argument)
{
    (void)arena;
    (void)into;
    return argument && !strncmp(argument, "advise", 6) && (!argument[6] || argument[6] == ':')
               ? "takes a file: use --overlap or --overlap=FILE instead of --overlap=advise[:FILE]"
               : NULL;
}

static const char *parse_registers(struct arena *arena, void *into, const char *argument)
{
    bool assembled = argument && !strcmp(argument, "ptxas");
    ((struct sim_arguments *)into)->assembled = assembled;
    return assembled || (argument && !strcmp(argument, "estimate"))
               ? NULL
               : arena_printf(arena,
                              "cannot be '%s': expected estimate or ptxas; "
                              "--set=core.thread_registers=N sets a number",
                              argument);
}

static const char *parse_save(struct arena *arena, void *into, const char *argument)
{
    struct sim_setting pair;
    const char *error = parse_pair(arena, argument, &pair);
    if (!error)
        vec_push(arena, &((struct sim_arguments *)into)->saves, pair);
    return error;
}

static const char *parse_set(struct arena *arena, void *into, const char *argument)
{
    struct sim_setting pair;
    const char *error = parse_pair(arena, argument, &pair);
    if (error)
        return error;
    if (!strchr(pair.name, '.'))
        return arena_printf(arena,
                            "cannot set '%s': expected SECTION.KEY of the machine, or values.NAME "
                            "of the run file",
                            pair.name);
    if (strncmp(pair.name, "values.", 7)) {
        vec_push(arena, &((struct sim_arguments *)into)->machine_settings, argument);
        return NULL;
    }
    pair.name += 7;
    vec_push(arena, &((struct sim_arguments *)into)->settings, pair);
    return NULL;
}

static const char *parse_timed(struct arena *arena, void *into, const char *argument)
{
    struct timed_region region;
    const char *error = timed_region_read(&region, arena, argument);
    if (!error)
        vec_push(arena, &((struct sim_arguments *)into)->timed, region);
    return error;
}

static const char *parse_sample(struct arena *arena, void *into, const char *argument)
{
    return sample_read(&((struct sim_arguments *)into)->sampling, arena, argument);
}

static const char *parse_trace_window(struct arena *arena, void *into, const char *argument)
{
    struct sim_arguments *arguments = into;
    const char *colon = strchr(argument, ':');
    const char *from = colon ? arena_strndup(arena, argument, (size_t)(colon - argument)) : "";
    if (colon && !options_number(arena, from, 0, UINT64_MAX, &arguments->trace_from) &&
        !options_number(arena, colon + 1, 1, UINT64_MAX, &arguments->trace_until) &&
        arguments->trace_from < arguments->trace_until)
        return NULL;
    return arena_printf(arena,
                        "cannot be '%s': expected FROM:TO, two cycles with FROM below TO, such as "
                        "1000:2000",
                        argument);
}

#define OPTIONS_OF struct sim_arguments
#define ANY UINT64_MAX

static const struct option launch_options[] = {
    {"--kernel", "NAME", TEXT(kernel),
     .help = "the kernel to launch, named as in the program or as in the\nCUDA source; not needed "
             "if there is only one"},
    {"--grid", "X[,Y,Z]", TEXT(grid), .help = "CTAs"},
    {"--block", "X[,Y,Z]", TEXT(block), .help = "threads of a CTA"},
    {"--cluster", "X[,Y,Z]", TEXT(cluster), .help = "CTAs of a cluster"},
    {"--shared", "BYTES", TEXT(shared), .help = "dynamic shared memory"},
    {"--cooperative", NULL, FLAG(cooperative, 1),
     .help = "all CTAs are resident at once, for grid.sync()"},
    {"--arg", "VALUE", LIST(args), .file = OPTION_READS,
     .help = "the next argument: u32:7 s32:-7 u64:7 f32:1.5 f64:1.5 …, or\n"
             "buf:TYPE:COUNT:FILL with FILL one of zero, iota,\n"
             "uniform[:SEED], range:LOW:HIGH[:SEED], const:VALUE,\n"
             "= FORMULA, FILE.npy, raw:FILE, or a texture\n"
             "tex:TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORDS:FILL with WORDS\n"
             "any of point or linear, texels or normalized, clamp,\n"
             "border, wrap or mirror, element or normalized-float"},
    {"--texture", "NAME=TEXTURE", LIST(textures), .call = check_texture, .file = OPTION_READS,
     .help = "define the .texref NAME: TYPE[xCHANNELS]:WIDTH…, or the\n"
             ".samplerref NAME: WORDS"},
    {0},
};

static const struct option run_options[] = {
    {"--functional", NULL, FLAG(functional, 1),
     .help = "compute values only, no cycles: about a hundred times faster"},
    {"--set", "KEY=VALUE", CALL(parse_set),
     .help = "set a key of the machine, such as core.schedulers=2, or\n"
             "values.NAME of the run file"},
    {"--max-instructions", "N", NUMBER(max_instructions, 1, ANY),
     .help = "with --functional, stop when warps have executed N\n"
             "instructions, in all launches together"},
    {"--threads", "N", NUMBER(threads, 1, MAX_THREADS),
     .help = "threads of the host, for runs without cycles;\nthe results are the same"},
    {"--check", "race,uninit", SET(checks, check_names),
     .help = "report unordered accesses of threads to the same memory,\n"
             "and reads of unwritten bytes: exit code 3; needs\n"
             "--functional"},
    {"--stop-after", "N", NUMBER(stop_after, 1, ANY),
     .help = "stop after launch N of the whole run, counted from 1"},
    {"--checkpoint", "FILE", TEXT(checkpoint), .file = OPTION_WRITES,
     .help = "write the state after each launch, from which --resume\ncontinues"},
    {"--checkpoint-every", "N", NUMBER(checkpoint_every, 1, ANY),
     .help = "after launches N, 2 N, 3 N … only"},
    {"--resume", "FILE", TEXT(resume), .file = OPTION_READS,
     .help = "continue from the state in this file, with the same results"},
    {"--lanes", "avx2|plain", TEXT(lanes),
     .help = "host vector instructions to use (default: the best\navailable)"},
    {0},
};

static const struct option machine_options[] = {
    {"--config", "NAME|FILE", TEXT(config), .file = OPTION_READS,
     .help = "the machine (default: isca19, the GPU of ISCA'19): its name,\n"
             "a YAML file, or a gpgpusim.config"},
    {"--policy", "NAME", ONE_OF(policy, NULL), .help = ""}, // sim_command_with_policies
    {"--registers", "estimate|ptxas", CALL(parse_registers),
     .help = "registers of a thread: estimated from the PTX (default), or\n"
             "those of the executable's machine code, or else of ptxas,\n"
             "which must be installed"},
    {"--timed", "KERNEL[:LAUNCHES]", CALL(parse_timed),
     .help = "count cycles only for these launches of this kernel, such\n"
             "as 2 or 1,4-6, from 1; may be repeated"},
    {"--sample", "PERIOD:MEASURED[:WARM]", CALL(parse_sample),
     .help = "count cycles of the first WARM and the next MEASURED of each\n"
             "PERIOD launches; the statistics 'sample.' estimate the cycles\n"
             "of all launches from the measured ones"},
    {"--sample-ctas", "N", NUMBER(sampling.waves, 2, ANY),
     .help = "count cycles of one in N waves of CTAs of a long launch; the\n"
             "statistics 'sample.' estimate the cycles of all waves"},
    {"--max-cycles", "N", NUMBER(max_cycles, 1, ANY),
     .help = "stop after N cycles of all launches together"},
    {"--shuffle", "SEED", NUMBER(shuffle, 0, ANY),
     .help = "evaluate components in another order in each cycle;\nthe results are the same"},
    {"--print-config", NULL, FLAG(print_config, 1),
     .help = "print the machine as a YAML file for --config; of a\n"
             "gpgpusim.config also what became of each option"},
    {"--print-config-digests", NULL, FLAG(print_digests, 1),
     .help = "for each line of standard input, options quoted as in a\n"
             "response file, print a line of JSON: the SHA-256 of the\n"
             "output of --print-config with them, or the messages"},
    {"--list-configs", NULL, FLAG(list_configs, 1),
     .help = "print the names of the built-in configurations"},
    {"--list-stats", NULL, FLAG(list_stats, 1),
     .help = "print the names and meanings of all statistics"},
    {"--list-storage", NULL, FLAG(list_storage, 1),
     .help = "print the storage that offloading needs in such a machine,\nand its area"},
    {"--list-energy", NULL, FLAG(list_energy, 1),
     .help = "print the energy of each kind of event, its range and source"},
    {0},
};

static const struct option input_options[] = {
    {"--program", "FILE", TEXT(program), .file = OPTION_READS,
     .help = "run this instead of the run file's program, for example\nits version tagged by "
             "'ptxoffload'"},
    {"--metadata", "FILE", TEXT(metadata), .file = OPTION_READS,
     .help = "the program's metadata, as written by 'ptxoffload\n--metadata', instead of its tags"},
    {0},
};

static const struct option output_options[] = {
    {"--save", "N=FILE.npy", CALL(parse_save), .file = OPTION_WRITES,
     .help = "write the buffer that is argument N, from 0, or that has\n"
             "this name in the run file, when all launches are done"},
    {"--json", "FILE", TEXT(json), .file = OPTION_WRITES,
     .help = "write the launches and their counts; '-' is standard output"},
    REPORT_OPTION("write a report, to standard output without :FILE: cycles,\n"
                  "stalls, latency, use of each resource, chains and blocks;\n"
                  "html is a page for a browser, with the run over time, a\n"
                  "roofline and the networks"),
    {"--explain", NULL, FLAG(explains, 1),
     .help = "print the report as text, with the limit of each kernel and\n"
             "the next one"},
    {"--beside", "FILE.json", TEXT(beside), .file = OPTION_READS,
     .help = "compare with another run, whose --report=json wrote this\n"
             "file, in --report=text and html"},
    {"--overlap", "[=FILE]", TEXT(overlap), .call = check_overlap, .joined = true,
     .file = OPTION_WRITES,
     .help = "list which copies of the program may overlap its kernels by\n"
             "full/empty bits, with the reasons and the time it saves"},
    {"--annotate", "[=FILE]", TEXT(annotate), .joined = true, .file = OPTION_WRITES,
     .help = "list each instruction and line of the CUDA source with its\n"
             "slot cycles, what they waited for, and its accesses; also\n"
             "adds these counts to --json"},
    {"--stats", "FILE", TEXT(stats), .file = OPTION_WRITES,
     .help = "write the statistics of each kernel and in total, as text,\n"
             "or as JSON or CSV if the name ends in .json or .csv; '-' is\n"
             "standard output; minimum, mean and maximum over cores,\n"
             "slices, channels, nodes and links"},
    {"--stats-filter", "GLOB", LIST(stats_choice.patterns),
     .help = "write each individual statistic whose name matches, such as\n"
             "'core*.stall_load', or '*' for all; may be repeated"},
    {"--series", "FILE.csv", TEXT(series), .file = OPTION_WRITES,
     .help = "write the events of each time interval"},
    {"--interval", "N", NUMBER(interval, 1, ANY), .help = "cycles of a time interval (1000)"},
    {"--trace", "FILE.json", TEXT(trace), .file = OPTION_WRITES,
     .help = "write the activity of warps, CTAs, packets and DRAM banks,\n"
             "cycle by cycle, as Chrome trace events, for Perfetto"},
    {"--trace-window", "FROM:TO", CALL(parse_trace_window),
     .help = "trace only these cycles; TO is excluded"},
    {"--profile-out", "FILE", TEXT(profile), .file = OPTION_WRITES,
     .help = "write for each instruction its number of executions and the\n"
             "lines that it accesses, and the iterations of loops"},
    {"--allow-outside", NULL, FLAG(allow_outside, 1), .file = OPTION_PERMITS,
     .help = "let the run file write anywhere and over any file; without\n"
             "it only below the current folder, and only over its own\n"
             "results"},
    {0},
};

static const struct option help_options[] = {
    HELP_OPTION("[=run|keys]", help_names, "print this, or the keys of run files, or of machines"),
    {0},
};

static const struct option_group groups[] = {
    {"One launch", launch_options},
    {"The run", run_options},
    {"The machine", machine_options},
    {"Input", module_options},
    {"", input_options},
    {"Output", output_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", message_options},
    {"", help_options},
    {0},
};

static const struct option_example examples[] = {
    {"samples/bfs/run.yaml", "run a file of launches, and print a report"},
    {"add.ptx --grid 16 --block 256 --arg buf:f32:4096:iota", "run one launch"},
    {"run.yaml --explain", "run it, and explain what limits its kernels"},
    {"run.yaml --report=html:run.html --beside=base.json",
     "write a page that compares it with a run whose report is base.json"},
    {"run.yaml --annotate", "list where its warps spend their time, line by line"},
    {"run.yaml --json=run.json --stats=run.csv", "write results and statistics"},
    {"run.yaml --functional --check=race,uninit", "check for races and reads of unwritten memory"},
    {"run.yaml --config=isca19 --set=memory.cores=28 --print-config",
     "print the configuration of a changed machine"},
    {0},
};

const struct command sim_command = {
    .name = "ptxoffload-sim",
    .purpose = "run PTX kernels on a simulated GPU",
    .examples = examples,
    .usage = "RUN.yaml | FILE.ptx --grid X --block X [--arg VALUE]... [OPTION]...",
    .about =
        "Runs kernels of a PTX program on a simulated GPU, cycle by cycle: the launches of\n"
        "RUN.yaml, or one launch. FILE.ptx may also be an object written by\n"
        "'ptxoffload --emit=elf', or a program or library with PTX in it; '-' is standard input.\n",
    .groups = groups,
    .more = "Names of input files are relative to the run file's folder, those of output files\n"
            "to the current one. Files are written atomically. A run that writes no file\n"
            "prints --report=text.\n"
            "\n"
            "Exit code: 0 success, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage, 3 an expectation or check failed, 4 no progress, 5 memory fault.\n",
};

// Returns the names with bars between them, broken into lines of the help.
static const char *join_choices(struct arena *arena, const char *const *choices)
{
    enum { WIDTH = 66, INDENT = 11 };
    const char *text = choices[0];
    size_t width = strlen(text);
    for (uint32_t i = 1; choices[i]; i++) {
        bool breaks = width + strlen(choices[i]) > WIDTH;
        text = arena_printf(arena, "%s|%s%*s%s", text, breaks ? "\n" : "", breaks ? INDENT : 0, "",
                            choices[i]);
        width = breaks ? strlen(choices[i]) : width + 1 + strlen(choices[i]);
    }
    return text;
}

static void name_policies(struct option *option, struct arena *arena)
{
    const char *help = NULL;
    option->choices = scheme_policies(arena, schemes);
    option->argument = join_choices(arena, option->choices);
    for (uint32_t i = 0; schemes[i]; i++)
        if (schemes[i]->configuration.policy_help)
            help = help
                       ? arena_printf(arena, "%s;\n%s", help, schemes[i]->configuration.policy_help)
                       : schemes[i]->configuration.policy_help;
    option->help = help ? help : "baseline: no scheme";
}

const struct command *sim_command_with_policies(struct arena *arena)
{
    enum { GROUPS = ARRAY_LENGTH(groups), OPTIONS = ARRAY_LENGTH(machine_options) };
    struct command *command = ARENA_NEW(arena, struct command);
    struct option_group *own = ARENA_ARRAY(arena, struct option_group, GROUPS);
    struct option *options = ARENA_ARRAY(arena, struct option, OPTIONS);
    memcpy(own, groups, sizeof groups);
    memcpy(options, machine_options, sizeof machine_options);
    for (uint32_t i = 0; i < GROUPS; i++)
        if (own[i].options == machine_options)
            own[i].options = options;
    for (uint32_t i = 0; options[i].name; i++)
        if (!strcmp(options[i].name, "--policy"))
            name_policies(&options[i], arena);
    *command = sim_command;
    command->groups = own;
    return command;
}

const char *sim_policy(const struct sim_arguments *arguments, struct arena *arena)
{
    return arguments->policy < 0 ? NULL : scheme_policies(arena, schemes)[arguments->policy];
}

void sim_options_default(void *into, struct arena *arena)
{
    struct sim_arguments *arguments = into;
    (void)arena;
    arguments->threads = 1;
    arguments->config = "isca19";
    arguments->policy = -1;
}
