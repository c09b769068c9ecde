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
