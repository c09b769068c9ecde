#include "cli/common/common_options.h"
#include "support/file.h"
#include "support/output.h"
#include <string.h>

static const char *const diagnostics_names[] = {
    [DIAGNOSTICS_TEXT] = "text",
    [DIAGNOSTICS_JSON] = "json",
    [DIAGNOSTICS_SARIF] = "sarif",
    NULL,
};

static const char *const location_names[] = {
    [LOCATIONS_PTX] = "ptx",
    [LOCATIONS_SOURCE] = "source",
    NULL,
};

const char *const report_names[] = {
    [REPORT_TEXT] = "text",
    [REPORT_JSON] = "json",
    [REPORT_HTML] = "html",
    NULL,
};

static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

static const char *parse_warning(struct arena *arena, void *into, const char *argument)
{
    warnings_select(&((struct common_options *)into)->warnings, arena, argument ? argument : "");
    return NULL;
}

static const char *parse_werror(struct arena *arena, void *into, const char *argument)
{
    return parse_warning(arena, into,
                         argument ? arena_printf(arena, "error=%s", argument) : "error");
}

static const char *parse_prefix(struct arena *arena, void *into, const char *argument)
{
    return prefix_map_add(&((struct common_options *)into)->prefixes, arena, argument);
}

static const char *parse_max_memory(struct arena *arena, void *into, const char *argument)
{
    (void)arena;
    size_t *size = &((struct common_options *)into)->max_memory;
    const char *error = options_size(argument, size);
    // With less, not even the messages about it could be written.
    return !error && *size && *size < 1 << 20 ? "must be at least 1M, or 0 for no limit" : error;
}

#define OPTIONS_OF struct common_options
enum { MAX_ERRORS = 999999999 };

const struct option diagnostics_options[] = {
    {"-w", NULL, FLAG(warnings.quiet, 1), .help = "no warnings"},
    {"-W", "[no-]NAME", CALL(parse_warning), .joined = true,
     .help = "enable or disable the warning NAME"},
    {"-Werror", "[=NAME]", CALL(parse_werror), .joined = true,
     .help = "make all warnings, or the warning NAME, errors;\n"
             "-Wno-error[=NAME] reverts this"},
    {"--diagnostics", "text|json|sarif[:FILE]", .kind = OPTION_FORMAT, INTO(diagnostics),
     .choices = diagnostics_names, .file = OPTION_WRITES,
     .help = "format of errors, warnings and remarks; without :FILE they\n"
             "go to standard error"},
    {"--max-errors", "N", NUMBER(max_errors, 0, MAX_ERRORS),
     .help = "show at most N errors and N warnings, 0: all (default 100);\n"
             "also -fmax-errors"},
    {"-fmax-errors", "N", NUMBER(max_errors, 0, MAX_ERRORS)},
    {"--file-prefix-map", "OLD=NEW", CALL(parse_prefix),
     .help = "replace the prefix OLD of file names by NEW in diagnostics,\n"
             "reports and metadata; may be repeated, the last match\n"
             "counts; also -ffile-prefix-map"},
    {"-ffile-prefix-map", "OLD=NEW", CALL(parse_prefix)},
    {0},
};

const struct option module_options[] = {
    {"--module", "N", TEXT(choice.module),
     .help = "use this module of a program or library: 'ptxoffload --list'\n"
             "lists them"},
    {"--arch", "sm_N", TEXT(choice.arch), .help = "use the module for this architecture"},
    {"--locations", "ptx|source", ONE_OF(locations, location_names),
     .help = "locations that messages and reports name first: those in the\n"
             "PTX (default), or those in the CUDA source, if the PTX has\n"
             ".loc"},
    {0},
};

const struct option message_options[] = {
    {"--max-memory", "SIZE", CALL(parse_max_memory),
     .help = "stop with an error when memory use exceeds SIZE: 512M, 8G\n"
             "(default), 0: no limit"},
    {"--quiet", NULL, FLAG(quiet, 1), .brief = "-q",
     .help = "no notes, no progress, and no report that was not requested"},
    {"-v", NULL, FLAG(verbose, 1), .help = "report each step, and show all errors and warnings"},
    {"--color", "auto|always|never", ONE_OF(colour, colour_names),
     .help = "auto: on a terminal, if NO_COLOR is not set, and everywhere\n"
             "if CLICOLOR_FORCE is"},
    {"--version", NULL, FLAG(version, 1), .brief = "-V", .help = "print the version"},
    {0},
};

void common_options_default(struct common_options *options)
{
    options->max_errors = ALL_ERRORS_USUAL;
    options->max_memory = (size_t)USUAL_MEMORY << 30;
}

struct conflict {
    struct command_line *line;
    const char *path; // of --diagnostics
    bool found;
};

static void add_output(void *context, const char *path, const char *option)
{
    struct conflict *conflict = context;
    if (conflict->found || !strcmp(option, "--diagnostics"))
        return;
    bool standard = file_is_standard(path) || file_is_standard(conflict->path);
    if (standard ? strcmp(path, conflict->path) != 0
                 : !output_same(conflict->line->arena, path, conflict->path))
        return;
    conflict->found = true;
    options_fault(conflict->line,
                  file_is_standard(path)
                      ? "--diagnostics and another output both write to standard output"
                      : "--diagnostics and another output both write the same file");
}

bool common_options_check(struct command_line *line, const struct common_options *options)
{
    const struct format_request *request = &options->diagnostics;
    struct conflict conflict = {line, request->path, false};
    if (request->path)
        options_files(line->command, options, true, add_output, &conflict);
    else if (request->format != DIAGNOSTICS_TEXT && options->verbose)
        return options_fault(line, "-v also writes to standard error: give --diagnostics a file");
    return !conflict.found;
}
