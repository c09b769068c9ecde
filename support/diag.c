#include "support/diag.h"
#include <stdarg.h>

void diags_init(struct diags *diags, struct arena *arena)
{
    *diags = (struct diags){.arena = arena};
}

void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    struct diag diag = {severity, id, arena_strndup(diags->arena, text, (size_t)length), begin,
                        end};
    vec_push(diags->arena, &diags->list, diag);
    diags->errors += severity == DIAG_ERROR;
    diags->warnings += severity == DIAG_WARNING;
}

static const struct {
    const char *word, *colour;
} severities[] = {
    [DIAG_NOTE] = {"note", "\033[1;36m"},
    [DIAG_WARNING] = {"warning", "\033[1;35m"},
    [DIAG_ERROR] = {"error", "\033[1;31m"},
};

// The line with control characters made visible, cut to a width that a terminal can show.
static void print_excerpt(const struct diag *diag, const struct source *source, FILE *to,
                          bool colour)
{
    enum { WIDTH = 160 };
    struct place place = source_place(source, diag->begin);
    uint32_t begin, end;
    source_line(source, place.line, &begin, &end);
    if (diag->begin > begin + WIDTH - 40)
        begin = diag->begin - (WIDTH - 40);
    if (end > begin + WIDTH)
        end = begin + WIDTH;
    fprintf(to, "%6u | ", place.line);
    for (uint32_t i = begin; i < end; i++) {
        unsigned char c = (unsigned char)source->text[i];
        putc(c == '\t' ? '\t' : c < ' ' || c == 127 ? '?' : c, to);
    }
    fputs("\n       | ", to);
    for (uint32_t i = begin; i < diag->begin; i++)
        putc(source->text[i] == '\t' ? '\t' : ' ', to);
    uint32_t stop = diag->end < end ? diag->end : end;
    fputs(colour ? "\033[1;32m^" : "^", to);
    for (uint32_t i = diag->begin + 1; i < stop; i++)
        putc('~', to);
    fputs(colour ? "\033[0m\n" : "\n", to);
}

void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour)
{
    const char *bold = colour ? "\033[1m" : "", *reset = colour ? "\033[0m" : "";
    bool placed = diag->begin != NO_OFFSET;
    fprintf(to, "%s%s:", bold, source->name);
    if (placed) {
        struct place place = source_place(source, diag->begin);
        fprintf(to, "%u:%u:", place.line, place.column);
    }
    fprintf(to, " %s%s:%s%s %s [%s]%s\n", colour ? severities[diag->severity].colour : "",
            severities[diag->severity].word, reset, bold, diag->message, diag->id, reset);
    if (placed)
        print_excerpt(diag, source, to, colour);
}
