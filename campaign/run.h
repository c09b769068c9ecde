// Runs the remaining jobs of a campaign, several at a time.
#pragma once
#include "campaign/store.h"
#include <stdatomic.h>

// Numbers of jobs; jobs with the same key count once.
struct campaign_counts {
    uint32_t all, done, failed, running, left; // done: good result; failed: result of a failed job
    uint32_t ran;                              // jobs run by this process
    uint32_t reused;                           // results imported from other stores by this process
    double seconds_left;                       // estimate from earlier jobs
};

struct campaign_watch {
    void *context;
    uint32_t at_a_time;
    bool is_limited;        // the user chose `at_a_time`
    bool retry;             // run failed jobs again
    struct text_list reuse; // folders of other stores to import good results from
    atomic_int *stop;       // set by a signal: running jobs are killed and no more are started
    // Called periodically, and after each job.
    void (*progress)(void *context, const struct campaign_counts *counts);
    void (*ended)(void *context, const struct campaign_job *job,
                  const struct campaign_found *found);
};

// Counts the jobs and estimates the time left, without running any.
void campaign_count(struct campaign_store *store, const struct campaign_plan *plan,
                    uint32_t at_a_time, struct campaign_counts *counts);
// Runs the jobs without a result, longest expected time first. Requires the lock and the database.
// Returns NULL, or the error: of the store, or that a program was replaced.
const char *campaign_run(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_watch *watch, struct campaign_counts *counts);

// The jobs of a plan that have no result yet, and the order in which they start

struct campaign_order {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    bool *had;                   // by job: it had a result at the start, and is not run
    uint32_t *jobs;              // all jobs of the plan, longest expected time first
    struct campaign_time *ended; // times of ended jobs, by workload
    struct campaign_time all;    // times of ended jobs of all workloads
    uint32_t *left;              // by workload: jobs not started yet
};

// Imports results from the other stores of `watch`, counts the jobs, and orders them. Returns NULL,
// or an error of the store.
const char *campaign_order_make(struct campaign_order *order, struct campaign_store *store,
                                const struct campaign_plan *plan,
                                const struct campaign_watch *watch, struct campaign_counts *counts);
// Includes the CPU time of an ended job in later estimates.
void campaign_order_ended(struct campaign_order *order, uint32_t job, double seconds);
// Returns the expected CPU seconds of the job: the mean of its workload, or else of all workloads;
// 0 if unknown.
double campaign_order_seconds(const struct campaign_order *order, uint32_t job);
// Returns the expected CPU seconds of all jobs not started yet.
double campaign_order_left(const struct campaign_order *order);
// Returns true if the job must be run, and counts it as started. Removes the result of a failed job
// that is run again. *error is set to an error of the store.
bool campaign_order_wants(struct campaign_order *order, uint32_t job,
                          struct campaign_counts *counts, const char **error);
// Sets `seconds_left` for this many CPU seconds with `at_a_time` jobs at a time.
void campaign_order_estimate(struct campaign_counts *counts, double seconds, uint32_t at_a_time);
