#include "cli/measure/noc_options.h"
#include "cli/common/diagnostics_options.h"
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
        return arena_printf(arena, "cannot be '%s': it is a number of flits, such as 0.25",
                            argument);
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
    {"--config", "NAME|FILE.yaml", TEXT(measure.config), .file = OPTION_READS,
     .help = "the network; the default has the initial values of all keys"},
    {"--set", "KEY=VALUE", CALL(take_set), .help = "set a key of the network"},
    {"--print-config", NULL, FLAG(measure.print_config, 1),
     .help = "print the configuration as a file that can be read back"},
    {"--list-configs", NULL, FLAG(measure.list_configs, 1),
     .help = "print the names of the built-in configurations"},
    {0},
};

static const struct option traffic_options[] = {
    {"--traffic", "PATTERN", CALL(take_traffic),
     .help = "senders and their targets, see below (uniform)"},
    {"--flits", "N[:WEIGHT],...", CALL(take_flits),
     .help = "flits of a packet (1); a mix of sizes: 1,5 in equal numbers,\n"
             "1:3,5:1 with weights 3 and 1"},
    {"--load", "FLITS", CALL(take_load),
     .help = "mean number of flits that each sender creates per cycle"},
    {"--sweep", "[=LOADS]", CALL(take_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS it finds saturation and measures up to it"},
    {"--seed", "N", CALL(measure_take_seed), .help = "seed of the random numbers (1)"},
    {"--warmup", "N", CALL(measure_take_warmup), .help = "cycles before the measurement (10000)"},
    {"--cycles", "N", CALL(measure_take_cycles), .help = "cycles of the measurement (30000)"},
    {"--patience", "N", CALL(take_patience),
     .help = "cycles without any movement that count as no progress\n(10000)"},
    {"--shuffle", "SEED", CALL(take_shuffle),
     .help = "evaluate routers in another order; the results are the\nsame"},
    {0},
};

static const struct option output_options[] = {
    {"--json", "FILE", TEXT(measure.json), .file = OPTION_WRITES,
     .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(measure.csv), .file = OPTION_WRITES,
     .help = "write them as a table, a line for each load"},
    {"--plot", "FILE.svg|.html", CALL(take_plot), .file = OPTION_WRITES,
     .help = "plot latency and accepted load over the load; .html also\n"
             "has the channels and the numbers"},
    {"--heatmap", "FILE.svg", TEXT(heatmap), .file = OPTION_WRITES,
     .help = "plot the load of each channel; for a sweep at the highest\n"
             "stable load"},
    {"--stats", "FILE", TEXT(measure.stats), .file = OPTION_WRITES,
     .help =
         "write all statistics, as text, or by the suffix as .json or\n.csv; for a sweep as above"},
    {"--list-stats", NULL, FLAG(measure.list_stats, 1),
     .help = "print the names and meanings of the statistics"},
    {0},
};

static const struct option_group groups[] = {
    {"The network", network_options}, {"Traffic and measurement", traffic_options},
    {"Output", output_options},       {"Diagnostics", diagnostics_options},
    {"Messages", measure_messages},   {0},
};

static const struct option_example examples[] = {
    {"--config=mesh88_8vc_islip --sweep --plot=mesh.html", "plot latency over load"},
    {"--config=mesh88_8vc_islip --traffic=hotspot:0,63 --load=0.1",
     "measure one load of one pattern"},
    {"--config=mesh88_8vc_islip --set=noc.vcs=4 --print-config", "print a changed network"},
    {0},
};

const struct command noc_command = {
    .name = "ptxoffload-noc",
    .purpose = "measure a network under synthetic traffic",
    .examples = examples,
    .usage = "[--config=NAME|FILE.yaml] [--traffic=PATTERN] --load=FLITS | --sweep [OPTION]...",
    .about = "Measures a network under synthetic traffic: latency, accepted load, channels.\n"
             "Without an output option it prints the results.\n",
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
        return fault(errors, "unexpected operand: options begin with --");
    if (a->sweep && a->load >= 0)
        return fault(errors, "--load and --sweep exclude each other");
    if (!a->sweep && a->load < 0 && !only_tells(a))
        return fault(errors, "--load or --sweep is missing");
    if (!a->sweep && a->plot && measure_ends_in(a->plot, ".svg"))
        return fault(errors, "--plot needs --sweep; --heatmap does not");
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
