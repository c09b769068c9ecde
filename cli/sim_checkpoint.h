// --checkpoint, --checkpoint-every, --resume and --stop-after of ptxoffload-sim.
#pragma once
#include "cli/messages.h"
#include "cli/sim_options.h"
#include "runtime-sim/run/checkpoint.h"
#include "support/file_map.h"

struct sim_checkpoint {
    const struct sim_arguments *arguments;
    const struct messages *messages;
    struct arena own; // of a file that is written
    struct outputs outputs;
    struct file_map file;      // that is resumed
    struct checkpoint *resume; // NULL: none
    struct session *session;
    struct timed *timed; // NULL: values only
    bool failed;         // a file could not be written, which was reported
};

// `arguments` and `messages` stay. From then on interrupt_remove may have the outputs.
void sim_checkpoint_init(struct sim_checkpoint *checkpoint, struct memory *memory,
                         const struct sim_arguments *arguments, const struct messages *messages);
// Before session_prepare: sets the session's stop and checkpoints. `timed`: NULL for values only.
// Returns false after an error in the file to resume.
bool sim_checkpoint_begin(struct sim_checkpoint *checkpoint, struct session *session,
                          struct timed *timed);
// After session_prepare: restores the state of the file, if one is resumed. Returns false after
// errors.
bool sim_checkpoint_resume(struct sim_checkpoint *checkpoint);
