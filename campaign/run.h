// Runs the remaining jobs of a campaign, several at a time.
#pragma once
#include "campaign/store.h"
#include <stdatomic.h>

// Jobs with the same key count once.
struct campaign_counts {
    uint32_t all, done, failed, running, left; // done and failed: with a result
    uint32_t ran;                              // by this run
    uint32_t reused;                           // taken from other stores by this run
    double seconds_left;                       // estimate from earlier jobs
};

struct campaign_watch {
    void *context;
    uint32_t at_a_time;
    bool is_limited;        // the user has given `at_a_time`
    bool retry;             // failed jobs are run again
    struct text_list reuse; // folders of other stores, whose good results are taken
    atomic_int *stop;       // set by a signal: running jobs are killed, and no job is started
    // Called periodically, and after each job.
    void (*progress)(void *context, const struct campaign_counts *counts);
    void (*ended)(void *context, const struct campaign_job *job,
                  const struct campaign_found *found);
};

// Counts the jobs without running any.
void campaign_count(struct campaign_store *store, const struct campaign_plan *plan,
                    uint32_t at_a_time, struct campaign_counts *counts);
// Runs the jobs without a result, those that are expected to take longest first. Requires the lock
// and the database. Returns NULL, or the error: that of the store, or that a program was replaced.
const char *campaign_run(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_watch *watch, struct campaign_counts *counts);
