#include "cli/measure/options.h"
#include "cli/common/diagnostics_options.h"
#include "cli/common/response.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOADS = 1000 };

static const uint64_t most_cycles = UINT64_C(1000000000000);

static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

// Numbers

const char *measure_take_uint(struct arena *arena, const char *argument, uint64_t least,
                              uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(argument, &end, 10);
    if (*argument >= '0' && *argument <= '9' && !*end && !errno && *value >= least &&
        *value <= most)
        return NULL;
    return arena_printf(arena, "cannot be '%s': it is a number from %" PRIu64 " to %" PRIu64,
                        argument, least, most);
}

const char *measure_take_seed(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    return measure_take_uint(arena, argument, 0, UINT64_MAX, &a->seed);
}

const char *measure_take_cycles(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    return measure_take_uint(arena, argument, 1, most_cycles, &a->cycles);
}

const char *measure_take_warmup(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    return measure_take_uint(arena, argument, 0, most_cycles, &a->warmup);
}

bool measure_read_real(const char **at, double most, double *value)
{
    char *end;
    bool digit = (**at >= '0' && **at <= '9') || **at == '.';
    *value = strtod(*at, &end);
    bool good = digit && end != *at && *value >= 0 && *value <= most;
    *at = end;
    return good;
}

// FROM:TO:STEP; the last load may miss TO by the rounding of the steps.
static bool take_range(struct measure_arguments *a, struct arena *arena, double most, double from,
                       const char *at)
{
    double to, step;
    at++;
    if (!measure_read_real(&at, most, &to) || *at++ != ':' ||
        !measure_read_real(&at, most, &step) || *at || step <= 0 || to < from ||
        (to - from) / step > MOST_LOADS)
        return false;
    for (int i = 0; from + i * step <= to + step * 1e-6; i++)
        vec_push(arena, &a->loads, round((from + i * step) * 1e9) / 1e9);
    return true;
}

static bool read_loads(struct measure_arguments *a, struct arena *arena,
                       const struct measure_limits *limits, const char *at)
{
    for (double load; a->loads.n < MOST_LOADS; at++) {
        if (!measure_read_real(&at, limits->most, &load) || (limits->above_zero && load <= 0))
            return false;
        if (*at == ':' && !a->loads.n)
            return take_range(a, arena, limits->most, load, at);
        vec_push(arena, &a->loads, load);
        if (*at != ',')
            return !*at;
    }
    return false;
}

const char *measure_take_sweep(struct arena *arena, struct measure_arguments *a,
                               const struct measure_limits *limits, const char *argument)
{
    a->sweep = 1;
    a->loads.n = 0;
    if (!argument || read_loads(a, arena, limits, argument))
        return NULL;
    return arena_printf(arena, "cannot be '%s': loads are written as 0.1,0.2,0.3 or FROM:TO:STEP%s",
                        argument, limits->above_zero ? ", above 0" : "");
}

// Texts

const char *measure_take_set(struct arena *arena, struct measure_arguments *a, const char *section,
                             const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return arena_printf(arena, "cannot be '%s': it is KEY=VALUE", argument);
    // There is one section only, so its name can be left out.
    if (!memchr(argument, '.', (size_t)(equals - argument)))
        argument = arena_printf(arena, "%s.%s", section, argument);
    vec_push(arena, &a->settings, argument);
    return NULL;
}

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct measure_arguments *a = into;
    if (!argument)
        a->common.help = 1;
    else
        a->help_keys = options_topic(argument, "keys");
    return !argument || a->help_keys
               ? NULL
               : arena_printf(arena, "cannot be '%s': it is keys, or omitted", argument);
}

#define INTO(field) .offset = offsetof(struct measure_arguments, field)

const struct option measure_messages[] = {
    {"--quiet", NULL, .kind = OPTION_FLAG, INTO(common.quiet), .value = 1, .brief = "-q",
     .help = "no progress"},
    {"-v", NULL, .kind = OPTION_FLAG, INTO(common.verbose), .value = 1, .help = "report the steps"},
    {"--color", "auto|always|never", .kind = OPTION_CHOICE, INTO(common.colour),
     .choices = colour_names, .help = "auto: on a terminal, if NO_COLOR is not set"},
    {"--help", "[=keys]", .kind = OPTION_CALL, .call = take_help, .joined = true, .brief = "-h",
     .help = "print this, or the keys of configurations"},
    {"--version", NULL, .kind = OPTION_FLAG, INTO(common.version), .value = 1, .brief = "-V",
     .help = "print the version"},
    {0},
};

bool measure_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

void measure_name_output(const char **path)
{
    if (*path && !strcmp(*path, "/dev/stdout"))
        *path = "-";
}

// The command line

bool measure_fault(const struct command *command, FILE *errors, const char *text, const char *name)
{
    fprintf(errors, "%s: error: %s%s\n", command->name, text, name);
    return false;
}

static bool read_line(const struct command *command, struct measure_arguments *a,
                      struct arena *arena, int argc, char *const *argv, measure_check *check,
                      FILE *errors)
{
    struct response_line response = response_expand(arena, argc, argv);
    if (response.error)
        return measure_fault(command, errors, response.error, "");
    struct command_line line =
        options_read(command, arena, (int)response.arguments.n, response.arguments.v, a, errors);
    const char **paths[] = {&a->json, &a->csv, &a->plot, &a->stats};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        measure_name_output(paths[i]);
    const char *const outputs[] = {a->json, a->csv, a->plot, a->stats};
    const char *conflict =
        diagnostics_conflict(&a->common, outputs, sizeof outputs / sizeof *outputs);
    if (conflict)
        return measure_fault(command, errors, conflict, "");
    return !line.failed && check(a, &line, errors);
}

bool measure_arguments_read(const struct command *command, struct measure_arguments *a,
                            struct arena *arena, int argc, char *const *argv, measure_check *check,
                            FILE *errors)
{
    a->common.max_errors = -1;
    bool good = read_line(command, a, arena, argc, argv, check, errors);
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", command->name);
    return good;
}
