// Reads a run, from a run file or from the command line, and rehearses it.
#pragma once
#include "cli/sim/plans.h"
#include "runtime-sim/device/device.h"
#include "runtime-sim/host/host.h"
#include "runtime-sim/run/run.h"
#include <stdatomic.h>

// Reads the run; `source` becomes its text. `path` is that of the run file or of the program.
// Faults go to `diags` and those of settings; a file that cannot be read is reported. Returns false
// after faults.
bool sim_run_read(struct run *run, struct source *source, const char *path, struct arena *arena,
                  const struct sim_arguments *arguments, struct diags *diags,
                  const struct messages *messages);

// A functional run of all launches before the run with time, observed by schemes.
struct sim_rehearsal {
    const struct sim_arguments *arguments;
    const char *path; // of the run file or of the program
    const struct messages *messages;
    const struct device_module *module;
    const struct machine_config *config;
    const struct host_config *host_config; // for runs with streams
    const struct sim_plans *plans;
    const atomic_int *stop; // the run stops when this is not 0
};

// Runs the rehearsal if a scheme has functions for it, with buffers and launches of its own. Its
// faults are not reported, because the run with time has the same.
void sim_rehearse(const struct sim_rehearsal *rehearsal, struct arena *arena);
