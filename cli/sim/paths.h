// The files that a run reads and writes, by path.
#pragma once
#include "cli/common/messages.h"
#include "cli/sim/options.h"
#include "runtime-sim/run/run.h"

// Returns false after reporting a file that would be overwritten or written twice. Requires the
// texts of `machine`.
bool sim_paths_check(struct arena *arena, const struct messages *messages,
                     const struct sim_arguments *arguments, const struct run *run,
                     const struct config *machine);
// Returns why the file that the run file names for a buffer must not be written, as a phrase about
// its path in the arena. Returns NULL if it may be written, or if the command line names it.
const char *sim_paths_refusal(struct arena *arena, const struct run_buffer *buffer);
