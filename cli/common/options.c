#include "cli/common/options.h"
#include "cli/common/revision.h"
#include "support/nearest.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct option_reader {
    const struct command *command;
    struct arena *arena;
    char *const *argv;
    int argc, at;
    void *into;
    FILE *errors;
    struct command_line line;
};

static void __attribute__((format(printf, 2, 3)))
fail(struct option_reader *r, const char *format, ...)
{
    va_list args;
    fprintf(r->errors, "%s: error: ", r->command->name);
    va_start(args, format);
    vfprintf(r->errors, format, args);
    va_end(args);
    putc('\n', r->errors);
    r->line.failed = true;
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

// `-oFILE`, `-MFFILE`: an option of one dash with its argument directly after.
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

// The option that was most likely meant, or NULL. Dashes do not count: `-check` is `--check`.
static const char *nearest_option(const struct command *command, const char *name)
{
    const char *typed = without_dashes(name), *nearest = NULL;
    unsigned best = (unsigned)strlen(typed) / 3 + 1;
    OPTION_EACH (option, command) {
        if (!option->help)
            continue;
        const char *known = without_dashes(option->name);
        // One letter is near to every other.
        unsigned away = known[1] || !strcmp(known, typed)
                            ? nearest_distance(typed, strlen(typed), known, strlen(known))
                            : NEAREST_LONGEST;
        // The beginning of a name may represent it, if it is long enough to say something.
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
    const char *nearest = nearest_option(r->command, name);
    if (nearest)
        fail(r, "unknown option '%s'; did you mean '%s'?", name, nearest);
    else
        fail(r, "unknown option '%s'", name);
}

// Taking an argument

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

int options_choice(const char *const *choices, const char *text, size_t length)
{
    for (int i = 0; choices[i]; i++)
        if (strlen(choices[i]) == length && !memcmp(choices[i], text, length))
            return i;
    return -1;
}

const char *options_list(struct arena *arena, const char *const *choices)
{
    const char *list = *choices;
    for (int i = 1; choices[i]; i++)
        list = arena_printf(arena, "%s%s%s", list, choices[i + 1] ? ", " : " or ", choices[i]);
    return list;
}

const char *options_format(struct arena *arena, const char *argument, const char *const *choices,
                           int *format, const char **path)
{
    size_t length = strcspn(argument, ":");
    *format = options_choice(choices, argument, length);
    if (*format < 0)
        return arena_printf(arena, "cannot be '%.*s': it is %s", (int)length, argument,
                            options_list(arena, choices));
    *path = argument[length] ? argument + length + 1 : NULL;
    return *path && !**path ? arena_printf(arena, "needs a file after '%s'", argument) : NULL;
}

static int take_choice(struct option_reader *r, const struct option *option, const char *text,
                       size_t length)
{
    int choice = options_choice(option->choices, text, length);
    if (choice < 0)
        fail(r, "%s cannot be '%.*s': it is %s", option->name, (int)length, text,
             options_list(r->arena, option->choices));
    return choice;
}

static void take_set(struct option_reader *r, const struct option *option, const char *argument,
                     unsigned *set)
{
    for (const char *at = argument;; at++) {
        size_t length = strcspn(at, ",");
        int choice = take_choice(r, option, at, length);
        if (choice < 0)
            return;
        *set |= 1U << choice;
        at += length;
        if (!*at)
            return;
    }
}

static void apply(struct option_reader *r, const struct option *option, const char *argument)
{
    void *field = (char *)r->into + option->offset;
    int choice;
    switch (option->kind) {
    case OPTION_FLAG: *(int *)field = option->value; break;
    case OPTION_TEXT: *(const char **)field = argument; break;
    case OPTION_CHOICE:
        choice = take_choice(r, option, argument, strlen(argument));
        if (choice >= 0)
            *(int *)field = choice;
        break;
    case OPTION_SET: take_set(r, option, argument, field); break;
    case OPTION_CALL: {
        const char *error = option->call(r->arena, r->into, argument);
        if (error)
            fail(r, "%s %s", option->name, error);
        break;
    }
    }
}

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1];
}

static void read_option(struct option_reader *r, const char *text)
{
    size_t length = strcspn(text, "=");
    const struct option *option = find_option(r->command, text, length);
    const char *argument = text[length] ? text + length + 1 : NULL;
    if (!option && (option = find_joined(r->command, text)))
        argument = text + strlen(option->name);
    if (option)
        vec_push(r->arena, &r->line.recognized, option);
    if (!option) {
        unknown_option(r, arena_strndup(r->arena, text, length));
    } else if (!option->argument) {
        if (argument)
            fail(r, "%s takes no argument", option->name);
        else
            apply(r, option, NULL);
    } else if (option->joined) {
        apply(r, option, argument);
    } else {
        // An option directly after is more likely a forgotten argument than a file of that name.
        if (!argument && r->at < r->argc && !is_option(r->argv[r->at]))
            argument = r->argv[r->at++];
        if (!argument || !*argument)
            fail(r, "%s needs an argument: %s", option->name, option->argument);
        else
            apply(r, option, argument);
    }
}

