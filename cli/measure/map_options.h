// The command line of ptxoffload-map.
#pragma once
#include "cli/measure/options.h"

struct map_arguments {
    struct measure_arguments measure; // first
    const char *input, *rewrite;
    uint64_t copies; // 0: as many as fit
};

extern const struct command map_command;

// Reads the command line with response files. Returns false after reporting errors on `errors`.
bool map_arguments_read(struct map_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors);
