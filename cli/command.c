#include "cli/command.h"
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const char *const emit_names[] = {
    [PRODUCT_PTX] = "ptx", [PRODUCT_META] = "meta", [PRODUCT_ELF] = "elf",
    [PRODUCT_IR] = "ir",   [PRODUCT_DOT] = "dot",   NULL,
};
static const char *const tag_names[] = {
    [TAGS_PRAGMA] = "pragma",
    [TAGS_COMMENT] = "comment",
    [TAGS_PAPER] = "paper",
    [TAGS_NONE] = "none",
    NULL,
};
static const char *const cost_names[] = {[COST_TOM] = "tom", [COST_REFINED] = "refined", NULL};
static const char *const fma_names[] = {[FMA_FUSED] = "fused", [FMA_SPLIT] = "split", NULL};
static const char *const report_names[] = {
    [REPORT_TEXT] = "text",
    [REPORT_JSON] = "json",
    [REPORT_HTML] = "html",
    NULL,
};
static const char *const diagnostics_names[] = {
    [DIAGNOSTICS_TEXT] = "text",
    [DIAGNOSTICS_JSON] = "json",
    [DIAGNOSTICS_SARIF] = "sarif",
    NULL,
};
static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

// FORMAT[:FILE]: the format's place among the names, the file or NULL.
static const char *take_format(struct arena *arena, const char *argument, const char *const *names,
                               int *format, const char **path)
{
    size_t length = strcspn(argument, ":");
    *format = options_choice(names, argument, length);
    if (*format < 0)
        return arena_printf(arena, "cannot be '%.*s': it is %s", (int)length, argument,
                            options_list(arena, names));
    *path = argument[length] ? argument + length + 1 : NULL;
    return *path && !**path ? arena_printf(arena, "needs a file behind '%s'", argument) : NULL;
}

static const char *take_report(struct arena *arena, void *into, const char *argument)
{
    int format;
    const char *path = NULL, *error = take_format(arena, argument, report_names, &format, &path);
    if (!error)
        ((struct arguments *)into)->reports[format] = (struct report_wish){true, path};
    return error;
}

static const char *take_remarks_filter(struct arena *arena, void *into, const char *argument)
{
    regex_t expression;
    char why[128];
    int error = regcomp(&expression, argument, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &expression, why, sizeof why);
        return arena_printf(arena, "cannot be '%s': %s", argument, why);
    }
    regfree(&expression);
    ((struct arguments *)into)->remarks_filter = argument;
    return NULL;
}

static const char *take_diagnostics(struct arena *arena, void *into, const char *argument)
{
    struct diagnostics_wish *wish = &((struct arguments *)into)->diagnostics;
    return take_format(arena, argument, diagnostics_names, &wish->format, &wish->path);
}

static const char *take_warning(struct arena *arena, void *into, const char *argument)
{
    warnings_take(&((struct arguments *)into)->warnings, arena, argument ? argument : "");
    return NULL;
}

static const char *take_werror(struct arena *arena, void *into, const char *argument)
{
    return take_warning(arena, into,
                        argument ? arena_printf(arena, "error=%s", argument) : "error");
}

// X,Y,Z: threads of a block; what is left out is 1.
static const char *take_block(struct arena *arena, void *into, const char *argument)
{
    uint32_t n[3] = {1, 1, 1};
    const char *at = argument;
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(at, "0123456789");
        n[i] = digits && digits < 5 ? (uint32_t)atoi(at) : 0;
        at += digits;
        if (*at != ',')
            break;
        at += i < 2;
    }
    if (*at || !n[0] || !n[1] || !n[2] || (uint64_t)n[0] * n[1] * n[2] > 1024)
        return arena_printf(arena, "cannot be '%s': it is X, X,Y or X,Y,Z, up to 1024 threads",
                            argument);
    ((struct arguments *)into)->block = (struct block_shape){n[0], n[1], n[2]};
    return NULL;
}

