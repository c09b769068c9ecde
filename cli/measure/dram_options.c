#include "cli/measure/dram_options.h"
#include "cli/common/diagnostics_options.h"
#include "tools/dram/dram_drive.h"
#include <string.h>

static const struct measure_limits limits = {.most = 64, .above_zero = true};

const char *const dram_pattern_names[] = {
    [DRAM_SEQ] = "seq",
    [DRAM_RANDOM] = "random",
    [DRAM_ONE_BANK] = "one-bank",
    [DRAM_BANK_RR] = "bank-rr",
    NULL,
};

// Numbers

static const char *take_writes(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (measure_read_real(&at, 1, &((struct dram_arguments *)into)->writes) && !*at)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a fraction of the requests, from 0 to 1",
                        argument);
}

static const char *take_load(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    const char *at = argument;
    if (measure_read_real(&at, limits.most, &a->load) && !*at && a->load > 0)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a number of requests, such as 0.25",
                        argument);
}

static const char *take_sweep(struct arena *arena, void *into, const char *argument)
{
    return measure_take_sweep(arena, into, &limits, argument);
}

// Texts

static const char *take_set(struct arena *arena, void *into, const char *argument)
{
    return measure_take_set(arena, into, "dram", argument);
}

static const char *take_plot(struct arena *arena, void *into, const char *argument)
{
    ((struct measure_arguments *)into)->plot = argument;
    if (!strcmp(argument, "-") || measure_ends_in(argument, ".svg"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': its name ends in .svg", argument);
}

static const char *take_stats(struct arena *arena, void *into, const char *argument)
{
    (void)arena;
    ((struct measure_arguments *)into)->stats = argument ? argument : "-";
    return NULL;
}

#define INTO(field) .offset = offsetof(struct dram_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option memory_options[] = {
    {"--config", "NAME|FILE.yaml", TEXT(measure.config), .file = OPTION_READS,
     .help = "the memory; the default has the initial values of all keys"},
    {"--set", "KEY=VALUE", CALL(take_set), .help = "set a key of the memory"},
    {"--print-config", NULL, FLAG(measure.print_config, 1),
     .help = "print the configuration as a file that can be read back"},
    {"--list-configs", NULL, FLAG(measure.list_configs, 1),
     .help = "print the names of the built-in configurations"},
    {0},
};

static const struct option request_options[] = {
    {"--pattern", "seq|random|one-bank|bank-rr", CHOICE(pattern, dram_pattern_names),
     .help = "consecutive addresses (the default), random addresses, new\n"
             "rows of bank 0, new rows of all banks in turn"},
    {"--writes", "PART", CALL(take_writes), .help = "fraction of writes, 0 to 1 (0)"},
    {"--load", "REQUESTS", CALL(take_load),
     .help = "mean number of requests per clock, for all channels together;\n"
             "by default the queues are always full"},
    {"--sweep", "[=LOADS]", CALL(take_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS at fractions of the maximum"},
    {"--seed", "N", CALL(measure_take_seed), .help = "seed of the random numbers (1)"},
    {"--warmup", "N", CALL(measure_take_warmup), .help = "clocks before the measurement (1000)"},
    {"--cycles", "N", CALL(measure_take_cycles), .help = "clocks of the measurement (1000000)"},
    {0},
};

static const struct option output_options[] = {
    {"--json", "FILE", TEXT(measure.json), .file = OPTION_WRITES,
     .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(measure.csv), .file = OPTION_WRITES,
     .help = "write them as a table, a line for each load"},
    {"--plot", "FILE.svg", CALL(take_plot), .file = OPTION_WRITES,
     .help = "plot latency and served requests over the load"},
    {"--trace", "FILE.json", TEXT(trace), .file = OPTION_WRITES,
     .help = "write all commands as Chrome trace events, for Perfetto;\n"
             "about 100 bytes per command: use few --cycles"},
    {"--stats", "[=FILE]", CALL(take_stats), .joined = true, .file = OPTION_WRITES,
     .help = "write all statistics, as text, or by the suffix as .json or\n"
             ".csv; without FILE to standard output"},
    {"--list-stats", NULL, FLAG(measure.list_stats, 1),
     .help = "print the names and meanings of the statistics"},
    {0},
};

static const struct option_group groups[] = {
    {"The memory", memory_options}, {"Requests and measurement", request_options},
    {"Output", output_options},     {"Diagnostics", diagnostics_options},
    {"Messages", measure_messages}, {0},
};

static const struct option_example examples[] = {
    {"--config=gddr5_isca19 --pattern=random --writes=0.3", "measure the throughput of a mix"},
    {"--config=gddr5_isca19 --sweep --plot=gddr5.svg", "plot latency over load"},
    {0},
};

const struct command dram_command = {
    .name = "ptxoffload-dram",
    .purpose = "measure a DRAM with its controllers",
    .examples = examples,
    .usage = "[--config=NAME|FILE.yaml] [--pattern=PATTERN] [--load=REQUESTS | --sweep] "
             "[OPTION]...",
    .about =
        "Measures the throughput and latency of a DRAM with its controllers under a pattern of\n"
        "requests. Without an output option it prints the results.\n",
    .groups = groups,
    .more = "Files are written atomically.\n"
            "\n"
            "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage.\n",
};

// Checks

static bool fault(FILE *errors, const char *text, const char *name)
{
    return measure_fault(&dram_command, errors, text, name);
}

static bool check(struct measure_arguments *a, const struct command_line *line, FILE *errors)
{
    struct dram_arguments *own = (struct dram_arguments *)a;
    measure_name_output(&own->trace);
    if (line->operands.n)
        return fault(errors, "unexpected operand (options begin with --): ", line->operands.v[0]);
    if (a->sweep && a->load >= 0)
        return fault(errors, "--load and --sweep exclude each other", "");
    if (!a->sweep && a->plot)
        return fault(errors, "--plot needs --sweep", "");
    if (a->sweep && (own->trace || a->stats))
        return fault(errors, own->trace ? "--trace" : "--stats",
                     " is for one measurement and excludes --sweep");
    return true;
}

bool dram_arguments_read(struct dram_arguments *arguments, struct arena *arena, int argc,
                         char *const *argv, FILE *errors)
{
    *arguments = (struct dram_arguments){
        .measure = {.seed = 1, .warmup = 1000, .cycles = 1000000, .load = -1}};
    return measure_arguments_read(&dram_command, &arguments->measure, arena, argc, argv, check,
                                  errors);
}
