// The jobs of a plan that have no result yet, and the order in which they start.
#pragma once
#include "campaign/run.h"

struct campaign_order {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    bool *had;       // by job: it had a result at the beginning, and is not run
    double *seconds; // of each other job, expected
    uint32_t *jobs;  // all jobs of the plan, those that are expected to take longest first
};

// Takes the results that other stores have, counts, and orders the jobs. Returns NULL, or the error
// of the store.
const char *campaign_order_make(struct campaign_order *order, struct campaign_store *store,
                                const struct campaign_plan *plan,
                                const struct campaign_watch *watch, struct campaign_counts *counts);
// Estimates the jobs without a result at the beginning again, from the results until now.
void campaign_order_expect(struct campaign_order *order);
// Returns whether the job is to be run. Forgets the result of a failed job that is run again; an
// error of the store is in *error.
bool campaign_order_wants(const struct campaign_order *order, uint32_t job,
                          struct campaign_counts *counts, const char **error);
// Sets the time that these CPU seconds take with N jobs at a time.
void campaign_order_estimate(struct campaign_counts *counts, double seconds, uint32_t at_a_time);
