// --checkpoint, --checkpoint-every, --resume and --stop-after of ptxoffload-sim.
#pragma once
#include "cli/common/messages.h"
#include "cli/sim/options.h"
#include "runtime-sim/run/checkpoint.h"
#include "support/file.h"

struct sim_checkpoint {
    const struct sim_arguments *arguments;
    const struct messages *messages;
    struct arena own; // for the file that is written
    struct outputs outputs;
    struct file_map file;      // the file from which the run resumes
    struct checkpoint *resume; // NULL: not resumed
    struct session *session;
    struct timed *timed; // NULL: values only
    bool failed;         // a file could not be written; the error was reported
};

// Initialises the state. `arguments` and `messages` must stay valid. After this call an interrupt
// may remove the outputs.
void sim_checkpoint_init(struct sim_checkpoint *checkpoint, struct memory *memory,
                         const struct sim_arguments *arguments, const struct messages *messages);
// Sets the session's stop and checkpoints. Call it before session_prepare. `timed` is NULL for a
// functional run. Returns false after an error in the file to resume from.
bool sim_checkpoint_begin(struct sim_checkpoint *checkpoint, struct session *session,
                          struct timed *timed);
// Restores the state in the file to resume from, if any. Call it after session_prepare. Returns
// false after errors.
bool sim_checkpoint_resume(struct sim_checkpoint *checkpoint);
