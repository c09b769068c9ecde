// The command line of ptxoffload-map.
#pragma once
#include "cli/measure/options.h"

struct map_arguments {
    struct measure_arguments measure; // first member
    const char *rewrite;
    uint64_t copies; // 0: as many as fit
};

extern const struct command map_command;

// Checks the options together. Returns false after reporting an error.
bool map_options_check(void *arguments, struct command_line *line);
