// Where results are: a folder with one file for each job that has ended, and a database that is
// made of these files and can be made again at any time.
//
//     results/KEY.json   whole or not there
//     results/KEY.part   being written
//     work/KEY/          of a job that runs
//     campaign.sqlite    written by one process, the one that has the lock
//     lock
#pragma once
#include "campaign/plan.h"

struct sqlite3;
struct json_t; // of jansson

struct campaign_store {
    struct arena *arena;
    const char *folder;
    int lock; // -1: not held
    struct sqlite3 *database;
};

// Files

// Makes the folder if it is not there. It may be a link if the user has `chosen` it; what lies in
// it may not. NULL, or why not.
const char *campaign_store_open(struct campaign_store *store, struct arena *arena,
                                const char *folder, bool chosen);
// True if no other process has it any more within so many milliseconds.
bool campaign_store_lock(struct campaign_store *store, int milliseconds);
// Closes the database and gives the lock back.
void campaign_store_close(struct campaign_store *store);
// Removes what jobs have left that did not come to their end. Needs the lock.
void campaign_store_clean(struct campaign_store *store);
// Keys of jobs that have a folder to work in now.
void campaign_store_working(struct campaign_store *store, struct campaign_words *keys);
const char *campaign_store_path(const struct campaign_store *store, const char *part,
                                const char *key, const char *suffix);
// Removes a folder with all that is in it.
void campaign_store_remove_folder(struct arena *arena, const char *path);

// Result files

// Writes the result of a job and renames it when it is whole. NULL, or what went wrong.
const char *campaign_result_write(const struct campaign_store *store, const char *key,
                                  struct json_t *result);
// NULL if the file is not there, not whole, not of this key, or changed; the caller releases it.
struct json_t *campaign_result_read(const struct campaign_store *store, const char *key);
// Runs a job in this process, which then ends: tags, simulates, writes the result.
void campaign_job_run(const struct campaign_store *store, const struct campaign_plan *plan,
                      const struct campaign_job *job) __attribute__((noreturn));

// The database. Functions return NULL, or what went wrong.

struct campaign_found {
    bool is_there;
    const char *failure; // NULL: it is well
    double cpu;          // seconds
    const char *ended;   // UTC
};

// With the lock: brings it up to date with the files. A damaged file is removed and its key told in
// `damaged`. Without: as it is.
const char *campaign_database_open(struct campaign_store *store, struct campaign_words *damaged);
// Takes the result of a job over from its file. Needs the lock.
const char *campaign_database_take(struct campaign_store *store, const char *key);
// Forgets a job and removes its result. Needs the lock.
const char *campaign_database_forget(struct campaign_store *store, const char *key);
// Which keys the jobs of the plan have, for `compare`. Needs the lock.
const char *campaign_database_plan(struct campaign_store *store, const struct campaign_plan *plan);
void campaign_database_find(struct campaign_store *store, const char *key,
                            struct campaign_found *found);
// A statistic of a job; false if it has none of this name.
bool campaign_database_value(struct campaign_store *store, const char *key, const char *statistic,
                             double *value);
// Mean CPU seconds of a workload's jobs, or of all; 0: nothing is known.
double campaign_database_seconds(struct campaign_store *store, const char *workload, bool is_quick);

struct campaign_stored {
    const char *workload, *variant, *point; // point: "" if there is none
    bool is_quick;
    const char *key;
};

struct campaign_stored_list {
    VEC(struct campaign_stored) list;
};

// All jobs that were planned last and have a good result, in order of their names.
void campaign_database_jobs(struct campaign_store *store, struct campaign_stored_list *to);
// Names of all statistics of a job.
void campaign_database_names(struct campaign_store *store, const char *key,
                             struct campaign_words *to);
