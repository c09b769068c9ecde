// The store of results is a folder with one file for each finished job, and a database that can be
// rebuilt from these files at any time.
//
//     results/KEY.json   complete if it exists
//     results/KEY.part   being written
//     work/KEY/          working folder of a running job
//     campaign.sqlite    written only by the process that holds the lock
//     lock
#pragma once
#include "campaign/plan.h"

struct campaign_names;
struct sqlite3;
struct json_t; // from jansson

struct campaign_store {
    struct arena *arena;
    const char *folder;
    int lock; // -1: not held
    struct sqlite3 *database;
    bool was_damaged;             // the database was damaged and has been rebuilt from the files
    struct campaign_names *names; // names of statistics in the database; NULL: not read yet
};

// Files

// Opens the store, and creates its folder if necessary. The folder may be a symbolic link only if
// the user has `chosen` it; its contents must not be links. Returns NULL, or the error.
const char *campaign_store_open(struct campaign_store *store, struct arena *arena,
                                const char *folder, bool chosen);
// Locks the store. Returns false if another process still holds the lock after this many
// milliseconds, or, with *error set, if the store cannot be written.
bool campaign_store_lock(struct campaign_store *store, int milliseconds, const char **error);
// Closes the database and unlocks the store.
void campaign_store_close(struct campaign_store *store);
// Returns true if Slurm's queue may hold arrays of this store.
bool campaign_store_has_arrays(struct campaign_store *store);
// Removes the files of unfinished jobs, unless some may be running on another host. Requires the
// lock.
void campaign_store_clean(struct campaign_store *store);
// Appends the keys of jobs that have a working folder.
void campaign_store_working(struct campaign_store *store, struct text_list *keys);
// Returns the path FOLDER/part/key + suffix, in the store's arena.
const char *campaign_store_path(const struct campaign_store *store, const char *part,
                                const char *key, const char *suffix);
// Removes a folder and its contents.
void campaign_store_remove_folder(struct arena *arena, const char *path);

// Result files

// Writes the result of a job and renames the file when it is complete. Returns NULL, or the error.
const char *campaign_result_write(const struct campaign_store *store, const char *key,
                                  struct json_t *result);
// Reads a result. Returns NULL if the file does not exist, is incomplete, has another key, or was
// modified. The caller releases the result.
struct json_t *campaign_result_read(const struct campaign_store *store, const char *key);
// Like campaign_result_read, without the members that the database does not use, which are most of
// the text.
struct json_t *campaign_result_summary(const struct campaign_store *store, const char *key);
// Runs a job in this process, which then exits: tags, simulates, writes the result.
void campaign_job_run(const struct campaign_store *store, const struct campaign_plan *plan,
                      const struct campaign_job *job) __attribute__((noreturn));

// Imports the good result with the job's key from the store in `folder`, under the names of this
// plan. Sets *taken if there was one. Returns NULL, or an error of writing.
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

// Opens the database. With the lock it is updated from the files; damaged files are removed and
// their keys appended to `damaged`. Without the lock it is opened read-only.
const char *campaign_database_open(struct campaign_store *store, struct text_list *damaged);
// Adds the result of a job, from its file, to the database. Requires the lock.
const char *campaign_database_accept(struct campaign_store *store, const char *key);
// Removes a job and its result. Requires the lock.
const char *campaign_database_forget(struct campaign_store *store, const char *key);
// Records the keys of the plan's jobs, for `compare`. Requires the lock.
const char *campaign_database_plan(struct campaign_store *store, const struct campaign_plan *plan);
// Looks up the result of a key.
void campaign_database_find(struct campaign_store *store, const char *key,
                            struct campaign_found *found);
// Reads a statistic of a job. Returns false if the name is unknown.
bool campaign_database_value(struct campaign_store *store, const char *key, const char *statistic,
                             double *value);

// CPU seconds and number of ended jobs.
struct campaign_time {
    double seconds;
    uint32_t jobs;
};
// Adds the times of `more` to `to`.
void campaign_time_add(struct campaign_time *to, const struct campaign_time *more);
// Adds the times of good jobs of the last plans to `of`, indexed by workload, and to `all`.
void campaign_database_times(struct campaign_store *store, const struct campaign *campaign,
                             bool is_quick, struct campaign_time *of, struct campaign_time *all);

struct campaign_stored {
    const char *workload, *variant, *point; // point: "" for none
    bool is_quick;
    const char *key;
};

struct campaign_stored_list {
    VEC(struct campaign_stored) list;
};

// Appends the jobs of the last plan with a good result, sorted by name.
void campaign_database_jobs(struct campaign_store *store, struct campaign_stored_list *to);
// Appends the names of all statistics of a job.
void campaign_database_names(struct campaign_store *store, const char *key, struct text_list *to);
