#include "cli/measure/options.h"
#include "cli/common/files.h"
#include "cli/sim/configuration.h"
#include "support/file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOADS = 1000 };

bool measure_read_real(const char **at, double max, double *value)
{
    char *end;
    bool digit = (**at >= '0' && **at <= '9') || **at == '.';
    *value = strtod(*at, &end);
    bool good = digit && end != *at && *value >= 0 && *value <= max;
    *at = end;
    return good;
}

// Reads FROM:TO:STEP. The last load may differ from TO by the rounding of the steps.
static bool parse_range(struct measure_arguments *a, struct arena *arena, double max, double from,
                        const char *at)
{
    double to, step;
    at++;
    if (!measure_read_real(&at, max, &to) || *at++ != ':' || !measure_read_real(&at, max, &step) ||
        *at || step <= 0 || to < from || (to - from) / step > MAX_LOADS)
        return false;
    for (int i = 0; from + i * step <= to + step * 1e-6; i++)
        vec_push(arena, &a->loads, round((from + i * step) * 1e9) / 1e9);
    return true;
}

static bool read_loads(struct measure_arguments *a, struct arena *arena,
                       const struct measure_limits *limits, const char *at)
{
    for (double load; a->loads.n < MAX_LOADS; at++) {
        if (!measure_read_real(&at, limits->max, &load) || (limits->above_zero && load <= 0))
            return false;
        if (*at == ':' && !a->loads.n)
            return parse_range(a, arena, limits->max, load, at);
        vec_push(arena, &a->loads, load);
        if (*at != ',')
            return !*at;
    }
    return false;
}

const char *measure_parse_sweep(struct arena *arena, struct measure_arguments *a,
                                const struct measure_limits *limits, const char *argument)
{
    a->sweep = 1;
    a->loads.n = 0;
    if (!argument || read_loads(a, arena, limits, argument))
        return NULL;
    return arena_printf(arena, "cannot be '%s': expected 0.1,0.2,0.3 or FROM:TO:STEP%s", argument,
                        limits->above_zero ? ", above 0" : "");
}

// Texts

static const char *check_set(struct arena *arena, void *into, const char *argument)
{
    const char *equals = strchr(argument, '=');
    (void)into;
    return equals && equals != argument
               ? NULL
               : arena_printf(arena, "cannot be '%s': expected KEY=VALUE", argument);
}

bool measure_ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

