// Submits jobs to Slurm and collects their results.
#include "campaign/run.h"
#include "campaign/slurm.h"
#include "campaign/ticket.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 3,  // maximum submissions of a job whose task is lost
    GRACE = 10, // seconds after which another host's file is visible
};

// A job that is in the queue or waits for submission.
struct slurm_job {
    uint32_t job;
    const char *array; // NULL: not submitted
    uint32_t task;
    uint32_t tries;
    time_t missing; // when its task was first seen ended without a result, or 0
    bool is_running, has_ended;
};

struct slurm_array {
    const char *id;
    uint32_t left;   // unfinished jobs in `jobs`
    uint32_t others; // unfinished jobs that this run does not request
    bool is_alive;   // tasks of it are in the queue
};

struct slurm_collector {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    const struct campaign_watch *watch;
    const struct campaign_slurm *slurm;
    struct campaign_counts *counts;
    struct campaign_order order;
    struct arena *arena;
    const char *folder;
    VEC(struct slurm_job) jobs;
    uint32_t *by_key; // indices in `jobs`, sorted by key
    VEC(struct slurm_array) arrays;
    struct slurm_tasks queue;
    struct arena scratch; // memory of one query of the queue
    uint64_t last_id;
    const char *refusal; // why Slurm rejected the last submission, or NULL
    const char *error;
};

// Settings

static const struct {
    const char *key;
    size_t offset;
    uint32_t max; // maximum of a number; 0: a text
} settings[] = {
    {"partition", offsetof(struct campaign_slurm, partition), 0},
    {"time", offsetof(struct campaign_slurm, time), 0},
    {"memory", offsetof(struct campaign_slurm, memory), 0},
    {"array_size", offsetof(struct campaign_slurm, array_size), 1000000},
    {"jobs_per_task", offsetof(struct campaign_slurm, jobs_per_task), 1000000},
    {"poll", offsetof(struct campaign_slurm, poll), 3600},
};

void campaign_slurm_init(struct campaign_slurm *slurm)
{
    // By default Slurm rejects arrays of more than 1000 tasks.
    *slurm = (struct campaign_slurm){.array_size = 1000, .jobs_per_task = 1, .poll = 5};
}

const char *campaign_slurm_set(struct campaign_slurm *slurm, struct arena *arena, const char *key,
                               const char *value)
{
    for (size_t i = 0; i < ARRAY_LENGTH(settings); i++) {
        char *end, *to = (char *)slurm + settings[i].offset;
        if (strcmp(settings[i].key, key))
            continue;
        if (!settings[i].max) {
            *(const char **)(void *)to = value;
            return NULL;
        }
        errno = 0;
        unsigned long number = strtoul(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || errno || !number || number > settings[i].max)
            return arena_printf(arena, "%s cannot be '%s': expected a number from 1 to %u", key,
                                value, settings[i].max);
        *(uint32_t *)(void *)to = (uint32_t)number;
        return NULL;
    }
    return arena_printf(arena,
                        "unknown key '%s': the keys are partition, time, memory, array_size, "
                        "jobs_per_task and poll",
                        key);
}

// Files

static const char *slurm_folder(struct campaign_store *store)
{
    return arena_printf(store->arena, "%s/slurm", store->folder);
}

static const char *tickets_path(struct slurm_collector *c, struct arena *arena, const char *name)
{
    return arena_printf(arena, "%s/%s.tickets", c->folder, name);
}

// Removes the files of an array except messages of tasks that are not empty.
static void remove_array(struct slurm_collector *c, const char *name)
{
    DIR *folder = opendir(c->folder);
    size_t length = strlen(name);
    unlink(tickets_path(c, c->arena, name));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        bool is_own = !strncmp(entry->d_name, name, length);
        bool is_message = is_own && entry->d_name[length] == '-';
        if (is_own && (!is_message ||
                       (!fstatat(dirfd(folder), entry->d_name, &status, 0) && !status.st_size)))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

// Appends the IDs of all arrays with tickets.
static void find_arrays(struct campaign_store *store, struct text_list *ids)
{
    DIR *folder = opendir(slurm_folder(store));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *end = strstr(entry->d_name, ".tickets");
        if (end && !end[strlen(".tickets")])
            vec_push(store->arena, &ids->list,
                     arena_strndup(store->arena, entry->d_name, (size_t)(end - entry->d_name)));
    }
    if (folder)
        closedir(folder);
}

