// The help of a command, from its table of options.
#include "cli/common/options.h"
#include "cli/common/revision.h"
#include <string.h>

enum { COLUMN = 24, MAX_COLUMNS = 79 }; // of explanations; of a line

static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += (text[i] & 0xc0) != 0x80; // not the continuation bytes of a character
    return columns;
}

// Prints words from this column on, in lines of up to MAX_COLUMNS that continue at `indent`. Ends
// the last line. Returns the rest of the text, which starts after a blank line or with an indented
// line.
static const char *print_words(const char *text, int column, int indent, FILE *to)
{
    bool is_first = true; // first word of its line
    while (*text) {
        size_t length = strcspn(text, " \n");
        int width = columns_of(text, length);
        if (!is_first && column + 1 + width > MAX_COLUMNS) {
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

// Prints paragraphs. Indented lines are not changed.
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
        if (*group->title)
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
