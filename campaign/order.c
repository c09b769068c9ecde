#include "campaign/run.h"
#include <stdlib.h>

struct timed_job {
    double seconds;
    uint32_t job;
};

static int compare_times(const void *a, const void *b)
{
    const struct timed_job *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds) - (x->seconds > y->seconds)
                                    : (x->job > y->job) - (x->job < y->job);
}

static bool is_first(const struct campaign_plan *plan, uint32_t job)
{
    return !plan->jobs.v[job].error && plan->jobs.v[job].same == job;
}

void campaign_order_estimate(struct campaign_counts *counts, double seconds, uint32_t at_a_time)
{
    uint32_t together =
        counts->left + counts->running < at_a_time ? counts->left + counts->running : at_a_time;
    counts->seconds_left = seconds / (together ? together : 1);
}

// Returns the mean CPU time of a workload's jobs, or else of all jobs; 0: unknown.
static double mean_time(const struct campaign_time *of, const struct campaign_time *all)
{
    const struct campaign_time *time = of->jobs ? of : all;
    return time->jobs ? time->seconds / time->jobs : 0;
}

static struct campaign_time *times_of(struct campaign_store *store,
                                      const struct campaign_plan *plan, struct campaign_time *all)
{
    struct campaign_time *of =
        ARENA_ARRAY(plan->arena, struct campaign_time, plan->campaign->workloads.n + 1);
    if (store->database)
        campaign_database_times(store, plan->campaign, plan->is_quick, of, all);
    return of;
}

void campaign_count(struct campaign_store *store, const struct campaign_plan *plan,
                    uint32_t at_a_time, struct campaign_counts *counts)
{
    struct campaign_time all = {0};
    const struct campaign_time *of = times_of(store, plan, &all);
    double seconds = 0;
    *counts = (struct campaign_counts){0};
    for (uint32_t i = 0; i < plan->jobs.n; i++) {
        const struct campaign_job *job = &plan->jobs.v[i];
        struct campaign_found found = {.is_there = false};
        if (!job->error && !is_first(plan, i))
            continue;
        if (!job->error && store->database)
            campaign_database_find(store, job->key, &found);
        bool failed = job->error || found.failure;
        counts->all++;
        counts->failed += failed;
        counts->done += found.is_there && !failed;
        counts->left += !found.is_there && !failed;
        if (!found.is_there && !failed)
            seconds += mean_time(&of[job->workload], &all);
    }
    campaign_order_estimate(counts, seconds, at_a_time);
}

bool campaign_order_wants(struct campaign_order *order, uint32_t i, struct campaign_counts *counts,
                          const char **error)
{
    const struct campaign_job *job = &order->plan->jobs.v[i];
    struct campaign_found found;
    if (!is_first(order->plan, i) || order->had[i])
        return false;
    order->left[job->workload]--;
    campaign_database_find(order->store, job->key, &found);
    if (!found.is_there)
        return true;
    *error = campaign_database_forget(order->store, job->key);
    counts->failed--;
    counts->left++;
    return !*error;
}

double campaign_order_seconds(const struct campaign_order *order, uint32_t job)
{
    return mean_time(&order->ended[order->plan->jobs.v[job].workload], &order->all);
}

double campaign_order_left(const struct campaign_order *order)
{
    double seconds = 0;
    for (uint32_t i = 0; i < order->plan->campaign->workloads.n; i++)
        seconds += order->left[i] * mean_time(&order->ended[i], &order->all);
    return seconds;
}

void campaign_order_ended(struct campaign_order *order, uint32_t job, double seconds)
{
    const struct campaign_time time = {seconds, 1};
    campaign_time_add(&order->ended[order->plan->jobs.v[job].workload], &time);
    campaign_time_add(&order->all, &time);
}

// Sorts the jobs by decreasing expected time, so that no long job is left at the end. Jobs with
// equal times keep the order of the plan.
static void choose_order(struct campaign_order *order)
{
    uint32_t count = order->plan->jobs.n;
    struct timed_job *jobs = ARENA_ARRAY(order->plan->arena, struct timed_job, count + 1);
    order->jobs = ARENA_ARRAY(order->plan->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        jobs[i] = (struct timed_job){order->had[i] ? 0 : campaign_order_seconds(order, i), i};
    qsort(jobs, count, sizeof *jobs, compare_times);
    for (uint32_t i = 0; i < count; i++)
        order->jobs[i] = jobs[i].job;
}

static void look(struct campaign_order *order, bool retry)
{
    const struct campaign_plan *plan = order->plan;
    struct campaign_found found;
    order->had = ARENA_ARRAY(plan->arena, bool, plan->jobs.n + 1);
    order->left = ARENA_ARRAY(plan->arena, uint32_t, plan->campaign->workloads.n + 1);
    for (uint32_t i = 0; i < plan->jobs.n; i++)
        if (is_first(plan, i)) {
            campaign_database_find(order->store, plan->jobs.v[i].key, &found);
            order->had[i] = found.is_there && !(found.failure && retry);
            order->left[plan->jobs.v[i].workload] += !order->had[i];
        }
}

// Imports results from other stores for jobs without one.
static const char *reuse(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct text_list *folders, uint32_t *count)
{
    const char *error = NULL;
    for (uint32_t i = 0; i < plan->jobs.n; i++) {
        const struct campaign_job *job = &plan->jobs.v[i];
        struct campaign_found found = {.is_there = false};
        if (is_first(plan, i))
            campaign_database_find(store, job->key, &found);
        bool taken = !is_first(plan, i) || found.is_there;
        for (uint32_t k = 0; k < folders->list.n && !taken && !error; k++) {
            error = campaign_job_reuse(store, folders->list.v[k], plan, job, &taken);
            if (taken && !error)
                error = campaign_database_accept(store, job->key);
            *count += taken;
        }
    }
    return error;
}

const char *campaign_order_make(struct campaign_order *order, struct campaign_store *store,
                                const struct campaign_plan *plan,
                                const struct campaign_watch *watch, struct campaign_counts *counts)
{
    uint32_t reused = 0;
    const char *error = reuse(store, plan, &watch->reuse, &reused);
    *order = (struct campaign_order){.store = store, .plan = plan};
    campaign_count(store, plan, watch->at_a_time, counts);
    counts->reused = reused;
    look(order, watch->retry);
    order->ended = times_of(store, plan, &order->all);
    choose_order(order);
    return error;
}