static bool has_id(const struct text_list *ids, const char *name)
{
    for (uint32_t i = 0; i < ids->list.n; i++)
        if (!strcmp(ids->list.v[i], name))
            return true;
    return false;
}

bool campaign_slurm_look(struct campaign_store *store, struct campaign_queue *queue)
{
    struct text_list ids = {{0}};
    struct slurm_tasks tasks = {{0}};
    *queue = (struct campaign_queue){0};
    find_arrays(store, &ids);
    if (!ids.list.n)
        return false;
    queue->error = slurm_queue_read(store->arena, &tasks);
    for (uint32_t i = 0; i < tasks.list.n; i++)
        if (has_id(&ids, tasks.list.v[i].array)) {
            queue->waiting += tasks.list.v[i].state == SLURM_WAITING;
            queue->running += tasks.list.v[i].state == SLURM_RUNNING;
        }
    return true;
}

// Jobs by key

static const char *key_of(const struct slurm_collector *c, uint32_t i)
{
    return c->plan->jobs.v[c->jobs.v[i].job].key;
}

static int by_key(const void *a, const void *b, void *context)
{
    return strcmp(key_of(context, *(const uint32_t *)a), key_of(context, *(const uint32_t *)b));
}

static struct slurm_job *find_job(struct slurm_collector *c, const char *key, size_t length)
{
    uint32_t low = 0, high = c->jobs.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strncmp(key, key_of(c, c->by_key[middle]), length);
        if (!order)
            return &c->jobs.v[c->by_key[middle]];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static void choose_jobs(struct slurm_collector *c)
{
    for (uint32_t i = 0; i < c->plan->jobs.n && !c->error; i++)
        if (campaign_order_wants(&c->order, c->order.jobs[i], c->counts, &c->error))
            vec_push(c->arena, &c->jobs, (struct slurm_job){.job = c->order.jobs[i]});
    c->by_key = ARENA_ARRAY(c->arena, uint32_t, c->jobs.n + 1);
    for (uint32_t i = 0; i < c->jobs.n; i++)
        c->by_key[i] = i;
    if (c->jobs.n)
        qsort_r(c->by_key, c->jobs.n, sizeof *c->by_key, by_key, c);
}

// Arrays

static struct slurm_array *array_of(struct slurm_collector *c, const char *name)
{
    for (uint32_t i = 0; i < c->arrays.n; i++)
        if (!strcmp(c->arrays.v[i].id, name))
            return &c->arrays.v[i];
    vec_push(c->arena, &c->arrays, (struct slurm_array){.id = name, .is_alive = true});
    return &c->arrays.v[c->arrays.n - 1];
}

static void assign(struct slurm_collector *c, struct slurm_job *job, const char *name,
                   uint32_t task)
{
    if (job->array)
        array_of(c, job->array)->left--;
    array_of(c, name)->left++;
    job->array = name;
    job->task = task;
    job->missing = 0;
    job->tries++;
}

static void end(struct slurm_collector *c, struct slurm_job *job)
{
    job->has_ended = true;
    job->is_running = false;
    if (job->array)
        array_of(c, job->array)->left--;
}

// Adopts the jobs of an array that an earlier run submitted.
static void adopt(struct slurm_collector *c, const char *name)
{
    FILE *from = fopen(tickets_path(c, c->arena, name), "rbe");
    char *line = NULL;
    size_t size = 0;
    json_int_t each = 0;
    array_of(c, name);
    for (json_int_t i = -1; from && getline(&line, &size, from) > 0; i++) {
        json_t *ticket = json_loads(line, 0, NULL);
        const char *key = json_string_value(json_object_get(ticket, "key"));
        struct slurm_job *job = key ? find_job(c, key, SHA256_HEX) : NULL;
        if (i < 0)
            each = json_integer_value(json_object_get(ticket, "jobs_per_task"));
        // A later array holds jobs that an earlier one lost, so the last assignment counts.
        if (job && each > 0)
            assign(c, job, name, (uint32_t)(i / each));
        else if (key && access(campaign_store_path(c->store, "results", key, ".json"), F_OK))
            array_of(c, name)->others++;
        json_decref(ticket);
    }
    free(line);
    if (from)
        fclose(from);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void adopt_all(struct slurm_collector *c)
{
    struct text_list ids = {{0}};
    find_arrays(c->store, &ids);
    if (ids.list.n)
        qsort(ids.list.v, ids.list.n, sizeof *ids.list.v, by_text); // in order of submission
    for (uint32_t i = 0; i < ids.list.n; i++)
        adopt(c, ids.list.v[i]);
}

// Submitting

// Returns an ID for an array: the time, made unique.
static const char *new_id(struct slurm_collector *c)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t id = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    c->last_id = id > c->last_id ? id : c->last_id + 1;
    return arena_printf(c->arena, "%013llx", (unsigned long long)c->last_id);
}

static const char *quoted(struct arena *arena, const char *text)
{
    const char *all = "'";
    for (const char *at = text, *end; *at; at = end + (*end == '\'')) {
        end = strchrnul(at, '\'');
        all = arena_printf(arena, "%s%.*s%s", all, (int)(end - at), at, *end ? "'\\''" : "");
    }
    return arena_printf(arena, "%s'", all);
}

static bool write_script(struct slurm_collector *c, const char *path, const char *tickets)
{
    FILE *to = fopen(path, "wbe");
    bool good =
        to && fprintf(to, "#!/bin/sh\nexec %s work %s \"$SLURM_ARRAY_TASK_ID\" --store=%s\n",
                      quoted(&c->scratch, c->slurm->program), quoted(&c->scratch, tickets),
                      quoted(&c->scratch, c->store->folder)) > 0;
    return (!to || !fclose(to)) && good;
}

static bool write_tickets(struct slurm_collector *c, const char *path, const uint32_t *jobs,
                          uint32_t count)
{
    const char *part = arena_printf(&c->scratch, "%s.part", path);
    FILE *to = fopen(part, "wbe");
    bool good = to && fprintf(to, "{\"jobs_per_task\": %u}\n", c->slurm->jobs_per_task) > 0;
    for (uint32_t i = 0; i < count && good; i++) {
        const struct campaign_job *job = &c->plan->jobs.v[c->jobs.v[jobs[i]].job];
        json_t *ticket = campaign_ticket_make(c->store, c->plan, job);
        good = ticket && !json_dumpf(ticket, to, JSON_COMPACT) && putc('\n', to) != EOF;
        json_decref(ticket);
        // Remove the working folder of a lost task, which may still be running.
        campaign_store_remove_folder(&c->scratch,
                                     campaign_store_path(c->store, "running", job->key, ""));
    }
    good = (!to || !fclose(to)) && good && !rename(part, path);
    if (!good)
        unlink(part);
    return good;
}

// Submits these jobs as one array. Returns true if Slurm accepted it; otherwise c->refusal has the
// reason.
static bool submit(struct slurm_collector *c, const uint32_t *jobs, uint32_t count)
{
    const char *id = new_id(c), *tickets = tickets_path(c, c->arena, id);
    const char *script = arena_printf(&c->scratch, "%s/%s.sh", c->folder, id);
    uint32_t each = c->slurm->jobs_per_task, tasks = (count - 1) / each + 1;
    if (!write_tickets(c, tickets, jobs, count) || !write_script(c, script, tickets)) {
        c->error = arena_printf(c->arena, "cannot write '%s': %s", tickets, strerror(errno));
        remove_array(c, id);
        return false;
    }
    const char *refusal = slurm_submit(&c->scratch, c->slurm, c->folder, id, tasks,
                                       c->watch->is_limited ? c->watch->at_a_time : 0);
    c->refusal = refusal ? arena_strndup(c->arena, refusal, strlen(refusal)) : NULL;
    if (refusal)
        remove_array(c, id);
    for (uint32_t i = 0; i < count && !refusal; i++)
        assign(c, &c->jobs.v[jobs[i]], id, i / each);
    return !refusal;
}

// Submits all jobs that are not in an array.
static void submit_all(struct slurm_collector *c)
{
    uint64_t max = (uint64_t)c->slurm->array_size * c->slurm->jobs_per_task;
    uint32_t count = 0;
    uint32_t *jobs = ARENA_ARRAY(&c->scratch, uint32_t, c->jobs.n + 1);
    for (uint32_t i = 0; i < c->jobs.n; i++)
        if (!c->jobs.v[i].array && !c->jobs.v[i].has_ended)
            jobs[count++] = i;
    for (uint64_t i = 0; i < count && !c->error; i += max)
        if (!submit(c, jobs + i, (uint32_t)(count - i < max ? count - i : max)))
            break;
}

// Collecting

static void report_end(struct slurm_collector *c, const struct slurm_job *job)
{
    const struct campaign_job *of = &c->plan->jobs.v[job->job];
    struct campaign_found found;
    campaign_database_find(c->store, of->key, &found);
    c->counts->ran++;
    c->counts->done += found.is_there && !found.failure;
    c->counts->failed += !found.is_there || found.failure;
    if (c->watch->ended)
        c->watch->ended(c->watch->context, of, &found);
}

static void collect_job(struct slurm_collector *c, struct slurm_job *job)
{
    c->error = campaign_database_accept(c->store, c->plan->jobs.v[job->job].key);
    end(c, job);
    if (!c->error)
        report_end(c, job);
}

// Collects the available results. Lists the folder once instead of checking a file for each job.
static void collect_jobs(struct slurm_collector *c)
{
    DIR *folder = opendir(arena_printf(&c->scratch, "%s/results", c->store->folder));
    for (struct dirent *entry; folder && !c->error && (entry = readdir(folder));) {
        const char *suffix = strchr(entry->d_name, '.');
        struct slurm_job *job =
            suffix && suffix - entry->d_name == SHA256_HEX && !strcmp(suffix, ".json")
                ? find_job(c, entry->d_name, SHA256_HEX)
                : NULL;
        if (job && !job->has_ended)
            collect_job(c, job);
    }
    if (folder)
        closedir(folder);
}

// Writes a failed result for a job that Slurm ended at a limit.
static void fail(struct slurm_collector *c, struct slurm_job *job, const char *state)
{
    json_t *ticket = campaign_ticket_make(c->store, c->plan, &c->plan->jobs.v[job->job]);
    c->error =
        campaign_ticket_fail(c->store, ticket, arena_printf(&c->scratch, "Slurm: %s", state));
    json_decref(ticket);
    if (!c->error)
        collect_job(c, job);
}

// Handles a job whose task ended without a result: fails it, ends it, or submits it again.
static void conclude(struct slurm_collector *c, struct slurm_job *job,
                     const struct slurm_task *task)
{
    enum slurm_state state = task ? task->state : SLURM_LOST;
    if (state == SLURM_LIMIT) {
        fail(c, job, task->name);
    } else if (state == SLURM_CANCELLED) {
        end(c, job);
    } else if (job->tries >= TRIES) {
        end(c, job);
        report_end(c, job);
    } else {
        array_of(c, job->array)->left--;
        job->array = NULL;
        job->missing = 0;
    }
}

static void look_at(struct slurm_collector *c, struct slurm_job *job, time_t now)
{
    const struct slurm_task *task = slurm_queue_find(&c->queue, job->array, job->task);
    job->is_running = task && task->state == SLURM_RUNNING;
    if (task && (job->is_running || task->state == SLURM_WAITING)) {
        job->missing = 0;
        return;
    }
    if (!job->missing)
        job->missing = now;
    if (now - job->missing >= GRACE)
        conclude(c, job, task);
}

static void look_at_arrays(struct slurm_collector *c)
{
    for (uint32_t i = 0; i < c->arrays.n; i++)
        c->arrays.v[i].is_alive = false;
    for (uint32_t i = 0; i < c->queue.list.n; i++)
        for (uint32_t k = 0; k < c->arrays.n; k++)
            c->arrays.v[k].is_alive |= c->queue.list.v[i].state <= SLURM_RUNNING &&
                                       !strcmp(c->arrays.v[k].id, c->queue.list.v[i].array);
}

// Reads the queue before the results, so that a task that ends between the two is not missed.
static void look(struct slurm_collector *c)
{
    time_t now = time(NULL);
    const char *unknown = slurm_queue_read(&c->scratch, &c->queue);
    collect_jobs(c);
    if (!unknown)
        look_at_arrays(c);
    for (uint32_t i = 0; i < c->jobs.n && !unknown && !c->error; i++)
        if (c->jobs.v[i].array && !c->jobs.v[i].has_ended)
            look_at(c, &c->jobs.v[i], now);
    c->queue = (struct slurm_tasks){{0}};
}

// Removes the arrays that no job needs any more.
static void remove_ended(struct slurm_collector *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->arrays.n; i++) {
        struct slurm_array *array = &c->arrays.v[i];
        if (array->left || (array->others && array->is_alive))
            c->arrays.v[n++] = *array;
        else
            remove_array(c, array->id);
    }
    c->arrays.n = n;
}

