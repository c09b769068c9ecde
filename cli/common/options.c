#include "cli/common/options.h"
#include "support/file.h"
#include "support/nearest.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct option_reader {
    char *const *argv;
    int argc, at;
    void *into;
    struct command_line line;
};

bool options_fault(struct command_line *line, const char *format, ...)
{
    va_list args;
    fprintf(line->errors, "%s: error: ", line->command->name);
    va_start(args, format);
    vfprintf(line->errors, format, args);
    va_end(args);
    putc('\n', line->errors);
    line->failed = true;
    return false;
}

// Finding an option

static bool is_name(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && !memcmp(known, name, length);
}

static const struct option *find_option(const struct command *command, const char *name,
                                        size_t length)
{
    OPTION_EACH (option, command)
        if (is_name(option->name, name, length) || is_name(option->brief, name, length))
            return option;
    return NULL;
}

// Finds an option of one dash with its argument directly after it: `-oFILE`, `-MFFILE`.
static const struct option *find_joined(const struct command *command, const char *argument)
{
    if (argument[1] == '-')
        return NULL;
    OPTION_EACH (option, command)
        if (option->argument && !strncmp(option->name, argument, strlen(option->name)))
            return option;
    return NULL;
}

static const char *without_dashes(const char *name)
{
    return name + strspn(name, "-");
}

// Returns the option that was most likely meant, or NULL. Dashes do not count: `-check` is near
// `--check`.
static const char *nearest_option(const struct command *command, const char *name)
{
    const char *typed = without_dashes(name), *nearest = NULL;
    unsigned best = (unsigned)strlen(typed) / 3 + 1;
    OPTION_EACH (option, command) {
        if (!option->help)
            continue;
        const char *known = without_dashes(option->name);
        // Edit distance means nothing for one letter.
        unsigned away = known[1] || !strcmp(known, typed)
                            ? nearest_distance(typed, strlen(typed), known, strlen(known))
                            : NEAREST_LONGEST;
        // A prefix of a name may stand for it, if it is long enough.
        if (strlen(typed) > 2 && !strncmp(typed, known, strlen(typed)))
            away = 0;
        if (away < best || (!nearest && away == best && best > 1)) {
            best = away;
            nearest = option->name;
        }
    }
    return nearest;
}

static void unknown_option(struct option_reader *r, const char *name)
{
    const char *nearest = nearest_option(r->line.command, name);
    if (nearest)
        options_fault(&r->line, "unknown option '%s'; did you mean '%s'?", name, nearest);
    else
        options_fault(&r->line, "unknown option '%s'", name);
}

// Reading an argument

const char *options_size(const char *text, size_t *bytes)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) ||
        number > SIZE_MAX >> shift)
        return "must be a number of bytes, such as 512M or 8G, or 0 for no limit";
    *bytes = (size_t)number << shift;
    return NULL;
}

const char *options_number(struct arena *arena, const char *text, uint64_t min, uint64_t max,
                           uint64_t *value)
{
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    bool good = *text >= '0' && *text <= '9' && !*end && !errno;
    if (good && number >= min && number <= max) {
        *value = number;
        return NULL;
    }
    if (max == UINT64_MAX)
        return arena_printf(arena, "cannot be '%s': expected a whole number%s", text,
                            min ? " from 1 on" : "");
    return arena_printf(arena, "cannot be '%s': expected a number from %" PRIu64 " to %" PRIu64,
                        text, min, max);
}

int options_choice(const char *const *choices, const char *text, size_t length)
{
    for (int i = 0; choices[i]; i++)
        if (strlen(choices[i]) == length && !memcmp(choices[i], text, length))
            return i;
    return -1;
}

// Returns "a, b or c".
static const char *list_choices(struct arena *arena, const char *const *choices)
{
    const char *list = *choices;
    for (int i = 1; choices[i]; i++)
        list = arena_printf(arena, "%s%s%s", list, choices[i + 1] ? ", " : " or ", choices[i]);
    return list;
}

// Returns the path, with the other name of standard output replaced by "-".
static const char *output_name(const char *path)
{
    return path && !strcmp(path, "/dev/stdout") ? "-" : path;
}

static int parse_choice(struct option_reader *r, const struct option *option, const char *text,
                        size_t length)
{
    int choice = options_choice(option->choices, text, length);
    if (choice < 0)
        options_fault(&r->line, "%s cannot be '%.*s': expected %s", option->name, (int)length, text,
                      list_choices(r->line.arena, option->choices));
    return choice;
}

static void parse_set(struct option_reader *r, const struct option *option, const char *argument,
                      unsigned *set)
{
    for (const char *at = argument;; at++) {
        size_t length = strcspn(at, ",");
        int choice = parse_choice(r, option, at, length);
        if (choice < 0)
            return;
        *set |= 1U << choice;
        at += length;
        if (!*at)
            return;
    }
}

static void parse_format(struct option_reader *r, const struct option *option, const char *argument,
                         struct format_request *requests)
{
    size_t length = strcspn(argument, ":");
    const char *path = argument[length] ? argument + length + 1 : NULL;
    int format = parse_choice(r, option, argument, length);
    if (format < 0)
        return;
    if (path && !*path)
        options_fault(&r->line, "%s needs a file after '%s'", option->name, argument);
    else
        requests[option->value ? format : 0] =
            (struct format_request){format, true, output_name(path)};
}

