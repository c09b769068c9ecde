// Diagnostics. Libraries collect them, commands print them.
#pragma once
#include "support/source.h"
#include <stdio.h>

enum severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_REMARK };

#define NO_OFFSET UINT32_MAX

// A place in the source language from which the PTX was compiled.
struct diag_origin {
    const char *file;      // NULL: unknown
    uint32_t line, column; // column 0: unknown
};

struct diag {
    enum severity severity;
    const char *id;          // stable rule id, a row of support/diag_rules.def
    const char *message;     // one sentence without a full stop
    uint32_t begin, end;     // range in the source; begin = NO_OFFSET: the whole file
    bool raised;             // a warning that an option turns into an error
    const char *replacement; // suggested text for the range, or NULL
    struct diag_origin origin;
};

struct diags {
    struct arena *arena;
    VEC(struct diag) list;
    uint32_t errors, warnings;
};

// Initialises an empty list.
void diags_init(struct diags *diags, struct arena *arena);
// Adds a diagnostic with a formatted message.
void diag_add(struct diags *diags, enum severity severity, const char *id, uint32_t begin,
              uint32_t end, const char *format, ...) __attribute__((format(printf, 6, 7)));

// Sets the suggested text for the range of the last diagnostic. The text is copied.
void diag_suggest(struct diags *diags, const char *text, size_t length);

// Appends all diagnostics of another list.
void diags_append(struct diags *diags, const struct diags *more);

// Sorts by place. Diagnostics without a place come first, those at the same place keep their order,
// and notes stay after their diagnostic.
void diags_sort(struct diags *diags);

// Returns "note", "warning", "error" or "remark".
const char *severity_word(enum severity severity);

// Prints `file:line:col: error: text [id]`, the source line, and a caret with the range. A raised
// warning ends in `[-Werror=id]`; a note has no id.
void diag_print(const struct diag *diag, const struct source *source, FILE *to, bool colour);
// Prints a diagnostic at its origin, which must be known, without a source line.
void diag_print_origin(const struct diag *diag, FILE *to, bool colour);

// A rule of diagnostics, generated from diag_rules.def.
struct diag_rule {
    const char *id;
    enum severity severity; // usual severity
    enum severity min;      // lowest severity, in some cases
    const char *group;      // subject, one word
    const char *text;       // one sentence without a full stop
};

enum {
#define DIAG_RULE(...) +1
    DIAG_RULES = 0
#include "support/diag_rules.def"
#undef DIAG_RULE
};

extern const struct diag_rule diag_rules[DIAG_RULES];

// Returns the index of the rule in the table, or -1.
int diag_rule_find(const char *id, size_t length);
// Returns the id nearest to the text among the warnings or among all rules, or NULL if no id is
// similar.
const char *diag_rule_nearest(const char *typed, size_t length, bool warnings_only);

// Prints the line that contains `begin` and marks the range up to `end`, or to the end of the line.
// Lines that are too wide are cut around the range. Characters that a terminal does not display
// (control characters, invalid UTF-8) are printed as `<1b>` or `<U+202E>`.
void excerpt_print(const struct source *source, uint32_t begin, uint32_t end, FILE *to,
                   bool colour);
