// The command line of ptxoffload-dram.
#pragma once
#include "cli/measure/options.h"

struct dram_arguments {
    struct measure_arguments measure; // first member; a negative load keeps the queues full
    int pattern;                      // enum dram_pattern
    double writes;
    const char *trace;
};

extern const struct command dram_command;
extern const char *const dram_pattern_names[];

// Sets the defaults; checks the options together. The check returns false after reporting an error.
void dram_options_default(void *arguments, struct arena *arena);
bool dram_options_check(void *arguments, struct command_line *line);