const char *measure_check_svg(struct arena *arena, void *into, const char *argument)
{
    (void)into;
    if (!strcmp(argument, "-") || measure_ends_in(argument, ".svg"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': the name must end in .svg", argument);
}

const char *measure_check_picture(struct arena *arena, void *into, const char *argument)
{
    (void)into;
    if (!strcmp(argument, "-") || measure_ends_in(argument, ".svg") ||
        measure_ends_in(argument, ".html"))
        return NULL;
    return arena_printf(arena, "cannot be '%s': the name must end in .svg or .html", argument);
}

#define OPTIONS_OF struct measure_arguments

static const char *const help_names[] = {"keys", NULL};

const struct option measure_config_options[] = {
    {"--config", "NAME|FILE", TEXT(config), .file = OPTION_READS,
     .help = "a built-in configuration or a file (default: the initial\n"
             "values of all keys)"},
    {"--list-configs", NULL, FLAG(list_configs, 1),
     .help = "print the names of the built-in configurations"},
    {0},
};

const struct option measure_set_options[] = {
    {"--set", "KEY=VALUE", LIST(settings), .call = check_set, .help = "set a key"},
    {"--print-config", NULL, FLAG(print_config, 1),
     .help = "print the configuration in the format that --config reads"},
    {0},
};

const struct option measure_output_options[] = {
    {"--json", "FILE", TEXT(json), .file = OPTION_WRITES,
     .help = "write the results; '-' is standard output"},
    {"--csv", "FILE", TEXT(csv), .file = OPTION_WRITES,
     .help = "write them as a table with a line for each load"},
    {"--stats", "FILE", TEXT(stats), .file = OPTION_WRITES,
     .help = "write all statistics, as text, or as JSON or CSV if the\n"
             "name ends in .json or .csv; '-' is standard output"},
    {"--list-stats", NULL, FLAG(list_stats, 1),
     .help = "print the names and meanings of the statistics"},
    {0},
};

const struct option measure_help_options[] = {
    HELP_OPTION("[=keys]", help_names, "print this, or the keys of configurations"),
    {0},
};

bool measure_check_trace(struct command_line *line, const struct measure_arguments *a)
{
    if (a->latencies && !a->trace_in)
        return options_fault(line, "--latencies needs --trace-in");
    if (a->trace_in && (a->sweep || a->load >= 0))
        return options_fault(line, "--trace-in and %s exclude each other",
                             a->sweep ? "--sweep" : "--load");
    return true;
}

// Configuration and files

void measure_begin_config(struct measure_base *base, struct config_section section,
                          const char *folder)
{
    base->section = section;
    config_init(&base->config, &base->frame.arena, &base->section, 1);
    base->config.folder = folder;
}

bool measure_read_config(struct measure_base *base)
{
    const struct measure_arguments *a = (const void *)base->frame.options;
    struct text_list settings = {0};
    for (uint32_t i = 0; i < a->settings.list.n; i++) {
        const char *text = a->settings.list.v[i];
        // The section's name can be left out, because there is only one.
        if (!memchr(text, '.', strcspn(text, "=")))
            text = arena_printf(&base->frame.arena, "%s.%s", base->section.name, text);
        vec_push(&base->frame.arena, &settings.list, text);
    }
    return configuration_read(&base->config, a->config, &settings, &base->frame.messages);
}

bool measure_read_trace(struct measure_base *base, struct trace_text *trace,
                        measure_read_trace_fn *read,
                        void (*check)(void *base, const struct trace_text *trace,
                                      struct diags *diags))
{
    const struct measure_arguments *a = (const void *)base->frame.options;
    struct source *source = ARENA_NEW(&base->frame.arena, struct source);
    struct file_text file;
    struct diags diags;
    const char *error = file_read(&base->frame.arena, a->trace_in, &file);
    if (error) {
        message_error(&base->frame.messages, "cannot read '%s': %s", a->trace_in, error);
        return false;
    }
    source_init(source, &base->frame.arena, a->trace_in, file.text, file.length);
    diags_init(&diags, &base->frame.arena);
    read(trace, &base->frame.arena, source, &diags);
    if (check)
        check(base, trace, &diags);
    if (!messages_diags(&base->frame.messages, &diags, source))
        return false;
    if (!trace->requests.n && !trace->packets.n)
        message_error(&base->frame.messages, "'%s' is empty", a->trace_in);
    return trace->requests.n || trace->packets.n;
}

bool measure_check_paths(struct measure_base *base, const char *input)
{
    struct named_files files = {.arena = &base->frame.arena, .messages = &base->frame.messages};
    const struct measure_arguments *a = (const void *)base->frame.options;
    files_add(&files, input, "the map", false);
    files_add(&files, a->trace_in, "the trace", false);
    for (uint32_t i = 0; i < base->config.texts.n; i++)
        files_add(&files, base->config.texts.v[i]->source.name, "the configuration", false);
    files_add_outputs(&files, base->frame.command, base->frame.options);
    return files_check(&files);
}

bool measure_print_keys(void *own, FILE *to)
{
    struct measure_base *base = own;
    configuration_print_keys(&base->config, base->frame.options->help.as_markdown, to);
    return true;
}

bool measure_print_config(void *own, FILE *to)
{
    struct measure_base *base = own;
    config_print(&base->config, to);
    return true;
}

bool measure_print_configs(void *own, FILE *to)
{
    struct measure_base *base = own;
    config_names_print(&base->config, to);
    return true;
}
