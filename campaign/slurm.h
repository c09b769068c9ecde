// Runs jobs on a Slurm cluster. The jobs of a run are submitted as arrays. Their tasks write
// results to the store, which is on a file system that all hosts share, and this process collects
// the results.
//
// For each array, whose ID is never reused, the store has:
//
//     slurm/ID.tickets   a line with `jobs_per_task`, then one ticket a line in order of the tasks
//     slurm/ID.sh        the script of the array
//     slurm/ID-TASK.out  the messages of a task
//
// The files exist until all jobs of the array have ended, so that another run can continue where
// this one was killed. The name of an array in Slurm's queue is ptxoffload-ID.
#pragma once
#include "campaign/run.h"

struct campaign_slurm {
    const char *partition, *time, *memory; // options of sbatch; NULL: the cluster's default
    uint32_t array_size;                   // maximum number of tasks of an array
    uint32_t jobs_per_task;
    uint32_t poll;           // seconds between two queries of the queue
    struct text_list sbatch; // more options
    const char *program;     // path of this program, which the tasks run
};

// Sets the default settings.
void campaign_slurm_init(struct campaign_slurm *slurm);
// Sets partition, time, memory, array_size, jobs_per_task or poll. Returns NULL, or the error.
const char *campaign_slurm_set(struct campaign_slurm *slurm, struct arena *arena, const char *key,
                               const char *value);
// Submits the jobs without a result, and collects results until no job is left in the queue.
// Requires the lock and the database. A signal ends this process, but no job. Returns NULL, or the
// error of the store or of sbatch.
const char *campaign_slurm_run(struct campaign_store *store, const struct campaign_plan *plan,
                               const struct campaign_watch *watch,
                               const struct campaign_slurm *slurm, struct campaign_counts *counts);

struct campaign_queue {
    uint32_t waiting, running; // tasks of the store's arrays
    const char *error;         // why the numbers are unknown, or NULL
};

// Returns true if the store has arrays with unfinished jobs, and counts their tasks in the queue.
bool campaign_slurm_look(struct campaign_store *store, struct campaign_queue *queue);

// Runs the jobs of one task of an array and writes their results. Returns the exit code.
int campaign_slurm_work(struct arena *arena, const char *store, const char *tickets, uint32_t task);

// Calls Slurm's commands to read the queue and to submit arrays.

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
