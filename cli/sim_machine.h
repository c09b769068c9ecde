// The machine of ptxoffload-sim: its configuration, and what is written about it.
#pragma once
#include "cli/messages.h"
#include "cli/sim_options.h"
#include "runtime-sim/device/timed.h"

struct sim_machine {
    struct machine_config config;
    struct config_section sections[MACHINE_SECTIONS];
    struct config resolved;
    struct timed_wish wish;
    struct timed timed;
    FILE *series; // NULL: none
    VEC(const char *) series_names;
};

// Reads what --config and --set say. False after telling what is wrong.
bool sim_machine_read(struct sim_machine *machine, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages);
// Finds the kernels of the regions in the program. False after saying which is not there.
bool sim_machine_finds(struct sim_machine *machine, const struct program *program,
                       const struct messages *messages);
// The heading of the time series; rows come by themselves.
void sim_machine_series(struct sim_machine *machine, FILE *to);