// Updates the counts. Returns the number of unfinished jobs.
static uint32_t count_jobs(struct slurm_collector *c)
{
    double seconds = 0;
    uint32_t left = 0;
    c->counts->running = 0;
    for (uint32_t i = 0; i < c->jobs.n; i++) {
        const struct slurm_job *job = &c->jobs.v[i];
        left += !job->has_ended;
        c->counts->running += job->is_running;
        if (!job->has_ended)
            seconds += campaign_order_seconds(&c->order, job->job);
    }
    c->counts->left = c->counts->all - c->counts->done - c->counts->failed - c->counts->running;
    campaign_order_estimate(c->counts, seconds, c->counts->running);
    if (c->watch->progress)
        c->watch->progress(c->watch->context, c->counts);
    return left;
}

static bool is_stopped(const struct slurm_collector *c)
{
    return c->watch->stop && atomic_load(c->watch->stop);
}

static void wait_for(struct slurm_collector *c, uint32_t seconds)
{
    enum { STEPS = 20 }; // steps per second
    for (uint32_t i = 0; i < seconds * STEPS && !is_stopped(c); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / STEPS}, NULL);
}

// Returns true if the queue holds jobs of this run.
static bool is_queued(const struct slurm_collector *c)
{
    for (uint32_t i = 0; i < c->arrays.n; i++)
        if (c->arrays.v[i].left)
            return true;
    return false;
}

