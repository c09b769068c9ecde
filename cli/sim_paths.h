// All that a run reads and writes, by its path.
#pragma once
#include "cli/messages.h"
#include "cli/sim_options.h"
#include "runtime-sim/run/run.h"

// False after telling what would be overwritten, or is written twice. `machine` has its texts.
bool sim_paths_check(struct arena *arena, const struct messages *messages,
                     const struct sim_arguments *arguments, const struct run *run,
                     const struct config *machine);
// Why the file must not be written that the run file names for a buffer: a phrase about its path,
// in the arena. NULL: it may, or the command line names it.
const char *sim_paths_refusal(struct arena *arena, const struct run_buffer *buffer);
