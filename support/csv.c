#include "support/csv.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end && !text[strspn(text, "+-.0123456789eE")];
}

static bool is_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text) && !is_number(text);
}

void csv_text(FILE *to, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n\r"), formula = is_formula(text);
    if (quoted)
        putc('"', to);
    if (formula)
        putc('\'', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    if (quoted)
        putc('"', to);
}
