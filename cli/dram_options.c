#include "cli/dram_options.h"
#include "cli/response.h"
#include "tools/dram/dram_drive.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOADS = 1000, MOST_LOAD = 64 };

static const uint64_t most_clocks = UINT64_C(1000000000000);

const char *const dram_pattern_names[] = {
    [DRAM_SEQ] = "seq",
    [DRAM_RANDOM] = "random",
    [DRAM_ONE_BANK] = "one-bank",
    [DRAM_BANK_RR] = "bank-rr",
    NULL,
};

static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

// Numbers

static const char *take_uint(struct arena *arena, const char *argument, uint64_t least,
                             uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(argument, &end, 10);
    if (*argument >= '0' && *argument <= '9' && !*end && !errno && *value >= least &&
        *value <= most)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a number from %" PRIu64 " to %" PRIu64,
                        argument, least, most);
}

static const char *take_seed(struct arena *arena, void *into, const char *argument)
{
    return take_uint(arena, argument, 0, UINT64_MAX, &((struct dram_arguments *)into)->seed);
}

static const char *take_warmup(struct arena *arena, void *into, const char *argument)
{
    return take_uint(arena, argument, 0, most_clocks, &((struct dram_arguments *)into)->warmup);
}

static const char *take_cycles(struct arena *arena, void *into, const char *argument)
{
    return take_uint(arena, argument, 1, most_clocks, &((struct dram_arguments *)into)->cycles);
}

// Goes behind the number. False if there is none from 0 to `most`.
static bool read_real(const char **at, double most, double *value)
{
    char *end;
    bool digit = (**at >= '0' && **at <= '9') || **at == '.';
    *value = strtod(*at, &end);
    bool good = digit && end != *at && *value >= 0 && *value <= most;
    *at = end;
    return good;
}

static const char *take_writes(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (read_real(&at, 1, &((struct dram_arguments *)into)->writes) && !*at)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a part of the requests, from 0 to 1",
                        argument);
}

static const char *take_load(struct arena *arena, void *into, const char *argument)
{
    struct dram_arguments *a = into;
    const char *at = argument;
    if (read_real(&at, MOST_LOAD, &a->load) && !*at && a->load > 0)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a number of requests, as 0.25", argument);
}

// FROM:TO:STEP; the last load may miss TO by the rounding of the steps.
static bool take_range(struct dram_arguments *a, struct arena *arena, double from, const char *at)
{
    double to, step;
    at++;
    if (!read_real(&at, MOST_LOAD, &to) || *at++ != ':' || !read_real(&at, MOST_LOAD, &step) ||
        *at || step <= 0 || to < from || (to - from) / step > MOST_LOADS)
        return false;
    for (int i = 0; from + i * step <= to + step * 1e-6; i++)
        vec_push(arena, &a->loads, round((from + i * step) * 1e9) / 1e9);
    return true;
}

static bool read_loads(struct dram_arguments *a, struct arena *arena, const char *at)
{
    for (double load; a->loads.n < MOST_LOADS; at++) {
        if (!read_real(&at, MOST_LOAD, &load) || load <= 0)
            return false;
        if (*at == ':' && !a->loads.n)
            return take_range(a, arena, load, at);
        vec_push(arena, &a->loads, load);
        if (*at != ',')
            return !*at;
    }
    return false;
}

static const char *take_sweep(struct arena *arena, void *into, const char *argument)
{
    struct dram_arguments *a = into;
    a->sweep = 1;
    a->loads.n = 0;
    if (!argument || read_loads(a, arena, argument))
        return NULL;
    return arena_printf(arena,
                        "cannot be '%s': loads are written as 0.1,0.2,0.3 or FROM:TO:STEP, above 0",
                        argument);
}

// Texts

static const char *take_set(struct arena *arena, void *into, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return arena_printf(arena, "cannot be '%s': it is KEY=VALUE", argument);
    // There is one section only, so its name can be left out.
    if (!memchr(argument, '.', (size_t)(equals - argument)))
        argument = arena_printf(arena, "dram.%s", argument);
    vec_push(arena, &((struct dram_arguments *)into)->settings, argument);
    return NULL;
}

static const char *take_plot(struct arena *arena, void *into, const char *argument)
{
    ((struct dram_arguments *)into)->plot = argument;
    if (!strcmp(argument, "-") || dram_ends_in(argument, ".svg"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': its name ends in .svg", argument);
}

static const char *take_stats(struct arena *arena, void *into, const char *argument)
{
    (void)arena;
    ((struct dram_arguments *)into)->stats = argument ? argument : "-";
    return NULL;
}

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct dram_arguments *arguments = into;
    if (!argument)
        arguments->common.help = 1;
    else
        arguments->help_keys = options_topic(argument, "keys");
    return !argument || arguments->help_keys
               ? NULL
               : arena_printf(arena, "cannot be '%s': it is keys, or nothing", argument);
}

#define INTO(field) .offset = offsetof(struct dram_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option memory_options[] = {
    {"--config", "NAME|FILE.yaml", TEXT(config),
     .help = "the memory; without it all keys have their first values"},
    {"--set", "KEY=VALUE", CALL(take_set), .help = "give a key of the memory another value"},
    {"--print-config", NULL, FLAG(print_config, 1),
     .help = "print the memory as a file that can be read again"},
    {"--list-configs", NULL, FLAG(list_configs, 1),
     .help = "print the names of the configurations that are built in"},
    {0},
};

