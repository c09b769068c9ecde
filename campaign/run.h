// Running what is left of a campaign, several jobs at a time.
#pragma once
#include "campaign/store.h"
#include <stdatomic.h>

// Jobs with the same key count once.
struct campaign_counts {
    uint32_t all, done, failed, running, left; // done and failed: with a result
    uint32_t ran;                              // by this run
    double seconds_left;                       // of the machine, as far as earlier jobs tell
};

struct campaign_watch {
    void *context;
    uint32_t at_a_time;
    bool retry;       // failed jobs are run again
    atomic_int *stop; // set by a signal: what runs is killed, and nothing else begun
    // Now and then, and after each job.
    void (*progress)(void *context, const struct campaign_counts *counts);
    void (*ended)(void *context, const struct campaign_job *job,
                  const struct campaign_found *found);
};

// Counts what there is without running anything.
void campaign_count(struct campaign_store *store, const struct campaign_plan *plan,
                    uint32_t at_a_time, struct campaign_counts *counts);
// Needs the lock and the database. A job that has a result is not run again. NULL, or what went
// wrong with the store.
const char *campaign_run(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_watch *watch, struct campaign_counts *counts);
