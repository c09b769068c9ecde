// Common parts of the command lines of ptxoffload-noc and ptxoffload-dram.
#pragma once
#include "cli/tagger/arguments.h"

struct measure_arguments {
    struct arguments common; // first: messages.c reads it
    const char *config;
    VEC(const char *) settings; // --set SECTION.KEY=VALUE
    uint64_t seed, cycles, warmup;
    double load; // negative: not given
    int sweep;
    VEC(double) loads; // of the sweep; empty: selected automatically
    const char *json, *csv, *plot, *stats;
    int print_config, list_stats, list_configs, help_keys;
};

struct measure_limits {
    double most;
    bool above_zero; // a load of 0 is an error
};

// Options whose arguments begin with a struct measure_arguments.
extern const struct option measure_messages[];
const char *measure_take_seed(struct arena *arena, void *into, const char *argument);
const char *measure_take_cycles(struct arena *arena, void *into, const char *argument);
const char *measure_take_warmup(struct arena *arena, void *into, const char *argument);

// Each of these returns NULL, or the error in the argument.
const char *measure_take_uint(struct arena *arena, const char *argument, uint64_t least,
                              uint64_t most, uint64_t *value);
const char *measure_take_set(struct arena *arena, struct measure_arguments *a, const char *section,
                             const char *argument);
const char *measure_take_sweep(struct arena *arena, struct measure_arguments *a,
                               const struct measure_limits *limits, const char *argument);

// Reads a number from 0 to `most` and advances *at. Returns false if *at does not begin with one.
bool measure_read_real(const char **at, double most, double *value);
// Returns true if the name ends in the suffix and is longer, as "a.svg" for ".svg".
bool measure_ends_in(const char *name, const char *suffix);
// Replaces /dev/stdout by "-".
void measure_name_output(const char **path);

// Prints the texts as an error of the command. Returns false.
bool measure_fault(const struct command *command, FILE *errors, const char *text, const char *name);

typedef bool measure_check(struct measure_arguments *a, const struct command_line *line,
                           FILE *errors);
// Reads the command line with response files. Returns false if it is wrong or `check` returns
// false, after an error and a hint on `errors`.
bool measure_arguments_read(const struct command *command, struct measure_arguments *a,
                            struct arena *arena, int argc, char *const *argv, measure_check *check,
                            FILE *errors);