struct command_line options_read(const struct command *command, struct arena *arena, int argc,
                                 char *const *argv, void *into, FILE *errors)
{
    struct option_reader reader = {
        .command = command,
        .arena = arena,
        .argv = argv,
        .argc = argc,
        .at = 1,
        .into = into,
        .errors = errors,
    };
    bool only_operands = false;
    while (reader.at < argc) {
        const char *text = argv[reader.at++];
        if (only_operands || !is_option(text))
            vec_push(arena, &reader.line.operands, text);
        else if (!strcmp(text, "--"))
            only_operands = true;
        else
            read_option(&reader, text);
    }
    return reader.line;
}

// Help

int options_topic(const char *argument, const char *topic)
{
    size_t length = strlen(topic);
    if (strncmp(argument, topic, length))
        return 0;
    return !argument[length]                         ? TOPIC_TEXT
           : !strcmp(argument + length, "-markdown") ? TOPIC_MARKDOWN
                                                     : 0;
}

enum { COLUMN = 24, MOST_COLUMNS = 79 }; // where explanations begin; of a line

static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += (text[i] & 0xc0) != 0x80; // not the bytes of a character after its first
    return columns;
}

// Prints words from this column on, and further lines from `indent` on, in lines of MOST_COLUMNS.
// Ends the last line. Returns the rest after a blank line or before a line that begins with a
// blank.
static const char *print_words(const char *text, int column, int indent, FILE *to)
{
    bool is_first = true; // in its line
    while (*text) {
        size_t length = strcspn(text, " \n");
        int width = columns_of(text, length);
        if (!is_first && column + 1 + width > MOST_COLUMNS) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
            is_first = true;
        }
        fprintf(to, "%s%.*s", is_first ? "" : " ", (int)length, text);
        column += width + !is_first;
        is_first = false;
        text += length;
        if (*text == '\n' && (text[1] == '\n' || text[1] == ' '))
            break;
        text += *text != 0;
    }
    putc('\n', to);
    return text + (*text == '\n');
}

// Prints paragraphs. Lines that begin with a blank stay as they are.
static void print_text(const char *text, FILE *to)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length && *text != ' ') {
            text = print_words(text, 0, 0, to);
            continue;
        }
        fprintf(to, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void options_usage(const struct command *command, FILE *to)
{
    int column = fprintf(to, "usage: %s ", command->name);
    print_words(command->usage, column, column, to);
}

static int option_width(const struct option *option)
{
    size_t width = strlen(option->name) + (option->brief ? strlen(option->brief) + 2 : 0);
    if (option->argument)
        width += !option->joined + strlen(option->argument);
    return (int)width;
}

static void print_option(const struct option *option, FILE *to)
{
    // `-o OUT`, but `--metadata=FILE`
    char between = option->name[1] == '-' ? '=' : ' ';
    fprintf(to, "  %s%s%s", option->brief ? option->brief : "", option->brief ? ", " : "",
            option->name);
    if (option->argument)
        fprintf(to, "%.*s%s", !option->joined, &between, option->argument);
    int width = 2 + option_width(option);
    if (width + 2 > COLUMN) {
        putc('\n', to);
        width = 0;
    }
    fprintf(to, "%*s", COLUMN - width, "");
    print_words(option->help, COLUMN, COLUMN, to);
}

void options_help(const struct command *command, FILE *to)
{
    options_usage(command, to);
    putc('\n', to);
    print_text(command->about, to);
    for (const struct option_group *group = command->groups; group->title; group++) {
        fprintf(to, "\n%s:\n", group->title);
        for (const struct option *option = group->options; option->name; option++)
            if (option->help)
                print_option(option, to);
    }
    if (command->more) {
        putc('\n', to);
        print_text(command->more, to);
    }
    fputs("\nExamples:\n", to);
    for (const struct option_example *example = command->examples; example->line; example++)
        fprintf(to, "  %s %s\n      %s\n", command->name, example->line, example->text);
}

void options_version(const struct command *command, FILE *to)
{
    bool known = strcmp(PTXOFFLOAD_REVISION, "unknown") != 0;
    fprintf(to, "%s %s%s%s%s\n", command->name, PTXOFFLOAD_VERSION, known ? " (" : "",
            known ? PTXOFFLOAD_REVISION : "", known ? ")" : "");
}
