// Reading of a run: a run file, or the command line as one.
#pragma once
#include "cli/common/messages.h"
#include "cli/sim/options.h"
#include "runtime-sim/run/run.h"

// Reads it into `run`, whose text is then `source`. `path`: of the run file, or of the program.
// Faults go to `diags` and those of settings; one of the file itself is reported.
bool sim_run_read(struct run *run, struct source *source, const char *path, struct arena *arena,
                  const struct sim_arguments *arguments, struct diags *diags,
                  const struct messages *messages);
