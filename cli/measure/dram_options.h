// The command line of ptxoffload-dram.
#pragma once
#include "cli/measure/options.h"

struct dram_arguments {
    struct measure_arguments measure; // first; a negative load: the queues are always full
    int pattern;                      // enum dram_pattern
    double writes;
    const char *trace;
};

extern const struct command dram_command;
extern const char *const dram_pattern_names[];

// Reads the command line with response files. Returns false after reporting errors on `errors`.
bool dram_arguments_read(struct dram_arguments *arguments, struct arena *arena, int argc,
                         char *const *argv, FILE *errors);