static void collect(struct slurm_collector *c)
{
    arena_init(&c->scratch, c->arena->memory);
    while (!c->error && !is_stopped(c)) {
        look(c);
        if (!c->error)
            submit_all(c);
        arena_reset(&c->scratch);
        remove_ended(c);
        uint32_t left = count_jobs(c);
        if (!c->error && c->refusal && !is_queued(c))
            c->error = c->refusal;
        if (!left || c->error)
            break;
        wait_for(c, c->slurm->poll);
    }
    arena_free(&c->scratch);
}

const char *campaign_slurm_run(struct campaign_store *store, const struct campaign_plan *plan,
                               const struct campaign_watch *watch,
                               const struct campaign_slurm *slurm, struct campaign_counts *counts)
{
    struct slurm_collector c = {.store = store,
                                .plan = plan,
                                .watch = watch,
                                .slurm = slurm,
                                .counts = counts,
                                .arena = plan->arena,
                                .folder = slurm_folder(store)};
    c.error = campaign_order_make(&c.order, store, plan, watch, counts);
    if (!c.error && mkdir(c.folder, 0777) && errno != EEXIST)
        c.error = arena_printf(c.arena, "cannot make '%s': %s", c.folder, strerror(errno));
    if (!c.error)
        choose_jobs(&c);
    if (!c.error)
        adopt_all(&c);
    collect(&c);
    return c.error;
}
