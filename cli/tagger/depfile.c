#include "cli/tagger/depfile.h"
#include <string.h>

enum { WIDTH = 72 }; // of a line, if no name is longer

const char *depfile_quote(struct arena *arena, const char *name)
{
    // A '$' is doubled. A blank or a colon gets a backslash, and so does each backslash directly
    // before it.
    char *quoted = arena_alloc(arena, 2 * strlen(name) + 1), *to = quoted;
    size_t backslashes = 0;
    for (; *name; name++) {
        if (*name == ' ' || *name == '\t' || *name == ':')
            for (size_t i = 0; i < backslashes + 1; i++)
                *to++ = '\\';
        else if (*name == '#')
            *to++ = '\\';
        else if (*name == '$')
            *to++ = '$';
        backslashes = *name == '\\' ? backslashes + 1 : 0;
        *to++ = *name;
    }
    *to = 0;
    return quoted;
}

const char *depfile_fault(const char *quoted)
{
    size_t length = strlen(quoted);
    if (strchr(quoted, '\n'))
        return "a line ends in it";
    return length && quoted[length - 1] == '\\' ? "it ends with a backslash" : NULL;
}

struct depfile_line {
    FILE *to;
    size_t column;
};

static void put(struct depfile_line *line, const char *word)
{
    size_t length = strlen(word);
    if (line->column && line->column + 1 + length > WIDTH) {
        fputs(" \\\n ", line->to);
        line->column = 1;
    } else if (line->column) {
        putc(' ', line->to);
        line->column++;
    }
    fputs(word, line->to);
    line->column += length;
}

void depfile_write(const struct depfile_rule *rule, FILE *to)
{
    struct depfile_line line = {to, 0};
    for (uint32_t i = 0; i < rule->n_targets; i++)
        put(&line, rule->targets[i]);
    putc(':', to);
    line.column++;
    for (uint32_t i = 0; i < rule->n_sources; i++)
        put(&line, rule->sources[i]);
    putc('\n', to);
    for (uint32_t i = rule->has_main; rule->phony && i < rule->n_sources; i++)
        fprintf(to, "%s:\n", rule->sources[i]);
}
