// All rules that diagnostics can name, from one table.
#pragma once
#include "support/diag.h"

struct diag_rule {
    const char *id;
    enum severity severity; // most of its cases
    enum severity least;    // some of its cases
    const char *group;      // what it is about, one word
    const char *text;       // one sentence without a full stop
};

enum {
#define DIAG_RULE(...) +1
    DIAG_RULES = 0
#include "support/diag_rules.def"
#undef DIAG_RULE
};

extern const struct diag_rule diag_rules[DIAG_RULES];

// The place of the rule in the table, or -1.
int diag_rule_find(const char *id, size_t length);
// The id nearest to what was typed, among those that can be warnings or among all; NULL: none.
const char *diag_rule_nearest(const char *typed, size_t length, bool warnings_only);
