// Depfiles: rules for make and ninja that say which files an output was made from.
#pragma once
#include "support/vec.h"
#include <stdio.h>

// What the command line asks for, with the options that gcc has.
struct depfile {
    int wanted;              // -MD
    int phony;               // -MP
    const char *path;        // -MF; NULL: beside the output
    VEC(const char *) names; // targets as they are to stand in the rule: -MT, and -MQ quoted
};

// A name as make reads it in a rule: blanks, '#' and '$' are quoted; the rest cannot be.
const char *depfile_quote(struct arena *arena, const char *name);

struct depfile_rule {
    const char *const *targets; // quoted
    uint32_t n_targets;
    const char *const *sources; // quoted
    uint32_t n_sources;
    bool has_main; // the first is what the others are for
    bool phony;    // a rule without a command for each source but the main one
};

void depfile_write(const struct depfile_rule *rule, FILE *to);
