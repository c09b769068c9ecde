#include "cli/noc_options.h"
#include "cli/response.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOADS = 1000 };

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
    if (*argument < '0' || *argument > '9' || *end || errno || *value < least || *value > most)
        return arena_printf(arena, "cannot be '%s': it is a number from %llu to %llu", argument,
                            (unsigned long long)least, (unsigned long long)most);
    return NULL;
}

static bool read_load(const char **at, double *value)
{
    char *end;
    bool digit = (**at >= '0' && **at <= '9') || **at == '.';
    *value = strtod(*at, &end);
    bool good = digit && end != *at && isfinite(*value) && *value >= 0;
    *at = end;
    return good;
}

#define TAKE_UINT(name, least, most)                                                               \
    static const char *take_##name(struct arena *arena, void *into, const char *argument)          \
    {                                                                                              \
        return take_uint(arena, argument, least, most, &((struct noc_arguments *)into)->name);     \
    }
TAKE_UINT(seed, 0, UINT64_MAX)
TAKE_UINT(shuffle, 0, UINT64_MAX)
TAKE_UINT(cycles, 1, UINT64_C(1000000000000))
TAKE_UINT(warmup, 0, UINT64_C(1000000000000))
TAKE_UINT(patience, 1, UINT64_C(1000000000000))

static const char *take_load(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (!read_load(&at, &((struct noc_arguments *)into)->load) || *at)
        return arena_printf(arena, "cannot be '%s': it is a number of flits, as 0.25", argument);
    return NULL;
}

// FROM:TO:STEP; the last load may miss TO by the rounding of the steps.
static bool take_range(struct noc_arguments *a, struct arena *arena, double from, const char *at)
{
    double to, step;
    at++;
    if (!read_load(&at, &to) || *at++ != ':' || !read_load(&at, &step) || *at || step <= 0 ||
        to < from || (to - from) / step > MOST_LOADS)
        return false;
    for (int i = 0; from + i * step <= to + step * 1e-6; i++)
        vec_push(arena, &a->loads, round((from + i * step) * 1e9) / 1e9);
    return true;
}

static const char *take_sweep(struct arena *arena, void *into, const char *argument)
{
    struct noc_arguments *a = into;
    a->sweep = 1;
    a->loads.n = 0;
    for (const char *at = argument; at; at++) {
        double load;
        bool good = read_load(&at, &load);
        if (good && *at == ':' && !a->loads.n && take_range(a, arena, load, at))
            return NULL;
        if (!good || (*at && *at != ',') || a->loads.n >= MOST_LOADS)
            return arena_printf(arena,
                                "cannot be '%s': loads are written as 0.1,0.2,0.3 or FROM:TO:STEP",
                                argument);
        vec_push(arena, &a->loads, load);
        if (!*at)
            return NULL;
    }
    return NULL;
}

// Texts

static const char *take_set(struct arena *arena, void *into, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return arena_printf(arena, "cannot be '%s': it is KEY=VALUE", argument);
    // There is one section only, so its name can be left out.
    if (!memchr(argument, '.', (size_t)(equals - argument)))
        argument = arena_printf(arena, "noc.%s", argument);
    vec_push(arena, &((struct noc_arguments *)into)->settings, argument);
    return NULL;
}

static const char *take_traffic(struct arena *arena, void *into, const char *argument)
{
    struct noc_arguments *a = into;
    a->traffic_text = argument;
    const char *wrong = traffic_read(&a->traffic, arena, argument);
    return wrong ? arena_printf(arena, "is wrong: %s", wrong) : NULL;
}

static const char *take_flits(struct arena *arena, void *into, const char *argument)
{
    const char *wrong = traffic_read_sizes(&((struct noc_arguments *)into)->flits, arena, argument);
    return wrong ? arena_printf(arena, "cannot be '%s': %s", argument, wrong) : NULL;
}

static const char *take_plot(struct arena *arena, void *into, const char *argument)
{
    ((struct noc_arguments *)into)->plot = argument;
    if (noc_ends_in(argument, ".svg") || noc_ends_in(argument, ".html"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': its name ends in .svg or .html", argument);
}

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct noc_arguments *arguments = into;
    if (!argument)
        arguments->common.help = 1;
    else
        arguments->help_keys = options_topic(argument, "keys");
    return !argument || arguments->help_keys
               ? NULL
               : arena_printf(arena, "cannot be '%s': it is keys, or nothing", argument);
}

#define INTO(field) .offset = offsetof(struct noc_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option network_options[] = {
    {"--config", "NAME|FILE.yaml", TEXT(config),
     .help = "the network; without it all keys have their first values"},
    {"--set", "KEY=VALUE", CALL(take_set), .help = "give a key of the network another value"},
    {"--print-config", NULL, FLAG(print_config, 1),
     .help = "print the network as a file that can be read again"},
    {"--list-configs", NULL, FLAG(list_configs, 1),
     .help = "print the names of the configurations that are built in"},
    {0},
};

