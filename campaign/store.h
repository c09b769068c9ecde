// The store of results: a folder with one file for each finished job, and a database that can be
// rebuilt from these files at any time.
//
//     results/KEY.json   whole or not there
//     results/KEY.part   being written
//     work/KEY/          of a job that runs
//     campaign.sqlite    written by one process, the one that has the lock
//     lock
#pragma once
#include "campaign/plan.h"

struct campaign_names;
struct sqlite3;
struct json_t; // of jansson

struct campaign_store {
    struct arena *arena;
    const char *folder;
    int lock; // -1: not held
    struct sqlite3 *database;
    bool was_damaged;             // the database was, and was made again from the files
    struct campaign_names *names; // of statistics in the database; NULL: not read yet
};

// Files

// Makes the folder if it does not exist. It may be a link if the user has `chosen` it; its contents
// must not be links. Returns NULL, or the error.
const char *campaign_store_open(struct campaign_store *store, struct arena *arena,
                                const char *folder, bool chosen);
// Locks the store. Returns false if another process still has it after this many milliseconds, or
// with an error if it cannot be written.
bool campaign_store_lock(struct campaign_store *store, int milliseconds, const char **error);
// Closes the database and unlocks the store.
void campaign_store_close(struct campaign_store *store);
// Whether there are arrays in Slurm's queue, or may be.
bool campaign_store_has_arrays(struct campaign_store *store);
// Removes the files of jobs that did not finish, if none can be running on another host. Requires
// the lock.
void campaign_store_clean(struct campaign_store *store);
// Returns the keys of jobs with a working folder.
void campaign_store_working(struct campaign_store *store, struct text_list *keys);
const char *campaign_store_path(const struct campaign_store *store, const char *part,
                                const char *key, const char *suffix);
// Removes a folder with its contents.
void campaign_store_remove_folder(struct arena *arena, const char *path);

// Result files

// Writes the result of a job, and renames it when it is complete. Returns NULL, or the error.
const char *campaign_result_write(const struct campaign_store *store, const char *key,
                                  struct json_t *result);
// Returns NULL if the file does not exist, is incomplete, has another key, or was changed. The
// caller releases the result.
struct json_t *campaign_result_read(const struct campaign_store *store, const char *key);
// The same without the members that the database does not have, which are most of the text.
struct json_t *campaign_result_summary(const struct campaign_store *store, const char *key);
// Runs a job in this process, which then ends: tags, simulates, writes the result.
void campaign_job_run(const struct campaign_store *store, const struct campaign_plan *plan,
                      const struct campaign_job *job) __attribute__((noreturn));

// Takes the good result of the job's key from the store in `folder`, under the names of this plan.
// Sets *taken if there is one. Returns NULL, or the error of writing.
const char *campaign_job_reuse(const struct campaign_store *store, const char *folder,
                               const struct campaign_plan *plan, const struct campaign_job *job,
                               bool *taken);

// The database. Functions return NULL, or the error.

struct campaign_found {
    bool is_there;
    const char *failure; // NULL: success
    double cpu;          // seconds
    const char *ended;   // UTC
};

// With the lock: updates it from the files, removes damaged files and returns their keys in
// `damaged`. Without the lock: opens it unchanged.
const char *campaign_database_open(struct campaign_store *store, struct text_list *damaged);
// Adds the result of a job from its file. Requires the lock.
const char *campaign_database_take(struct campaign_store *store, const char *key);
// Removes a job and its result. Requires the lock.
const char *campaign_database_forget(struct campaign_store *store, const char *key);
// Records the keys of the plan's jobs, for `compare`. Requires the lock.
const char *campaign_database_plan(struct campaign_store *store, const struct campaign_plan *plan);
void campaign_database_find(struct campaign_store *store, const char *key,
                            struct campaign_found *found);
// Reads a statistic of a job. Returns false if the name is unknown.
bool campaign_database_value(struct campaign_store *store, const char *key, const char *statistic,
                             double *value);

// CPU seconds of jobs that have ended.
struct campaign_time {
    double seconds;
    uint32_t jobs;
};
void campaign_time_add(struct campaign_time *to, const struct campaign_time *more);
// Adds the times of good jobs of the last plans to those of their workloads in `of`, by the
// workload's place in the campaign, and to `all`.
void campaign_database_times(struct campaign_store *store, const struct campaign *campaign,
                             bool is_quick, struct campaign_time *of, struct campaign_time *all);

struct campaign_stored {
    const char *workload, *variant, *point; // point: "" if none exists
    bool is_quick;
    const char *key;
};

struct campaign_stored_list {
    VEC(struct campaign_stored) list;
};

// All jobs of the last plan with a good result, in order of their names.
void campaign_database_jobs(struct campaign_store *store, struct campaign_stored_list *to);
// Names of all statistics of a job.
void campaign_database_names(struct campaign_store *store, const char *key, struct text_list *to);
