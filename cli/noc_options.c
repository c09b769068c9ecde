#include "cli/noc_options.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const struct measure_limits limits = {.most = DBL_MAX};

// Numbers

#define TAKE_UINT(name, least, most)                                                               \
    static const char *take_##name(struct arena *arena, void *into, const char *argument)          \
    {                                                                                              \
        return measure_take_uint(arena, argument, least, most,                                     \
                                 &((struct noc_arguments *)into)->name);                           \
    }
TAKE_UINT(shuffle, 0, UINT64_MAX)
TAKE_UINT(patience, 1, UINT64_C(1000000000000))

static const char *take_load(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (!measure_read_real(&at, limits.most, &((struct measure_arguments *)into)->load) || *at)
        return arena_printf(arena, "cannot be '%s': it is a number of flits, as 0.25", argument);
    return NULL;
}

static const char *take_sweep(struct arena *arena, void *into, const char *argument)
{
    return measure_take_sweep(arena, into, &limits, argument);
}

// Texts

static const char *take_set(struct arena *arena, void *into, const char *argument)
{
    return measure_take_set(arena, into, "noc", argument);
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
    ((struct measure_arguments *)into)->plot = argument;
    if (measure_ends_in(argument, ".svg") || measure_ends_in(argument, ".html"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': its name ends in .svg or .html", argument);
}

#define INTO(field) .offset = offsetof(struct noc_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option network_options[] = {
    {"--config", "NAME|FILE.yaml", TEXT(measure.config),
     .help = "the network; without it all keys have their first values"},
    {"--set", "KEY=VALUE", CALL(take_set), .help = "give a key of the network another value"},
    {"--print-config", NULL, FLAG(measure.print_config, 1),
     .help = "print the network as a file that can be read again"},
    {"--list-configs", NULL, FLAG(measure.list_configs, 1),
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
    {"--seed", "N", CALL(measure_take_seed), .help = "of the random numbers (1)"},
    {"--warmup", "N", CALL(measure_take_warmup), .help = "cycles before the measurement (10000)"},
    {"--cycles", "N", CALL(measure_take_cycles),
     .help = "cycles of the measurement, after these (30000)"},
    {"--patience", "N", CALL(take_patience),
     .help = "cycles without any movement that are no progress (10000)"},
    {"--shuffle", "SEED", CALL(take_shuffle),
     .help = "evaluate routers in another order; the results are the\nsame"},
    {0},
};

static const struct option output_options[] = {
    {"--json", "FILE", TEXT(measure.json), .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(measure.csv), .help = "write them as a table, a line for each load"},
    {"--plot", "FILE.svg|.html", CALL(take_plot),
     .help = "draw latency and accepted load over the load; .html also\n"
             "has the channels and the numbers"},
    {"--heatmap", "FILE.svg", TEXT(heatmap),
     .help = "draw how much each channel carries; of a sweep: at the\n"
             "highest load that the network bears"},
    {"--stats", "FILE", TEXT(measure.stats),
     .help = "write all statistics, as text or by the name as .json or\n.csv; of a sweep as above"},
    {"--list-stats", NULL, FLAG(measure.list_stats, 1), .help = "print their names and meanings"},
    {0},
};

static const struct option_group groups[] = {
    {"The network", network_options},
    {"Traffic and measurement", traffic_options},
    {"Output", output_options},
    {"Messages", measure_messages},
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

static bool fault(FILE *errors, const char *text)
{
    return measure_fault(&noc_command, errors, text, "");
}

static bool only_tells(const struct measure_arguments *a)
{
    return a->common.help || a->common.version || a->help_keys || a->print_config ||
           a->list_stats || a->list_configs;
}

static bool check_loads(const struct noc_arguments *a, FILE *errors)
{
    double most = a->measure.load;
    for (uint32_t i = 0; i < a->measure.loads.n; i++)
        most = fmax(most, a->measure.loads.v[i]);
    return most <= a->flits.mean ||
           fault(errors,
                 "a sender creates at most one packet per cycle: --load is at most --flits");
}

static bool check(struct measure_arguments *a, const struct command_line *line, FILE *errors)
{
    if (line->operands.n)
        return fault(errors, "there are no operands: options begin with --");
    if (a->sweep && a->load >= 0)
        return fault(errors, "--load is one load, --sweep several: give one of the two");
    if (!a->sweep && a->load < 0 && !only_tells(a))
        return fault(errors, "--load is missing, or --sweep for several loads");
    if (!a->sweep && a->plot && measure_ends_in(a->plot, ".svg"))
        return fault(errors,
                     "--plot draws latency over load and needs --sweep; --heatmap does not");
    return check_loads((const struct noc_arguments *)a, errors);
}

bool noc_arguments_read(struct noc_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors)
{
    *arguments =
        (struct noc_arguments){.measure = {.seed = 1, .cycles = 30000, .warmup = 10000, .load = -1},
                               .patience = 10000,
                               .traffic_text = "uniform"};
    traffic_read(&arguments->traffic, arena, arguments->traffic_text);
    traffic_read_sizes(&arguments->flits, arena, "1");
    return measure_arguments_read(&noc_command, &arguments->measure, arena, argc, argv, check,
                                  errors);
}
