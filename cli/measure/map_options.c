#include "cli/measure/map_options.h"
#include "cli/common/diagnostics_options.h"
#include <string.h>

static const char *take_set(struct arena *arena, void *into, const char *argument)
{
    return measure_take_set(arena, into, "spatial", argument);
}

static const char *take_copies(struct arena *arena, void *into, const char *argument)
{
    return measure_take_uint(arena, argument, 1, 1024, &((struct map_arguments *)into)->copies);
}

static const char *take_plot(struct arena *arena, void *into, const char *argument)
{
    ((struct measure_arguments *)into)->plot = argument;
    if (!strcmp(argument, "-") || measure_ends_in(argument, ".svg") ||
        measure_ends_in(argument, ".html"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': its name ends in .svg or .html", argument);
}

#define INTO(field) .offset = offsetof(struct map_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option hardware_options[] = {
    {"--set", "KEY=VALUE", CALL(take_set), .help = "set a key of the hardware"},
    {"--print-config", NULL, FLAG(measure.print_config, 1),
     .help = "print the configuration as a file that can be read back"},
    {"--copies", "N", CALL(take_copies), .help = "copies of the map; as many as fit without it"},
    {0},
};

static const struct option output_options[] = {
    {"--plot", "FILE.svg|.html", CALL(take_plot), .file = OPTION_WRITES,
     .help = "draw the map, its placement and its lanes; .svg has the\n"
             "placement only"},
    {"--rewrite", "FILE", TEXT(rewrite), .file = OPTION_WRITES,
     .help = "write the map as text, with all defaults"},
    {0},
};

static const struct option_group groups[] = {
    {"The hardware", hardware_options},
    {"Output", output_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", measure_messages},
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
            "Exit code: 0 done, 1 bad input, a map that does not fit, or a file that cannot be\n"
            "read or written, 2 bad usage.\n",
};

static bool check(struct measure_arguments *a, const struct command_line *line, FILE *errors)
{
    struct map_arguments *own = (struct map_arguments *)a;
    bool explains = a->common.help || a->common.version || a->help_keys || a->print_config;
    measure_name_output(&own->rewrite);
    if (line->operands.n > 1)
        return measure_fault(&map_command, errors, "unexpected operand: ", line->operands.v[1]);
    if (!line->operands.n && !explains)
        return measure_fault(&map_command, errors, "a map is missing", "");
    own->input = line->operands.n ? line->operands.v[0] : NULL;
    return true;
}

bool map_arguments_read(struct map_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors)
{
    *arguments = (struct map_arguments){0};
    return measure_arguments_read(&map_command, &arguments->measure, arena, argc, argv, check,
                                  errors);
}
