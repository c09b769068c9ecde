// Slurm's commands: what is in the queue, and how more gets there.
#pragma once
#include "campaign/slurm.h"

enum slurm_state {
    SLURM_WAITING, // and what comes back by itself
    SLURM_RUNNING,
    SLURM_CANCELLED,
    SLURM_LIMIT, // out of time or of memory: the next try would be no better
    SLURM_LOST,  // ended in another way, or unknown to Slurm
};

struct slurm_task {
    const char *array; // its ID
    uint32_t task;
    enum slurm_state state;
    const char *name; // of the state, as Slurm has it
};

struct slurm_tasks {
    VEC(struct slurm_task) list; // by array and task
};

// Reads the user's tasks that have names of ours. Returns NULL, or the error.
const char *slurm_queue_read(struct arena *arena, struct slurm_tasks *tasks);
// Returns NULL if there is no such task.
const struct slurm_task *slurm_queue_find(const struct slurm_tasks *tasks, const char *array,
                                          uint32_t task);
// Submits the script slurm/ID.sh as an array of N tasks. Returns NULL, or the error.
const char *slurm_submit(struct arena *arena, const struct campaign_slurm *slurm,
                         const char *folder, const char *array, uint32_t tasks, uint32_t at_a_time);
