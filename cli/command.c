#include "cli/command.h"
#include <string.h>

static const char *const emit_names[] = {
    [PRODUCT_PTX] = "ptx",
    [PRODUCT_META] = "meta",
    [PRODUCT_IR] = "ir",
    [PRODUCT_DOT] = "dot",
    NULL,
};
static const char *const tag_names[] = {
    [TAGS_PRAGMA] = "pragma",
    [TAGS_COMMENT] = "comment",
    [TAGS_PAPER] = "paper",
    [TAGS_NONE] = "none",
    NULL,
};
static const char *const cost_names[] = {[COST_TOM] = "tom", NULL};
static const char *const costs_to_come[] = {"refined", NULL};
static const char *const fma_names[] = {[FMA_FUSED] = "fused", [FMA_SPLIT] = "split", NULL};
static const char *const report_names[] = {
    [REPORT_TEXT] = "text",
    [REPORT_JSON] = "json",
    NULL,
};
static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

static const char *take_report(struct arena *arena, void *into, const char *argument)
{
    struct arguments *arguments = into;
    size_t length = strcspn(argument, ":");
    int format = options_choice(report_names, argument, length);
    if (format < 0)
        return arena_printf(arena, "cannot be '%.*s': it is %s", (int)length, argument,
                            options_list(arena, report_names));
    const char *path = argument[length] ? argument + length + 1 : NULL;
    if (path && !*path)
        return arena_printf(arena, "needs a file behind '%s'", argument);
    arguments->reports[format] = (struct report_wish){true, path};
    return NULL;
}

static const char *take_pass(struct arena *arena, const char *name, const struct pass **pass)
{
    *pass = pass_find(name);
    if (*pass)
        return NULL;
    return arena_printf(arena, "does not know a pass '%s': --print-passes lists them", name);
}

static const char *take_print_after(struct arena *arena, void *into, const char *argument)
{
    return take_pass(arena, argument, &((struct arguments *)into)->print_after);
}

static const char *take_stop_after(struct arena *arena, void *into, const char *argument)
{
    return take_pass(arena, argument, &((struct arguments *)into)->stop_after);
}

#define INTO(field) .offset = offsetof(struct arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define SET(field, names) .kind = OPTION_SET, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option output_options[] = {
    {"-o", "OUT", TEXT(output), .help = "write the PTX there; '-' is standard output"},
    {"--metadata", "FILE", TEXT(metadata), .help = "write what was decided as JSON"},
    {"--report", "text|json[:FILE]", CALL(take_report),
     .help = "report what was found, on standard output unless :FILE"},
    {"--emit", "ptx,meta,ir,dot", SET(emit, emit_names),
     .help = "write one or more of these, each to OUT with its suffix\n"
             "replaced: the PTX (.ptx), the metadata (.json), PTX with\n"
             "the analyses in comments (.ir), flow graphs for Graphviz\n"
             "(.dot)"},
    {"--tags", "pragma|comment|paper|none", CHOICE(tags, tag_names),
     .help = "how instructions are marked in the PTX: by directives\n"
             "(the default), in comments, as printed in the paper (for\n"
             "reading only), or not at all"},
    {"--strip", NULL, FLAG(strip, 1), .help = "take the tags out of IN; no analysis"},
    {"--format", NULL, FLAG(format, 1),
     .help = "write IN in canonical form: one statement a line,\n"
             "indented, comments kept; no analysis"},
    {0},
};

static const struct option input_options[] = {
    {"--list", NULL, FLAG(list, 1),
     .help = "list the modules of a program, object, library, fatbin or\n"
             "cubin (with --report=json as JSON); nothing else is done"},
    {"--module", "N", TEXT(module), .help = "take this module of the list"},
    {"--arch", "sm_N", TEXT(arch), .help = "take the module for this architecture"},
    {0},
};

static const struct option analysis_options[] = {
    {"--no-reorder", NULL, FLAG(reorder, 0),
     .help = "leave every instruction where it is; with --tags=none OUT\n"
             "equals IN byte for byte"},
    {"--cost", "tom", CHOICE(cost, cost_names), .later = costs_to_come,
     .help = "how candidate blocks are judged: as in the TOM paper"},
    {"--fma", "fused|split", CHOICE(fma, fma_names),
     .help = "leave fused multiply-adds as they are (the default), or\n"
             "divide those whose multiplication can be offloaded, which\n"
             "changes rounding"},
    {0},
};

static const struct option message_options[] = {
    {"--check", NULL, FLAG(check, 1), .help = "say what is wrong with IN, write nothing"},
    {"-w", NULL, FLAG(quiet, 1), .help = "no warnings"},
    {"-Werror", NULL, FLAG(werror, 1), .help = "warnings are errors"},
    {"-v", NULL, FLAG(verbose, 1), .help = "say what is done, and show all errors and warnings"},
    {"--color", "auto|always|never", CHOICE(colour, colour_names),
     .help = "auto: on a terminal, if NO_COLOR is not set"},
    {"--help", NULL, FLAG(help, 1), .help = "print this"},
    {"--version", NULL, FLAG(version, 1), .help = "print the version"},
    {0},
};

static const struct option inside_options[] = {
    {"--print-passes", NULL, FLAG(print_passes, 1), .help = "list the passes in their order"},
    {"--print-after", "PASS", CALL(take_print_after),
     .help = "print the program and the plan as they are then, on\nstandard error"},
    {"--stop-after", "PASS", CALL(take_stop_after), .help = "run no pass behind this one"},
    {"--time-passes", NULL, FLAG(time_passes, 1),
     .help = "print the CPU time of each step, on standard error"},
    {"--validate", NULL, FLAG(validate, 1),
     .help = "check the internal program after each pass, as builds for\n"
             "debugging always do"},
    {0},
};

static const struct option_group groups[] = {
    {"Output", output_options},
    {"Input", input_options},
    {"Analysis", analysis_options},
    {"Messages", message_options},
    {"Looking inside", inside_options},
    {0},
};

const struct command ptxoffload_command = {
    .name = "ptxoffload",
    .usage = "IN [-o OUT] [OPTION]...",
    .about = "Finds instructions in PTX that could run near the data they use, marks them, and\n"
             "tells what it found. IN is a PTX text, or a program, object or library with\n"
             "PTX in it; '-' is PTX text from standard input. Without -o and --metadata it\n"
             "only reports.\n",
    .groups = groups,
    .more = "An option's argument may also stand behind it: --metadata FILE. OUT may be IN.\n"
            "If standard output is taken by OUT or FILE, the report goes to standard error.\n"
            "\n"
            "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage. Files are written whole or not at all.\n",
};
