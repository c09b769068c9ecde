#include "campaign/run.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct campaign_worker {
    pid_t process; // 0: no process
    uint32_t job;
};

struct running_jobs {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    const struct campaign_watch *watch;
    struct campaign_counts *counts;
    struct campaign_worker *workers;
    bool *had;       // by job: it had a result at the beginning, and is not run
    double *seconds; // of each other job, expected
    uint32_t *order; // of all jobs
    uint32_t next;   // in `order`
    const char *error;
};

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

static void estimate(struct campaign_counts *counts, double seconds, uint32_t at_a_time)
{
    uint32_t together =
        counts->left + counts->running < at_a_time ? counts->left + counts->running : at_a_time;
    counts->seconds_left = seconds / (together ? together : 1);
}

// Returns the expected CPU seconds of a job of each workload.
static const double *expected_seconds(struct campaign_store *store,
                                      const struct campaign_plan *plan)
{
    const struct campaign *campaign = plan->campaign;
    double *seconds = ARENA_ARRAY(plan->arena, double, campaign->workloads.n + 1);
    for (uint32_t i = 0; store->database && i < campaign->workloads.n; i++)
        seconds[i] =
            campaign_database_seconds(store, campaign->workloads.v[i].name, plan->is_quick);
    return seconds;
}

void campaign_count(struct campaign_store *store, const struct campaign_plan *plan,
                    uint32_t at_a_time, struct campaign_counts *counts)
{
    const double *expected = expected_seconds(store, plan);
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
            seconds += expected[job->workload];
    }
    estimate(counts, seconds, at_a_time);
}

// Starting

// The worker leads a group of its own, so that a key pressed on the terminal reaches this process
// only, which then ends the group.
static pid_t start(struct running_jobs *r, uint32_t job)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child)
        return child;
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    campaign_job_run(r->store, r->plan, &r->plan->jobs.v[job]);
}

static bool is_wanted(struct running_jobs *r, uint32_t i)
{
    const struct campaign_job *job = &r->plan->jobs.v[i];
    struct campaign_found found;
    if (!is_first(r->plan, i) || r->had[i])
        return false;
    campaign_database_find(r->store, job->key, &found);
    if (!found.is_there)
        return true;
    r->error = campaign_database_forget(r->store, job->key);
    r->counts->failed--;
    r->counts->left++;
    return !r->error;
}

static void fill(struct running_jobs *r)
{
    for (uint32_t i = 0; i < r->watch->at_a_time; i++) {
        struct campaign_worker *worker = &r->workers[i];
        while (!worker->process && !r->error && r->next < r->plan->jobs.n) {
            uint32_t job = r->order[r->next++];
            if (!is_wanted(r, job))
                continue;
            worker->job = job;
            worker->process = start(r, job);
            if (worker->process < 0) {
                worker->process = 0;
                r->error = arena_printf(r->plan->arena, "cannot start a job: %s", strerror(errno));
                break;
            }
            r->counts->running++;
            r->counts->left--;
        }
    }
}

// Ending

static void collect(struct running_jobs *r, struct campaign_worker *worker)
{
    const struct campaign_job *job = &r->plan->jobs.v[worker->job];
    struct campaign_found found;
    worker->process = 0;
    r->counts->running--;
    // One that has left none, because it was killed, stops no other.
    const char *path = campaign_store_path(r->store, "results", job->key, ".json");
    if (!access(path, F_OK))
        r->error = campaign_database_take(r->store, job->key);
    campaign_database_find(r->store, job->key, &found);
    r->counts->ran++;
    r->counts->done += found.is_there && !found.failure;
    r->counts->failed += !found.is_there || found.failure;
    if (r->watch->ended)
        r->watch->ended(r->watch->context, job, &found);
}

static bool collect_some(struct running_jobs *r)
{
    bool any = false;
    for (uint32_t i = 0; i < r->watch->at_a_time && !r->error; i++) {
        struct campaign_worker *worker = &r->workers[i];
        int status;
        if (worker->process && waitpid(worker->process, &status, WNOHANG) == worker->process) {
            collect(r, worker);
            any = true;
        }
    }
    return any;
}