// Decimal, whatever else strtod reads.
static const char *take_min_saving(struct arena *arena, void *into, const char *argument)
{
    char *end;
    double *flits = ARENA_NEW(arena, double);
    *flits = strtod(argument, &end) + 0.0; // no negative zero
    if (!*argument || *end || argument[strspn(argument, "+-.0123456789eE")] || !isfinite(*flits))
        return arena_printf(arena, "cannot be '%s': it is a number of flits, such as 4 or -0.5",
                            argument);
    ((struct arguments *)into)->min_saving = flits;
    return NULL;
}

static const char *take_max_memory(struct arena *arena, void *into, const char *argument)
{
    (void)arena;
    return options_size(argument, &((struct arguments *)into)->max_memory);
}

static const char *take_max_errors(struct arena *arena, void *into, const char *argument)
{
    size_t digits = strspn(argument, "0123456789");
    if (argument[digits] || digits > 9)
        return arena_printf(arena, "cannot be '%s': it is a number, 0 for all", argument);
    ((struct arguments *)into)->max_errors = atoi(argument);
    return NULL;
}

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct arguments *arguments = into;
    if (argument && strcmp(argument, "warnings"))
        return arena_printf(arena, "cannot be '%s': it is warnings, or nothing", argument);
    *(argument ? &arguments->help_warnings : &arguments->help) = 1;
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

static const char *take_target(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct arguments *)into)->depfile.names, argument);
    return NULL;
}

static const char *take_quoted_target(struct arena *arena, void *into, const char *argument)
{
    return take_target(arena, into, depfile_quote(arena, argument));
}

#define INTO(field) .offset = offsetof(struct arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define SET(field, names) .kind = OPTION_SET, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option output_options[] = {
    {"-o", "OUT", TEXT(output),
     .help = "write the PTX there; '-' is standard output; a folder gets\n"
             "a file for each module of IN, named after IN, the number\n"
             "and the architecture"},
    {"--metadata", "FILE", TEXT(metadata), .help = "write what was decided as JSON"},
    {"--report", "text|json|html[:FILE]", CALL(take_report),
     .help = "report what was found, on standard output unless :FILE;\n"
             "html is one page for a browser, with the PTX, the reasons\n"
             "and the flow graphs"},
    {"--emit", "ptx,meta,elf,ir,dot", SET(emit, emit_names),
     .help = "write one or more of these, each to OUT with its suffix\n"
             "replaced: the PTX (.ptx), the metadata (.json), both as an\n"
             "object for programs to map (.elf), PTX with the analyses in\n"
             "comments (.ir), flow graphs for Graphviz (.dot)"},
    {"--tags", "pragma|comment|paper|none", CHOICE(tags, tag_names),
     .help = "how instructions are marked in the PTX: by directives\n"
             "(the default, but for PTX before 2.0), in comments, as\n"
             "printed in the paper (for reading only), or not at all"},
    {"--strip", NULL, FLAG(strip, 1), .help = "take the tags out of IN; no analysis"},
    {"--format", NULL, FLAG(format, 1),
     .help = "write IN in canonical form: one statement a line,\n"
             "indented, comments kept; no analysis"},
    {0},
};

static const struct option depfile_options[] = {
    {"-MD", NULL, FLAG(depfile.wanted, 1),
     .help = "write a rule for make or ninja, which says what OUT is made\n"
             "from, to OUT with .d for its suffix"},
    {"-MF", "FILE", TEXT(depfile.path), .help = "write it there"},
    {"-MT", "TARGET", CALL(take_target),
     .help = "name this as what is made, exactly so; may be repeated"},
    {"-MQ", "TARGET", CALL(take_quoted_target), .help = "the same, quoted for make"},
    {"-MP", NULL, FLAG(depfile.phony, 1),
     .help = "add an empty rule for every input but the first, so that\n"
             "make goes on without it"},
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
    {"--cost", "tom|refined", CHOICE(cost, cost_names),
     .help = "how candidate blocks are judged: as in the TOM paper, or\n"
             "(the default) with the lines, sizes, reuse and uniform\n"
             "values that the analyses find; OUT's metadata have both"},
    {"--block", "X[,Y[,Z]]", CALL(take_block),
     .help = "the shape of the blocks that kernels are launched with, where\n"
             ".reqntid does not say it"},
    {"--restrict", NULL, FLAG(restrict_parameters, 1),
     .help = "different pointers among a kernel's parameters lead to\n"
             "different memory"},
    {"--min-saving", "FLITS", CALL(take_min_saving),
     .help = "turn down chains that are expected to save less for each\n"
             "warp and hop; may be negative or a fraction"},
    {"--capability", "FILE", TEXT(capability_path),
     .help = "what the unit near the data can do, where that is not what\n"
             "the paper describes: types, operations, packets, vectors"},
    {"--profile", "FILE", TEXT(profile_path),
     .help = "decide with what ptxoffload-sim --profile-out=FILE has\n"
             "measured of IN; the report says what that changes"},
    {"--fma", "fused|split", CHOICE(fma, fma_names),
     .help = "leave fused multiply-adds as they are (the default), or\n"
             "divide those whose multiplication can be offloaded, which\n"
             "changes rounding"},
    {"--no-verify", NULL, FLAG(verify, 0),
     .help = "do not prove afterwards that OUT does what IN does"},
    {0},
};

