// The command line of ptxoffload-noc.
#pragma once
#include "cli/arguments.h"
#include "tools/noc/traffic.h"

struct noc_arguments {
    struct arguments common; // first: what the messages look at
    const char *config;
    VEC(const char *) settings; // --set SECTION.KEY=VALUE
    const char *traffic_text;
    struct noc_traffic traffic;
    struct traffic_sizes flits;
    uint64_t seed, cycles, warmup, shuffle, patience;
    double load; // negative: not given
    int sweep;
    VEC(double) loads; // of the sweep; none: they are chosen
    const char *json, *csv, *plot, *heatmap, *stats;
    int print_config, list_stats, list_configs, help_keys;
};

extern const struct command noc_command;

// Reads the command line, response files included. False if it is wrong, after saying so on
// `errors`.
bool noc_arguments_read(struct noc_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors);
// True if the name ends in this, such as ".svg".
bool noc_ends_in(const char *name, const char *suffix);
