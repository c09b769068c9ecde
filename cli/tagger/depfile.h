// Depfiles: rules for make and ninja with the inputs of an output.
#pragma once
#include "cli/common/options.h"

// Options of the command line, as in gcc.
struct depfile {
    int wanted;             // -MD
    int phony;              // -MP
    const char *path;       // -MF; NULL: next to the output
    struct text_list names; // targets as written in the rule: -MT, and -MQ quoted
};

// Quotes a name for a rule of make: blanks, '#', ':' and '$'; other characters cannot be quoted.
const char *depfile_quote(struct arena *arena, const char *name);
// Returns why make and ninja cannot read the quoted name, or NULL.
const char *depfile_fault(const char *quoted);

struct depfile_rule {
    const char *const *targets; // quoted
    uint32_t n_targets;
    const char *const *sources; // quoted
    uint32_t n_sources;
    bool has_main; // the first source is the main one
    bool phony;    // a rule without a command for each source but the main one
};

// Writes the rule, in lines broken between names.
void depfile_write(const struct depfile_rule *rule, FILE *to);
