// Diagnostics: libraries collect them, the commands print them.
#pragma once
#include "support/source.h"
#include <stdio.h>

enum severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_REMARK };

#define NO_OFFSET UINT32_MAX

// A place in the source from which the text was compiled.
struct diag_origin {
    const char *file;      // NULL: unknown
    uint32_t line, column; // column 0: unknown
};

struct diag {
    enum severity severity;
    const char *id;          // stable rule id, a row of support/diag_rules.def
    const char *message;     // one sentence without a full stop
    uint32_t begin, end;     // range in the source; begin = NO_OFFSET: the whole file
    bool raised;             // a warning that an option makes an error
    const char *replacement; // of the range: probably what was meant; NULL: unknown
    struct diag_origin origin;
};

struct diags {
    struct arena *arena;
    VEC(struct diag) list;
    uint32_t errors, warnings;
};

void diags_init(struct diags *diags, struct arena *arena);
void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...) __attribute__((format(printf, 6, 7)));

// Suggests this text for the range of the last diagnostic. Copies it.
void diag_suggest(struct diags *diags, const char *text, size_t length);

// Adds all of another list.
void diags_append(struct diags *diags, const struct diags *more);

// Sorts by place; diagnostics without a place come first. Diagnostics at one place keep their
// order, and notes stay after their message.
void diags_sort(struct diags *diags);

// "note", "warning", "error" or "remark"
const char *severity_word(enum severity severity);

// `file:line:col: error: text [id]`, the source line, and a caret with the range. A raised warning
// ends in `[-Werror=id]`; a note has no id.
void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour);
// The same at its origin, which is known, without a source line.
void diag_print_origin(const struct diag *diag, FILE *to, bool colour);
