// All rules of diagnostics, from one table.
#pragma once
#include "support/diag.h"

struct diag_rule {
    const char *id;
    enum severity severity; // of most of its cases
    enum severity least;    // of some of its cases
    const char *group;      // its subject, one word
    const char *text;       // one sentence without a full stop
};

enum {
#define DIAG_RULE(...) +1
    DIAG_RULES = 0
#include "support/diag_rules.def"
#undef DIAG_RULE
};

extern const struct diag_rule diag_rules[DIAG_RULES];

// Returns the place of the rule in the table, or -1.
int diag_rule_find(const char *id, size_t length);
// Returns the id nearest to the text, among the warnings or among all; NULL: none is near.
const char *diag_rule_nearest(const char *typed, size_t length, bool warnings_only);
