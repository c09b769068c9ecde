// The command line of ptxoffload-noc.
#pragma once
#include "cli/measure/options.h"
#include "tools/noc/traffic.h"

struct noc_arguments {
    struct measure_arguments measure; // first
    const char *traffic_text;
    struct noc_traffic traffic;
    struct traffic_sizes flits;
    uint64_t shuffle, patience;
    const char *heatmap;
};

extern const struct command noc_command;

// Reads the command line with response files. Returns false after reporting errors on `errors`.
bool noc_arguments_read(struct noc_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors);