static void kill_all(struct running_jobs *r)
{
    for (uint32_t i = 0; i < r->watch->at_a_time; i++) {
        struct campaign_worker *worker = &r->workers[i];
        int status;
        if (!worker->process)
            continue;
        // Before it has made itself a group it is alone.
        if (kill(-worker->process, SIGKILL))
            kill(worker->process, SIGKILL);
        waitpid(worker->process, &status, 0);
        worker->process = 0;
        r->counts->running--;
        r->counts->left++;
    }
}

static void report_progress(struct running_jobs *r)
{
    double seconds = 0;
    for (uint32_t i = r->next; i < r->plan->jobs.n; i++)
        seconds += r->seconds[r->order[i]];
    for (uint32_t i = 0; i < r->watch->at_a_time; i++)
        if (r->workers[i].process)
            seconds += r->seconds[r->workers[i].job] / 2;
    estimate(r->counts, seconds, r->watch->at_a_time);
    if (r->watch->progress)
        r->watch->progress(r->watch->context, r->counts);
}

// Estimates the jobs without a result at the beginning.
static void expect(struct running_jobs *r)
{
    const struct campaign_plan *plan = r->plan;
    const double *expected = expected_seconds(r->store, plan);
    r->seconds = ARENA_ARRAY(plan->arena, double, plan->jobs.n + 1);
    for (uint32_t i = 0; i < plan->jobs.n; i++)
        if (is_first(plan, i) && !r->had[i])
            r->seconds[i] = expected[plan->jobs.v[i].workload];
}

// Orders the jobs by their expected time, the longest first: then no long job is left alone at the
// end. Jobs of equal time keep the order of the plan.
static void choose_order(struct running_jobs *r)
{
    uint32_t count = r->plan->jobs.n;
    struct timed_job *jobs = ARENA_ARRAY(r->plan->arena, struct timed_job, count + 1);
    r->order = ARENA_ARRAY(r->plan->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        jobs[i] = (struct timed_job){r->seconds[i], i};
    qsort(jobs, count, sizeof *jobs, compare_times);
    for (uint32_t i = 0; i < count; i++)
        r->order[i] = jobs[i].job;
}

static void look(struct running_jobs *r)
{
    const struct campaign_plan *plan = r->plan;
    struct campaign_found found;
    r->had = ARENA_ARRAY(plan->arena, bool, plan->jobs.n + 1);
    for (uint32_t i = 0; i < plan->jobs.n; i++)
        if (is_first(plan, i)) {
            campaign_database_find(r->store, plan->jobs.v[i].key, &found);
            r->had[i] = found.is_there && !(found.failure && r->watch->retry);
        }
}

// Takes the results that other stores have of jobs without one.
static const char *reuse(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_words *folders, uint32_t *count)
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
                error = campaign_database_take(store, job->key);
            *count += taken;
        }
    }
    return error;
}

const char *campaign_run(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_watch *watch, struct campaign_counts *counts)
{
    enum { STEP = 10, REPORT = 50 }; // milliseconds, and steps between two reports
    struct running_jobs r = {.store = store, .plan = plan, .watch = watch, .counts = counts};
    uint32_t reused = 0;
    r.workers = ARENA_ARRAY(plan->arena, struct campaign_worker, watch->at_a_time);
    r.error = reuse(store, plan, &watch->reuse, &reused);
    campaign_count(store, plan, watch->at_a_time, counts);
    counts->reused = reused;
    look(&r);
    expect(&r);
    choose_order(&r);
    for (uint32_t step = 0; !r.error && !(watch->stop && atomic_load(watch->stop)); step++) {
        fill(&r);
        bool any = collect_some(&r);
        if (any || step % (10 * REPORT) == 0)
            expect(&r);
        if (any || step % REPORT == 0)
            report_progress(&r);
        if (!counts->running && r.next == plan->jobs.n)
            break;
        if (!any)
            nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000}, NULL);
    }
    kill_all(&r);
    return r.error;
}
