#include "cli/common/diagnostics_options.h"
#include "support/file.h"
#include <stdlib.h>
#include <string.h>

static const char *const diagnostics_names[] = {
    [DIAGNOSTICS_TEXT] = "text",
    [DIAGNOSTICS_JSON] = "json",
    [DIAGNOSTICS_SARIF] = "sarif",
    NULL,
};

const char *const location_names[] = {
    [LOCATIONS_PTX] = "ptx",
    [LOCATIONS_SOURCE] = "source",
    NULL,
};

static const char *take_diagnostics(struct arena *arena, void *into, const char *argument)
{
    struct diagnostics_request *request = &((struct arguments *)into)->diagnostics;
    const char *error =
        options_format(arena, argument, diagnostics_names, &request->format, &request->path);
    if (request->path && !strcmp(request->path, "/dev/stdout"))
        request->path = "-";
    return error;
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

static const char *take_max_errors(struct arena *arena, void *into, const char *argument)
{
    size_t digits = strspn(argument, "0123456789");
    if (argument[digits] || digits > 9)
        return arena_printf(arena, "cannot be '%s': it is a number, 0 for all", argument);
    ((struct arguments *)into)->max_errors = atoi(argument);
    return NULL;
}

static const char *take_prefix(struct arena *arena, void *into, const char *argument)
{
    return prefix_map_add(&((struct arguments *)into)->prefixes, arena, argument);
}

const struct option diagnostics_options[] = {
    {"-w", NULL, .kind = OPTION_FLAG, .offset = offsetof(struct arguments, warnings.quiet),
     .value = 1, .help = "no warnings"},
    {"-W", "[no-]NAME", .kind = OPTION_CALL, .call = take_warning, .joined = true,
     .help = "enable or disable the warning NAME"},
    {"-Werror", "[=NAME]", .kind = OPTION_CALL, .call = take_werror, .joined = true,
     .help = "make all warnings, or the warning NAME, errors;\n"
             "-Wno-error[=NAME] reverts this"},
    {"--diagnostics", "text|json|sarif[:FILE]", .kind = OPTION_CALL, .call = take_diagnostics,
     .file = OPTION_WRITES,
     .help = "form of errors, warnings and remarks, on standard error\n"
             "without :FILE"},
    {"--max-errors", "N", .kind = OPTION_CALL, .call = take_max_errors,
     .help = "show at most N errors and N warnings, 0: all (default 100);\n"
             "also -fmax-errors"},
    {"-fmax-errors", "N", .kind = OPTION_CALL, .call = take_max_errors},
    {"--file-prefix-map", "OLD=NEW", .kind = OPTION_CALL, .call = take_prefix,
     .help = "show names of files that begin with OLD with NEW instead, in\n"
             "diagnostics, reports and metadata; may be repeated, the last\n"
             "that matches counts; also -ffile-prefix-map"},
    {"-ffile-prefix-map", "OLD=NEW", .kind = OPTION_CALL, .call = take_prefix},
    {0},
};

const char *diagnostics_conflict(const struct arguments *arguments, const char *const *outputs,
                                 size_t count)
{
    const struct diagnostics_request *request = &arguments->diagnostics;
    if (!request->path && request->format != DIAGNOSTICS_TEXT && arguments->verbose)
        return "-v writes to standard error as well: give --diagnostics a file";
    for (size_t i = 0; i < count; i++)
        if (request->path && outputs[i] && !strcmp(request->path, outputs[i]))
            return file_is_standard(request->path)
                       ? "--diagnostics and another output both write to standard output"
                       : "--diagnostics and another output both write the same file";
    return NULL;
}
