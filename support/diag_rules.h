// All rules of diagnostics, generated from diag_rules.def.
#pragma once
#include "support/diag.h"

struct diag_rule {
    const char *id;
    enum severity severity; // usual severity
    enum severity least;    // lowest severity, in some cases
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
