// Reading of a run: a run file, or the command line as one; and its rehearsal.
#pragma once
#include "cli/sim/plans.h"
#include "runtime-sim/device/device.h"
#include "runtime-sim/host/host.h"
#include "runtime-sim/run/run.h"
#include <stdatomic.h>

// Reads it into `run`, whose text is then `source`. `path`: of the run file, or of the program.
// Faults go to `diags` and those of settings; one of the file itself is reported.
bool sim_run_read(struct run *run, struct source *source, const char *path, struct arena *arena,
                  const struct sim_arguments *arguments, struct diags *diags,
                  const struct messages *messages);

// A run of all launches without time, before the run with time, which schemes follow.
struct sim_rehearsal {
    const struct sim_arguments *arguments;
    const char *path; // of the run file, or of the program
    const struct messages *messages;
    const struct device_module *module;
    const struct machine_config *config;
    const struct host_config *host_config; // of runs with streams
    const struct sim_plans *plans;
    const atomic_int *stop; // the run stops when this is not 0
};

// Runs it if a scheme has such functions, with buffers and launches of its own. Its faults are
// those of the run with time, which reports them.
void sim_rehearse(const struct sim_rehearsal *rehearsal, struct arena *arena);
