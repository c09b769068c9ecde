#include "cli/measure/noc_options.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const struct measure_limits limits = {.max = DBL_MAX};

// Numbers

static const char *parse_load(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (!measure_read_real(&at, limits.max, &((struct measure_arguments *)into)->load) || *at)
        return arena_printf(arena, "cannot be '%s': expected a number of flits, such as 0.25",
                            argument);
    return NULL;
}

static const char *parse_sweep(struct arena *arena, void *into, const char *argument)
{
    return measure_parse_sweep(arena, into, &limits, argument);
}

// Texts

static const char *parse_traffic(struct arena *arena, void *into, const char *argument)
{
    struct noc_arguments *a = into;
    a->traffic_text = argument;
    const char *wrong = traffic_read(&a->traffic, arena, argument);
    return wrong ? arena_printf(arena, "is invalid: %s", wrong) : NULL;
}

static const char *parse_flits(struct arena *arena, void *into, const char *argument)
{
    const char *wrong = traffic_read_sizes(&((struct noc_arguments *)into)->flits, arena, argument);
    return wrong ? arena_printf(arena, "cannot be '%s': %s", argument, wrong) : NULL;
}

#define OPTIONS_OF struct noc_arguments

static const struct option traffic_options[] = {
    {"--traffic", "PATTERN", CALL(parse_traffic),
     .help = "senders and their targets, see below (uniform)"},
    {"--trace-in", "FILE", TEXT(measure.trace_in), .file = OPTION_READS,
     .help = "take the packets from a trace, up to the last arrival: lines\n"
             "of CYCLE SOURCE TARGET FLITS [CLASS]; '-' is standard input"},
    {"--flits", "N[:WEIGHT],...", CALL(parse_flits),
     .help = "flits of a packet (1); a mix of sizes: 1,5 in equal numbers,\n"
             "1:3,5:1 with weights 3 and 1"},
    {"--load", "FLITS", CALL(parse_load),
     .help = "mean number of flits that each sender creates per cycle"},
    {"--sweep", "[=LOADS]", CALL(parse_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS, find saturation and measure up to it"},
    {"--seed", "N", NUMBER(measure.seed, 0, UINT64_MAX), .help = "seed of the random numbers (1)"},
    {"--warmup", "N", NUMBER(measure.warmup, 0, MAX_CYCLES),
     .help = "cycles before the measurement (10000)"},
    {"--cycles", "N", NUMBER(measure.cycles, 1, MAX_CYCLES),
     .help = "cycles of the measurement (30000)"},
    {"--patience", "N", NUMBER(patience, 1, MAX_CYCLES),
     .help = "cycles without movement after which there is no progress\n(10000)"},
    {"--shuffle", "SEED", NUMBER(shuffle, 0, UINT64_MAX),
     .help = "evaluate routers in another order; the results are the\nsame"},
    {0},
};

static const struct option plot_options[] = {
    {"--plot", "FILE.svg|.html", TEXT(measure.plot), .call = measure_check_picture,
     .file = OPTION_WRITES,
     .help = "plot latency and accepted load over the load; .html also\n"
             "shows the channels and the numbers"},
    {"--latencies", "FILE.csv", TEXT(measure.latencies), .file = OPTION_WRITES,
     .help = "write the latency of each packet of --trace-in"},
    {"--heatmap", "FILE.svg", TEXT(heatmap), .call = measure_check_svg, .file = OPTION_WRITES,
     .help = "plot the load of each channel; for a sweep this and --stats\n"
             "show the highest stable load"},
    {0},
};

static const struct option_group groups[] = {
    {"The network", measure_config_options},
    {"", measure_set_options},
    {"Traffic and measurement", traffic_options},
    {"Output", measure_output_options},
    {"", plot_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", message_options},
    {"", measure_help_options},
    {0},
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
    .usage = "[--config=NAME|FILE] [--traffic=PATTERN] --load=FLITS | --sweep | "
             "--trace-in=FILE [OPTION]...",
    .about = "Measures a network under synthetic traffic: latency, accepted load, channels.\n"
             "Without an output option it prints the results.\n",
    .groups = groups,
    .more = "Patterns:\n"
#define TRAFFIC(name, list, bind, help) help
#include "tools/noc/traffic.def"
            "Places are the nodes, from 0; N,... is written as 3,7 or 0-5.\n"
            "\n"
            "Exit code: 0 success, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage, 4 no progress.\n",
};

// Checks

static bool check_loads(const struct noc_arguments *a, struct command_line *line)
{
    double max = a->measure.load;
    for (uint32_t i = 0; i < a->measure.loads.n; i++)
        max = fmax(max, a->measure.loads.v[i]);
    return max <= a->flits.mean ||
           options_fault(line, "a sender creates at most one packet per cycle: --load is at most "
                               "--flits");
}

bool noc_options_check(void *arguments, struct command_line *line)
{
    const struct measure_arguments *a = arguments;
    if (!common_options_check(line, &a->common))
        return false;
    if (line->operands.n)
        return options_fault(line, "unexpected operand: options begin with --");
    if (a->sweep && a->load >= 0)
        return options_fault(line, "--load and --sweep exclude each other");
    if (!measure_check_trace(line, a))
        return false;
    if (!a->sweep && !a->trace_in && a->load < 0)
        return options_fault(line, "missing --load, --sweep or --trace-in");
    if (!a->sweep && a->plot && !measure_ends_in(a->plot, ".html"))
        return options_fault(line, "--plot needs --sweep; --heatmap does not");
    return check_loads(arguments, line);
}

void noc_options_default(void *into, struct arena *arena)
{
    struct noc_arguments *arguments = into;
    arguments->measure.seed = 1;
    arguments->measure.cycles = 30000;
    arguments->measure.warmup = arguments->patience = 10000;
    arguments->measure.load = -1;
    arguments->traffic_text = "uniform";
    traffic_read(&arguments->traffic, arena, arguments->traffic_text);
    traffic_read_sizes(&arguments->flits, arena, "1");
}
