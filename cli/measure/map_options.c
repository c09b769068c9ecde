#include "cli/measure/map_options.h"

#define OPTIONS_OF struct map_arguments

static const struct option hardware_options[] = {
    {"--copies", "N", NUMBER(copies, 1, 1024),
     .help = "copies of the map (default: as many as fit)"},
    {0},
};

static const struct option output_options[] = {
    {"--plot", "FILE.svg|.html", TEXT(measure.plot), .call = measure_check_picture,
     .file = OPTION_WRITES,
     .help = "draw the map, its placement and its lanes; .svg shows only\n"
             "the placement"},
    {"--rewrite", "FILE", TEXT(rewrite), .file = OPTION_WRITES,
     .help = "write the map as text, with all defaults"},
    {0},
};

static const struct option_group groups[] = {
    {"The hardware", measure_set_options},
    {"", hardware_options},
    {"Output", output_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", message_options},
    {"", measure_help_options},
    {0},
};

static const struct option_example examples[] = {
    {"samples/conv/conv.map.yaml", "rate and place a map"},
    {"samples/conv/conv.map.yaml --plot=conv.html", "draw it as a page"},
    {0},
};

const struct command map_command = {
    .name = "ptxoffload-map",
    .purpose = "check, rate and place maps for spatial hardware",
    .examples = examples,
    .usage = "FILE.map.yaml [OPTION]...",
    .about = "Checks a map for spatial hardware, rates it, and places it on the ring of cores.\n"
             "Without an output option it prints the report.\n",
    .groups = groups,
    .more = "Files are written atomically.\n"
            "\n"
            "Exit code: 0 success, 1 bad input, a map that does not fit, or a file that cannot be\n"
            "read or written, 2 bad usage.\n",
};

bool map_options_check(void *arguments, struct command_line *line)
{
    struct measure_arguments *a = arguments;
    if (!common_options_check(line, &a->common))
        return false;
    if (line->operands.n > 1)
        return options_fault(line, "unexpected operand: %s", line->operands.v[1]);
    a->common.input = line->operands.n ? line->operands.v[0] : NULL;
    return a->common.input || options_fault(line, "missing map file");
}
