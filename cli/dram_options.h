// The command line of ptxoffload-dram.
#pragma once
#include "cli/arguments.h"

struct dram_arguments {
    struct arguments common; // first: what the messages look at
    const char *config;
    VEC(const char *) settings; // --set SECTION.KEY=VALUE
    int pattern;                // enum dram_pattern
    double writes;
    double load; // negative: always one more request
    uint64_t seed, warmup, cycles;
    int sweep;
    VEC(double) loads; // of the sweep; none: they are chosen
    const char *json, *csv, *plot, *stats, *trace;
    int print_config, list_stats, list_configs, help_keys;
};

extern const struct command dram_command;
extern const char *const dram_pattern_names[];

// Reads the command line, response files included. False if it is wrong, after saying so on
// `errors`.
bool dram_arguments_read(struct dram_arguments *arguments, struct arena *arena, int argc,
                         char *const *argv, FILE *errors);
// True if the name ends in this, such as ".json".
bool dram_ends_in(const char *name, const char *suffix);
