// The command line of ptxoffload-noc.
#pragma once
#include "cli/measure/options.h"
#include "tools/noc/traffic.h"

struct noc_arguments {
    struct measure_arguments measure; // first member
    const char *traffic_text;
    struct noc_traffic traffic;
    struct traffic_sizes flits;
    uint64_t shuffle, patience;
    const char *heatmap;
};

extern const struct command noc_command;

// Sets the defaults; checks the options together. The check returns false after reporting an error.
void noc_options_default(void *arguments, struct arena *arena);
bool noc_options_check(void *arguments, struct command_line *line);
