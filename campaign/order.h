// The jobs of a plan that have no result yet, and the order in which they start.
#pragma once
#include "campaign/run.h"

struct campaign_order {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    bool *had;      // by job: it had a result at the beginning, and is not run
    uint32_t *jobs; // all jobs of the plan, those that are expected to take longest first
    struct campaign_time *ended; // by workload
    struct campaign_time all;    // of all workloads
    uint32_t *left;              // by workload: jobs that were not started
};

// Takes the results that other stores have, counts, and orders the jobs. Returns NULL, or the error
// of the store.
const char *campaign_order_make(struct campaign_order *order, struct campaign_store *store,
                                const struct campaign_plan *plan,
                                const struct campaign_watch *watch, struct campaign_counts *counts);
// Takes the time of a job that has ended into later estimates.
void campaign_order_ended(struct campaign_order *order, uint32_t job, double seconds);
// Returns the CPU seconds that the job is expected to take: the mean of its workload's, or of all;
// 0: unknown.
double campaign_order_seconds(const struct campaign_order *order, uint32_t job);
// Returns those of all jobs that were not started.
double campaign_order_left(const struct campaign_order *order);
// Returns whether the job is to be run, which is then counted as started. Forgets the result of a
// failed job that is run again; an error of the store is in *error.
bool campaign_order_wants(struct campaign_order *order, uint32_t job,
                          struct campaign_counts *counts, const char **error);
// Sets the time that these CPU seconds take with N jobs at a time.
void campaign_order_estimate(struct campaign_counts *counts, double seconds, uint32_t at_a_time);