static const struct option traffic_options[] = {
    {"--traffic", "PATTERN", CALL(take_traffic), .help = "who sends to whom, see below (uniform)"},
    {"--flits", "N[:WEIGHT],...", CALL(take_flits),
     .help = "flits of a packet (1); several: 1,5 as many of each,\n"
             "1:3,5:1 three of one for one of five"},
    {"--load", "FLITS", CALL(take_load),
     .help = "flits that each sender creates per cycle, in the mean"},
    {"--sweep", "[=LOADS]", CALL(take_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS at loads up to saturation, which is found"},
    {"--seed", "N", CALL(take_seed), .help = "of the random numbers (1)"},
    {"--warmup", "N", CALL(take_warmup), .help = "cycles before the measurement (10000)"},
    {"--cycles", "N", CALL(take_cycles), .help = "cycles of the measurement, after these (30000)"},
    {"--patience", "N", CALL(take_patience),
     .help = "cycles without any movement that are no progress (10000)"},
    {"--shuffle", "SEED", CALL(take_shuffle),
     .help = "evaluate routers in another order; the results are the\nsame"},
    {0},
};

static const struct option output_options[] = {
    {"--json", "FILE", TEXT(json), .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(csv), .help = "write them as a table, a line for each load"},
    {"--plot", "FILE.svg|.html", CALL(take_plot),
     .help = "draw latency and accepted load over the load; .html also\n"
             "has the channels and the numbers"},
    {"--heatmap", "FILE.svg", TEXT(heatmap),
     .help = "draw how much each channel carries; of a sweep: at the\n"
             "highest load that the network bears"},
    {"--stats", "FILE", TEXT(stats),
     .help = "write all statistics, as text or by the name as .json or\n.csv; of a sweep as above"},
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
    {"The network", network_options},
    {"Traffic and measurement", traffic_options},
    {"Output", output_options},
    {"Messages", message_options},
    {0},
};

const struct command noc_command = {
    .name = "ptxoffload-noc",
    .usage = "[--config=NAME|FILE.yaml] [--traffic=PATTERN] --load=FLITS | --sweep [OPTION]...",
    .about = "Measures a network under synthetic traffic: latency, accepted load, channels.\n"
             "Without an output the results are printed.\n",
    .groups = groups,
    .more = "Patterns:\n"
#define TRAFFIC(name, list, bind, help) help
#include "tools/noc/traffic.def"
            "Places are the nodes, from 0; N,... is written as 3,7 or 0-5.\n"
            "\n"
            "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage, 4 no progress.\n",
};

// Checks

bool noc_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

static bool fault(FILE *errors, const char *text)
{
    fprintf(errors, "%s: error: %s\n", noc_command.name, text);
    return false;
}

static bool only_tells(const struct noc_arguments *a)
{
    return a->common.help || a->common.version || a->help_keys || a->print_config ||
           a->list_stats || a->list_configs;
}

static bool check_loads(const struct noc_arguments *a, FILE *errors)
{
    double most = a->load;
    for (uint32_t i = 0; i < a->loads.n; i++)
        most = fmax(most, a->loads.v[i]);
    return most <= a->flits.mean ||
           fault(errors,
                 "a sender creates at most one packet per cycle: --load is at most --flits");
}

static bool check(const struct noc_arguments *a, const struct command_line *line, FILE *errors)
{
    if (line->operands.n)
        return fault(errors, "there are no operands: options begin with --");
    if (a->sweep && a->load >= 0)
        return fault(errors, "--load is one load, --sweep several: give one of the two");
    if (!a->sweep && a->load < 0 && !only_tells(a))
        return fault(errors, "--load is missing, or --sweep for several loads");
    if (!a->sweep && a->plot && noc_ends_in(a->plot, ".svg"))
        return fault(errors,
                     "--plot draws latency over load and needs --sweep; --heatmap does not");
    return check_loads(a, errors);
}

static void name_standard_output(const char **path)
{
    if (*path && !strcmp(*path, "/dev/stdout"))
        *path = "-";
}

static bool read_line(struct noc_arguments *a, struct arena *arena, int argc, char *const *argv,
                      FILE *errors)
{
    struct response_line response = response_expand(arena, argc, argv);
    if (response.error)
        return fault(errors, response.error);
    struct command_line line = options_read(&noc_command, arena, (int)response.arguments.n,
                                            response.arguments.v, a, errors);
    name_standard_output(&a->json);
    name_standard_output(&a->csv);
    name_standard_output(&a->stats);
    return !line.failed && check(a, &line, errors);
}

bool noc_arguments_read(struct noc_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors)
{
    *arguments = (struct noc_arguments){.seed = 1,
                                        .cycles = 30000,
                                        .warmup = 10000,
                                        .patience = 10000,
                                        .load = -1,
                                        .traffic_text = "uniform"};
    arguments->common.max_errors = -1;
    traffic_read(&arguments->traffic, arena, arguments->traffic_text);
    traffic_read_sizes(&arguments->flits, arena, "1");
    bool good = read_line(arguments, arena, argc, argv, errors);
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", noc_command.name);
    return good;
}
