#include "support/diag.h"
#include "support/listing.h"
#include "support/nearest.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void diags_init(struct diags *diags, struct arena *arena)
{
    *diags = (struct diags){.arena = arena};
}

void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...)
{
    assert(diag_rule_find(id, strlen(id)) >= 0);
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= (int)sizeof text)
        length = (int)sizeof text - 1;
    make_printable(text);
    struct diag diag = {
        .severity = severity,
        .id = id,
        .message = arena_strndup(diags->arena, text, (size_t)length),
        .begin = begin,
        .end = end,
    };
    vec_push(diags->arena, &diags->list, diag);
    diags->errors += severity == DIAG_ERROR;
    diags->warnings += severity == DIAG_WARNING;
}

void diag_suggest(struct diags *diags, const char *text, size_t length)
{
    diags->list.v[diags->list.n - 1].replacement = arena_strndup(diags->arena, text, length);
}

void diags_append(struct diags *diags, const struct diags *more)
{
    for (uint32_t i = 0; i < more->list.n; i++)
        vec_push(diags->arena, &diags->list, more->list.v[i]);
    diags->errors += more->errors;
    diags->warnings += more->warnings;
}

static const struct {
    const char *word, *colour;
} severities[] = {
    [DIAG_NOTE] = {"note", "\033[1;36m"},
    [DIAG_WARNING] = {"warning", "\033[1;35m"},
    [DIAG_ERROR] = {"error", "\033[1;31m"},
    [DIAG_REMARK] = {"remark", "\033[1;34m"},
};

// Sorting. The unit is a group: a diagnostic with the notes that follow it.

struct diag_with_notes {
    uint32_t key; // start of the range; diagnostics without a place come first
    uint32_t first, count;
};

static int compare_groups(const void *left, const void *right)
{
    const struct diag_with_notes *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

void diags_sort(struct diags *diags)
{
    VEC(struct diag_with_notes) groups = {0};
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        if (diag->severity == DIAG_NOTE && groups.n)
            groups.v[groups.n - 1].count++;
        else
            vec_push(diags->arena, &groups, (struct diag_with_notes){diag->begin + 1, i, 1});
    }
    if (groups.n < 2)
        return;
    qsort(groups.v, groups.n, sizeof *groups.v, compare_groups);
    struct diag *sorted = ARENA_ARRAY(diags->arena, struct diag, diags->list.n), *at = sorted;
    for (uint32_t i = 0; i < groups.n; i++) {
        memcpy(at, diags->list.v + groups.v[i].first, groups.v[i].count * sizeof *at);
        at += groups.v[i].count;
    }
    diags->list.v = sorted;
    diags->list.capacity = diags->list.n;
}

// Printing

const char *severity_word(enum severity severity)
{
    return severities[severity].word;
}

// Prints `file:line:col: error: text [id]`. Line or column 0: unknown.
static void print_head(const struct diag *diag, const char *file, uint32_t line, uint32_t column,
                       FILE *to, bool colour)
{
    const char *bold = colour ? "\033[1m" : "", *reset = colour ? "\033[0m" : "";
    fprintf(to, "%s%s:", bold, file);
    if (line)
        fprintf(to, "%u:", line);
    if (column)
        fprintf(to, "%u:", column);
    fprintf(to, " %s%s:%s%s %s", colour ? severities[diag->severity].colour : "",
            severities[diag->severity].word, reset, bold, diag->message);
    if (diag->severity != DIAG_NOTE)
        fprintf(to, diag->raised ? " [-Werror=%s]" : " [%s]", diag->id);
    fprintf(to, "%s\n", reset);
}

void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour)
{
    struct source_position place = {0};
    bool placed = diag->begin != NO_OFFSET;
    if (placed)
        place = source_position_at(source, diag->begin);
    print_head(diag, source->name, place.line, place.column, to, colour);
    if (placed)
        excerpt_print(source, diag->begin, diag->end, to, colour);
}

void diag_print_origin(const struct diag *diag, FILE *to, bool colour)
{
    const struct diag_origin *origin = &diag->origin;
    print_head(diag, origin->file, origin->line, origin->column, to, colour);
}

const struct diag_rule diag_rules[DIAG_RULES] = {
#define DIAG_RULE(id, severity, min, group, text) {id, DIAG_##severity, DIAG_##min, group, text},
#include "support/diag_rules.def"
#undef DIAG_RULE
};

int diag_rule_find(const char *id, size_t length)
{
    for (int i = 0; i < DIAG_RULES; i++)
        if (strlen(diag_rules[i].id) == length && !memcmp(diag_rules[i].id, id, length))
            return i;
    return -1;
}

const char *diag_rule_nearest(const char *typed, size_t length, bool warnings_only)
{
    struct nearest nearest;
    nearest_init(&nearest, typed, length);
    for (int i = 0; i < DIAG_RULES; i++)
        if (!warnings_only || diag_rules[i].min == DIAG_WARNING)
            nearest_offer(&nearest, diag_rules[i].id, strlen(diag_rules[i].id));
    return nearest.best;
}
