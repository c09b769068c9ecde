// Calls Slurm's commands to read the queue and to submit arrays.
#pragma once
#include "campaign/slurm.h"

enum slurm_state {
    SLURM_WAITING, // pending, or will be requeued by Slurm
    SLURM_RUNNING,
    SLURM_CANCELLED,
    SLURM_LIMIT, // out of time or memory, so another attempt would fail too
    SLURM_LOST,  // ended otherwise, or unknown to Slurm
};

struct slurm_task {
    const char *array; // ID of the array
    uint32_t task;
    enum slurm_state state;
    const char *name; // Slurm's name of the state
};

struct slurm_tasks {
    VEC(struct slurm_task) list; // sorted by array and task
};

// Reads the user's tasks in arrays named ptxoffload-ID. Returns NULL, or the error.
const char *slurm_queue_read(struct arena *arena, struct slurm_tasks *tasks);
// Returns the task, or NULL if it is not in the list.
const struct slurm_task *slurm_queue_find(const struct slurm_tasks *tasks, const char *array,
                                          uint32_t task);
// Submits the script slurm/ID.sh as an array of N tasks. Returns NULL, or the error.
const char *slurm_submit(struct arena *arena, const struct campaign_slurm *slurm,
                         const char *folder, const char *array, uint32_t tasks, uint32_t at_a_time);