// Reads a topic. With the suffix of `keys-markdown` it is printed as tables for the documentation.
static void parse_topic(struct option_reader *r, const struct option *option, const char *argument,
                        struct topic_request *request)
{
    static const char suffix[] = "-markdown";
    size_t length = argument ? strlen(argument) : 0, end = sizeof suffix - 1;
    bool as_markdown = length > end && !strcmp(argument + length - end, suffix);
    int topic = argument
                    ? options_choice(option->choices, argument, as_markdown ? length - end : length)
                    : -1;
    if (!argument)
        request->topic = 1;
    else if (topic >= 0)
        *request = (struct topic_request){topic + 2, as_markdown};
    else if (!*option->choices)
        options_fault(&r->line, "%s takes no argument", option->name);
    else
        options_fault(&r->line, "%s cannot be '%s': expected %s, or no argument", option->name,
                      argument, list_choices(r->line.arena, option->choices));
}

// Returns an error that is not reported yet, or NULL.
static const char *apply(struct option_reader *r, const struct option *option, const char *argument)
{
    void *field = (char *)r->into + option->offset;
    const char *error = NULL;
    int choice;
    if (option->call)
        error = option->call(r->line.arena, r->into, argument);
    if (error)
        return error;
    switch (option->kind) {
    case OPTION_CALL: break;
    case OPTION_FLAG: *(int *)field = option->value; break;
    case OPTION_TEXT:
        if (option->file == OPTION_WRITES)
            argument = argument ? output_name(argument) : "-";
        *(const char **)field = argument;
        break;
    case OPTION_NUMBER:
        return options_number(r->line.arena, argument, option->min, option->max, field);
    case OPTION_CHOICE:
        choice = parse_choice(r, option, argument, strlen(argument));
        if (choice >= 0)
            *(int *)field = choice;
        break;
    case OPTION_SET: parse_set(r, option, argument, field); break;
    case OPTION_LIST: vec_push(r->line.arena, &((struct text_list *)field)->list, argument); break;
    case OPTION_FORMAT: parse_format(r, option, argument, field); break;
    case OPTION_TOPIC: parse_topic(r, option, argument, field); break;
    }
    return NULL;
}

static void apply_option(struct option_reader *r, const struct option *option, const char *argument)
{
    const char *error = apply(r, option, argument);
    if (error)
        options_fault(&r->line, "%s %s", option->name, error);
}

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1];
}

static void read_option(struct option_reader *r, const char *text)
{
    size_t length = strcspn(text, "=");
    const struct option *option = find_option(r->line.command, text, length);
    const char *argument = text[length] ? text + length + 1 : NULL;
    if (!option && (option = find_joined(r->line.command, text)))
        argument = text + strlen(option->name);
    if (option)
        vec_push(r->line.arena, &r->line.recognized, option);
    if (!option) {
        unknown_option(r, arena_strndup(r->line.arena, text, length));
    } else if (!option->argument) {
        if (argument)
            options_fault(&r->line, "%s takes no argument", option->name);
        else
            apply_option(r, option, NULL);
    } else if (option->joined) {
        if (option->kind == OPTION_TEXT && argument && !*argument)
            options_fault(&r->line, "%s needs an argument after '='", option->name);
        else
            apply_option(r, option, argument);
    } else {
        // An option here more likely means a forgotten argument than a file of that name.
        if (!argument && r->at < r->argc && !is_option(r->argv[r->at]))
            argument = r->argv[r->at++];
        if (!argument || !*argument)
            options_fault(&r->line, "%s needs an argument: %s", option->name, option->argument);
        else
            apply_option(r, option, argument);
    }
}

struct command_line options_read(const struct command *command, struct arena *arena, int argc,
                                 char *const *argv, void *into, FILE *errors)
{
    struct option_reader reader = {
        .argv = argv,
        .argc = argc,
        .at = 1,
        .into = into,
        .line = {.command = command, .arena = arena, .errors = errors, .end = argc},
    };
    for (bool ended = false; reader.at < argc;) {
        const char *text = argv[reader.at++];
        bool separates = !ended && !strcmp(text, "--");
        if (!ended && (separates || (command->starts && !is_option(text)))) {
            ended = true;
            reader.line.end = reader.at - 1;
        }
        if (separates)
            continue;
        if (ended || !is_option(text))
            vec_push(arena, &reader.line.operands, text);
        else
            read_option(&reader, text);
    }
    return reader.line;
}

void options_files(const struct command *command, const void *options, bool written,
                   option_add *add, void *context)
{
    OPTION_EACH (option, command) {
        const void *field = (const char *)options + option->offset;
        const struct format_request *requests = field;
        if (option->file != (written ? OPTION_WRITES : OPTION_READS))
            continue;
        if (option->kind == OPTION_TEXT && *(const char *const *)field)
            add(context, *(const char *const *)field, option->name);
        for (int i = 0;
             option->kind == OPTION_FORMAT && (!i || (option->value && option->choices[i])); i++)
            if (requests[i].path)
                add(context, requests[i].path, option->name);
    }
}
