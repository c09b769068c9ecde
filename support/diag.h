// Diagnostics are collected by the libraries and printed by the command line.
#pragma once
#include "support/source.h"
#include <stdio.h>

enum severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

#define NO_OFFSET UINT32_MAX

struct diag {
    enum severity severity;
    const char *id;      // stable rule id, e.g. "syntax"
    const char *message; // one sentence without a full stop
    uint32_t begin, end; // range in the source; begin = NO_OFFSET: the file as a whole
};

struct diags {
    struct arena *arena;
    VEC(struct diag) list;
    uint32_t errors, warnings;
};

void diags_init(struct diags *diags, struct arena *arena);
void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...) __attribute__((format(printf, 6, 7)));

// `file:line:col: error: text [id]`, the source line, a caret with the range.
void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour);
