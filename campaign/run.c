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
    struct campaign_order order;
    uint32_t next; // next index in `order`
    const char *error;
    const char *changed; // error if a program differs from that of the plan, or NULL
};

// Starting

// Forks a worker. It leads a process group of its own, so that a signal from the terminal reaches
// only this process, which then ends the group.
static pid_t start(struct running_jobs *r, uint32_t job)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child)
        return child;
    setpgid(0, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
        signal(signals[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    campaign_job_run(r->store, r->plan, &r->plan->jobs.v[job]);
}

static const char *check_tools(const struct campaign_plan *plan, uint32_t job)
{
    bool tagged = plan->campaign->variants.v[plan->jobs.v[job].variant].tagged;
    const char *error = tagged ? campaign_tool_check(plan->arena, &plan->tools->tagger) : NULL;
    return error ? error : campaign_tool_check(plan->arena, &plan->tools->sim);
}

static void fill(struct running_jobs *r)
{
    for (uint32_t i = 0; i < r->watch->at_a_time; i++) {
        struct campaign_worker *worker = &r->workers[i];
        while (!worker->process && !r->error && r->next < r->plan->jobs.n) {
            uint32_t job = r->order.jobs[r->next++];
            if (!campaign_order_wants(&r->order, job, r->counts, &r->error))
                continue;
            r->changed = check_tools(r->plan, job);
            if (r->changed) {
                r->next = r->plan->jobs.n; // jobs that are running keep their results
                break;
            }
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
    // A job that left no result, because it was killed, does not stop the others.
    const char *path = campaign_store_path(r->store, "results", job->key, ".json");
    if (!access(path, F_OK))
        r->error = campaign_database_accept(r->store, job->key);
    campaign_database_find(r->store, job->key, &found);
    r->counts->ran++;
    r->counts->done += found.is_there && !found.failure;
    if (found.is_there && !found.failure)
        campaign_order_ended(&r->order, worker->job, found.cpu);
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
        // The worker may not have created its group yet.
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
    double seconds = campaign_order_left(&r->order);
    for (uint32_t i = 0; i < r->watch->at_a_time; i++)
        if (r->workers[i].process)
            seconds += campaign_order_seconds(&r->order, r->workers[i].job) / 2;
    campaign_order_estimate(r->counts, seconds, r->watch->at_a_time);
    if (r->watch->progress)
        r->watch->progress(r->watch->context, r->counts);
}

const char *campaign_run(struct campaign_store *store, const struct campaign_plan *plan,
                         const struct campaign_watch *watch, struct campaign_counts *counts)
{
    enum { STEP = 10, REPORT = 50 }; // STEP: milliseconds; REPORT: steps between two reports
    struct running_jobs r = {.store = store, .plan = plan, .watch = watch, .counts = counts};
    r.workers = ARENA_ARRAY(plan->arena, struct campaign_worker, watch->at_a_time);
    r.error = campaign_order_make(&r.order, store, plan, watch, counts);
    for (uint32_t step = 0; !r.error && !(watch->stop && atomic_load(watch->stop)); step++) {
        fill(&r);
        bool any = collect_some(&r);
        if (any || step % REPORT == 0)
            report_progress(&r);
        if (!counts->running && r.next == plan->jobs.n)
            break;
        if (!any)
            nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000}, NULL);
    }
    kill_all(&r);
    return r.error ? r.error : r.changed;
}