static const struct option message_options[] = {
    {"--check", NULL, FLAG(check, 1), .help = "say what is wrong with IN, write nothing"},
    {"--compare", "OUT", TEXT(compare),
     .help = "prove that OUT does what IN does: the same instructions, in\n"
             "an order that keeps all dependences (with --fma=split, some\n"
             "divided), or say where it may not; nothing is written"},
    {"--fragment", NULL, FLAG(fragment, 1),
     .help = "IN is a part of a module or of a body, without .version\n"
             "and .target; with --check only"},
    {"-w", NULL, FLAG(warnings.quiet, 1), .help = "no warnings"},
    {"-W", "[no-]NAME", CALL(take_warning), .joined = true,
     .help = "warn, or do not, of what is called NAME"},
    {"-Werror", "[=NAME]", CALL(take_werror), .joined = true,
     .help = "warnings, or those called NAME, are errors;\n"
             "-Wno-error[=NAME] takes it back"},
    {"--diagnostics", "text|json|sarif[:FILE]", CALL(take_diagnostics),
     .help = "tell errors, warnings and remarks in this form, on standard\n"
             "error unless :FILE"},
    {"--remarks", NULL, FLAG(remarks_passed, 1),
     .help = "tell what is offloaded, and what that saves"},
    {"--remarks-missed", NULL, FLAG(remarks_missed, 1),
     .help = "tell what is not offloaded, and what keeps it"},
    {"--remarks-analysis", NULL, FLAG(remarks_analysis, 1),
     .help = "tell what lines of memory each access touches"},
    {"--remarks-filter", "KERNEL", CALL(take_remarks_filter),
     .help = "of functions whose name KERNEL, an extended regular\n"
             "expression, is found in"},
    {"--max-errors", "N", CALL(take_max_errors),
     .help = "show that many errors and that many warnings, 0 all\n"
             "(default 100); also -fmax-errors"},
    {"-fmax-errors", "N", CALL(take_max_errors)},
    {"--max-memory", "SIZE", CALL(take_max_memory),
     .help = "give up where more memory is needed: 512M, 8G (default), 0\n"
             "no limit"},
    {"-v", NULL, FLAG(verbose, 1), .help = "say what is done, and show all errors and warnings"},
    {"--color", "auto|always|never", CHOICE(colour, colour_names),
     .help = "auto: on a terminal, if NO_COLOR is not set, and everywhere\n"
             "if CLICOLOR_FORCE is"},
    {"--help", "[=warnings]", CALL(take_help), .joined = true,
     .help = "print this, or all errors and warnings by name"},
    {"--version", NULL, FLAG(version, 1), .help = "print the version"},
    {0},
};

static const struct option inside_options[] = {
    {"--print-passes", NULL, FLAG(print_passes, 1),
     .help = "list the stages and passes in their order"},
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
    {"Dependencies", depfile_options},
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
            "@FILE stands for the arguments in FILE, quoted as for gcc. If OUT is a folder,\n"
            "the FILEs of --metadata and --report are folders as well.\n"
            "If standard output is taken by OUT or FILE, the report goes to standard error.\n"
            "\n"
            "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage. Files are written whole or not at all.\n",
};
