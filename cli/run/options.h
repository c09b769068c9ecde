// The options of ptxoffload-run: those of the simulator, and a few more. The command reads and
// checks them; the library in the program's process reads them again.
#pragma once
#include "cli/sim/options.h"

struct run_arguments {
    struct sim_arguments sim; // first member: the options of the simulator are read into it
    int offload;              // tag the program
    int profiler;             // time only between cudaProfilerStart and cudaProfilerStop
    const char *record;       // folder; NULL: none
    size_t slack;             // bytes
};

// Environment of the program: the options, each ended by RUN_SEPARATOR, and the folder from which
// their files count.
#define RUN_OPTIONS "PTXOFFLOAD_RUN_OPTIONS"
#define RUN_FOLDER "PTXOFFLOAD_RUN_FOLDER"
enum { RUN_SEPARATOR = 0x1f };

const struct command *run_command(struct arena *arena);
// Reads options up to the first other word. Returns their number, or -1 after printing errors.
// argv[0] is the command's name.
int run_options_read(struct run_arguments *arguments, struct arena *arena, int argc,
                     char *const *argv, FILE *errors);
