// The options of ptxoffload-run: those of the simulator, and a few more. The command reads and
// checks them; the library in the program's process reads them again.
#pragma once
#include "cli/sim/options.h"

struct starter_arguments {
    struct sim_arguments sim; // first member: the options of the simulator are read into it
    int options;              // number of arguments before the program or `--`
    bool has_program;
    const char *offload;         // tag the program with these options of ptxoffload; NULL: do not
    int profiler;                // count cycles only between cudaProfilerStart and cudaProfilerStop
    const char *record;          // folder; NULL: none
    int expect;                  // record the results, too
    size_t slack;                // bytes
    int devices;                 // number of devices
    const char *const *machines; // of each device; NULL: all have that of --config
};

// Environment of the program: the options, each followed by STARTER_SEPARATOR, and the folder to
// which their file names are relative.
#define STARTER_OPTIONS "PTXOFFLOAD_RUN_OPTIONS"
#define STARTER_FOLDER "PTXOFFLOAD_RUN_FOLDER"
enum { STARTER_SEPARATOR = 0x1f };

extern const struct command run_command_base; // without rows of options
// Reads the options, for frame_read in the program's process.
extern const struct cli_program run_reader;
// Returns the command, with the rows of the simulator that a program does not decide.
const struct command *run_command(struct arena *arena);
void starter_options_default(void *arguments, struct arena *arena);
// Returns the machine of a device, as for --config.
const char *starter_machine(const struct starter_arguments *arguments, uint32_t device);
// Checks the options together. Returns false after reporting an error.
bool starter_options_check(void *arguments, struct command_line *line);
