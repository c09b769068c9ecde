#include "cli/measure/dram_options.h"
#include "tools/dram/dram_drive.h"

static const struct measure_limits limits = {.max = 64, .above_zero = true};

const char *const dram_pattern_names[] = {
    [DRAM_SEQ] = "seq",
    [DRAM_RANDOM] = "random",
    [DRAM_ONE_BANK] = "one-bank",
    [DRAM_BANK_RR] = "bank-rr",
    NULL,
};

// Numbers

static const char *parse_writes(struct arena *arena, void *into, const char *argument)
{
    const char *at = argument;
    if (measure_read_real(&at, 1, &((struct dram_arguments *)into)->writes) && !*at)
        return NULL;
    return arena_printf(arena, "cannot be '%s': expected a fraction of the requests, from 0 to 1",
                        argument);
}

static const char *parse_load(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    const char *at = argument;
    if (measure_read_real(&at, limits.max, &a->load) && !*at && a->load > 0)
        return NULL;
    return arena_printf(arena, "cannot be '%s': expected a number of requests, such as 0.25",
                        argument);
}

static const char *parse_sweep(struct arena *arena, void *into, const char *argument)
{
    return measure_parse_sweep(arena, into, &limits, argument);
}

#define OPTIONS_OF struct dram_arguments

static const struct option request_options[] = {
    {"--pattern", "seq|random|one-bank|bank-rr", ONE_OF(pattern, dram_pattern_names),
     .help = "consecutive addresses (the default), random addresses, new\n"
             "rows of bank 0, new rows of all banks in turn"},
    {"--trace-in", "FILE", TEXT(measure.trace_in), .file = OPTION_READS,
     .help = "take the requests from a trace, up to its last reply: lines\n"
             "of CYCLE ADDRESS R|W [BYTES], or without cycles R|W ADDRESS\n"
             "as Ramulator's; '-' is standard input"},
    {"--writes", "PART", CALL(parse_writes), .help = "fraction of writes, 0 to 1 (0)"},
    {"--load", "REQUESTS", CALL(parse_load),
     .help = "mean number of requests per clock, for all channels together;\n"
             "by default the queues are always full"},
    {"--sweep", "[=LOADS]", CALL(parse_sweep), .joined = true,
     .help = "measure at several loads, 0.1,0.2,0.3 or FROM:TO:STEP;\n"
             "without LOADS at fractions of the maximum"},
    {"--seed", "N", NUMBER(measure.seed, 0, UINT64_MAX), .help = "seed of the random numbers (1)"},
    {"--warmup", "N", NUMBER(measure.warmup, 0, MAX_CYCLES),
     .help = "clocks before the measurement (1000)"},
    {"--cycles", "N", NUMBER(measure.cycles, 1, MAX_CYCLES),
     .help = "clocks of the measurement (1000000)"},
    {0},
};

static const struct option picture_options[] = {
    {"--plot", "FILE.svg", TEXT(measure.plot), .call = measure_check_svg, .file = OPTION_WRITES,
     .help = "plot latency and served requests over the load"},
    {"--latencies", "FILE.csv", TEXT(measure.latencies), .file = OPTION_WRITES,
     .help = "write the latency of each request of --trace-in"},
    {"--trace", "FILE.json", TEXT(trace), .file = OPTION_WRITES,
     .help = "write all commands as Chrome trace events, for Perfetto;\n"
             "about 100 bytes per command, so use few --cycles"},
    {0},
};

static const struct option_group groups[] = {
    {"The memory", measure_config_options},
    {"", measure_set_options},
    {"Requests and measurement", request_options},
    {"Output", measure_output_options},
    {"", picture_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", message_options},
    {"", measure_help_options},
    {0},
};

static const struct option_example examples[] = {
    {"--config=gddr5_isca19 --pattern=random --writes=0.3", "measure the throughput of a mix"},
    {"--config=hbm2 --trace-in=loads.trace --latencies=loads.csv", "replay a trace"},
    {"--config=gddr5_isca19 --sweep --plot=gddr5.svg", "plot latency over load"},
    {0},
};

const struct command dram_command = {
    .name = "ptxoffload-dram",
    .purpose = "measure a DRAM with its controllers",
    .examples = examples,
    .usage =
        "[--config=NAME|FILE] [--pattern=PATTERN] [--load=REQUESTS | --sweep | --trace-in=FILE] "
        "[OPTION]...",
    .about =
        "Measures the throughput and latency of a DRAM with its controllers under a pattern of\n"
        "requests. Without an output option it prints the results.\n",
    .groups = groups,
    .more = "Files are written atomically.\n"
            "\n"
            "Exit code: 0 success, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage.\n",
};

bool dram_options_check(void *arguments, struct command_line *line)
{
    const struct dram_arguments *own = arguments;
    const struct measure_arguments *a = arguments;
    if (!common_options_check(line, &a->common))
        return false;
    if (line->operands.n)
        return options_fault(line, "unexpected operand (options begin with --): %s",
                             line->operands.v[0]);
    if (a->sweep && a->load >= 0)
        return options_fault(line, "--load and --sweep exclude each other");
    if (!measure_check_trace(line, a))
        return false;
    if (!a->sweep && a->plot)
        return options_fault(line, "--plot needs --sweep");
    if (a->sweep && (own->trace || a->stats))
        return options_fault(line, "%s needs a single measurement and excludes --sweep",
                             own->trace ? "--trace" : "--stats");
    return true;
}

void dram_options_default(void *into, struct arena *arena)
{
    struct measure_arguments *a = into;
    (void)arena;
    a->seed = 1;
    a->warmup = 1000;
    a->cycles = 1000000;
    a->load = -1;
}
