// The options of ptxoffload-run: those of the simulator, and a few more. The command reads and
// checks them; the library in the program's process reads them again.
#pragma once
#include "cli/sim/options.h"

struct run_arguments {
    struct sim_arguments sim; // first member: the options of the simulator are read into it
    int options;              // number of arguments before the program or `--`
    bool has_program;
    int offload;        // tag the program
    int profiler;       // time only between cudaProfilerStart and cudaProfilerStop
    const char *record; // folder; NULL: none
    size_t slack;       // bytes
};

// Environment of the program: the options, each ended by RUN_SEPARATOR, and the folder from which
// their files count.
#define RUN_OPTIONS "PTXOFFLOAD_RUN_OPTIONS"
#define RUN_FOLDER "PTXOFFLOAD_RUN_FOLDER"
enum { RUN_SEPARATOR = 0x1f };

extern const struct command run_command_base; // without rows
// Reads the options, for frame_read in the program's process.
extern const struct cli_program run_reader;
// The command, with the rows of the simulator that a program does not decide.
const struct command *run_command(struct arena *arena);
bool run_options_check(void *arguments, struct command_line *line);
