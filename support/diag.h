// Diagnostics are collected by the libraries and printed by the command line.
#pragma once
#include "support/source.h"
#include <stdio.h>

enum severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_REMARK };

#define NO_OFFSET UINT32_MAX

struct diag {
    enum severity severity;
    const char *id;      // stable rule id, a row of support/diag_rules.def
    const char *message; // one sentence without a full stop
    uint32_t begin, end; // range in the source; begin = NO_OFFSET: the file as a whole
    bool raised;         // a warning that the user takes for an error
};

struct diags {
    struct arena *arena;
    VEC(struct diag) list;
    uint32_t errors, warnings;
};

void diags_init(struct diags *diags, struct arena *arena);
void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...) __attribute__((format(printf, 6, 7)));

// Sorts by place; what belongs to no place comes first. The order of those at one place stays, and
// notes stay behind what they belong to.
void diags_sort(struct diags *diags);

// "note", "warning", "error" or "remark"
const char *severity_word(enum severity severity);

// `file:line:col: error: text [id]`, the source line, a caret with the range. A warning that was
// raised ends in `[-Werror=id]`, a note in nothing.
void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour);