static const struct option request_options[] = {
    {"--pattern", "seq|random|one-bank|bank-rr", CHOICE(pattern, dram_pattern_names),
     .help = "consecutive addresses (this is usual), any of the memory,\n"
             "new rows of bank 0, new rows of one bank after the other"},
    {"--writes", "PART", CALL(take_writes), .help = "part of the requests that write, 0 to 1 (0)"},
    {"--load", "REQUESTS", CALL(take_load),
     .help = "that come in a clock, in the mean, to all channels\n"
             "together; without it there is always one more"},
    {"--sweep", "[=LOADS]", CALL(take_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS at parts of what the memory can answer"},
    {"--seed", "N", CALL(take_seed), .help = "of the random numbers (1)"},
    {"--warmup", "N", CALL(take_warmup), .help = "clocks before the measurement (1000)"},
    {"--cycles", "N", CALL(take_cycles), .help = "clocks of the measurement (1000000)"},
    {0},
};

static const struct option output_options[] = {
    {"--json", "FILE", TEXT(json), .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(csv), .help = "write them as a table, a line for each load"},
    {"--plot", "FILE.svg", CALL(take_plot),
     .help = "draw latency and what is answered over the load"},
    {"--trace", "FILE.json", TEXT(trace),
     .help = "write all commands as Chrome trace events, for Perfetto;\n"
             "some 100 bytes for a command: take few --cycles"},
    {"--stats", "[=FILE]", CALL(take_stats), .joined = true,
     .help = "write all statistics, as text or by the name as .json or\n"
             ".csv; without FILE to standard output"},
    {"--list-stats", NULL, FLAG(list_stats, 1), .help = "print their names and meanings"},
    {0},
};

static const struct option message_options[] = {
    {"-v", NULL, FLAG(common.verbose, 1), .help = "say what is done"},
    {"--color", "auto|always|never", CHOICE(common.colour, colour_names),
     .help = "auto: on a terminal, if NO_COLOR is not set"},
    {"--help", "[=keys]", CALL(take_help), .joined = true,
     .help = "print this, or the keys of configurations"},
    {"--version", NULL, FLAG(common.version, 1), .help = "print the version"},
    {0},
};

static const struct option_group groups[] = {
    {"The memory", memory_options},
    {"Requests and measurement", request_options},
    {"Output", output_options},
    {"Messages", message_options},
    {0},
};

const struct command dram_command = {
    .name = "ptxoffload-dram",
    .usage = "[--config=NAME|FILE.yaml] [--pattern=PATTERN] [--load=REQUESTS | --sweep] "
             "[OPTION]...",
    .about =
        "Measures a DRAM with its controllers under a pattern of requests: how many it answers\n"
        "and how late. Without an output the results are printed.\n",
    .groups = groups,
    .more = "Files are written whole or not at all.\n"
            "\n"
            "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage.\n",
};

// Checks

bool dram_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

static bool fault(FILE *errors, const char *text, const char *name)
{
    fprintf(errors, "%s: error: %s%s\n", dram_command.name, text, name);
    return false;
}

static bool check(const struct dram_arguments *a, const struct command_line *line, FILE *errors)
{
    if (line->operands.n)
        return fault(errors, "there are no operands, options begin with --: ", line->operands.v[0]);
    if (a->sweep && a->load >= 0)
        return fault(errors, "--load is one load, --sweep several: give one of the two", "");
    if (!a->sweep && a->plot)
        return fault(errors, "--plot draws latency over load and needs --sweep", "");
    if (a->sweep && (a->trace || a->stats))
        return fault(errors, a->trace ? "--trace" : "--stats",
                     " is of one measurement, --sweep makes several");
    return true;
}

static void name_standard_output(const char **path)
{
    if (*path && !strcmp(*path, "/dev/stdout"))
        *path = "-";
}

static bool read_line(struct dram_arguments *a, struct arena *arena, int argc, char *const *argv,
                      FILE *errors)
{
    struct response_line response = response_expand(arena, argc, argv);
    if (response.error)
        return fault(errors, response.error, "");
    struct command_line line = options_read(&dram_command, arena, (int)response.arguments.n,
                                            response.arguments.v, a, errors);
    const char **paths[] = {&a->json, &a->csv, &a->plot, &a->stats, &a->trace};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        name_standard_output(paths[i]);
    return !line.failed && check(a, &line, errors);
}

bool dram_arguments_read(struct dram_arguments *arguments, struct arena *arena, int argc,
                         char *const *argv, FILE *errors)
{
    *arguments = (struct dram_arguments){.seed = 1, .warmup = 1000, .cycles = 1000000, .load = -1};
    arguments->common.max_errors = -1;
    bool good = read_line(arguments, arena, argc, argv, errors);
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", dram_command.name);
    return good;
}
