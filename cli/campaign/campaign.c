// ptxoffload-campaign: runs workloads on variants of a machine, and reports the results.
#include "cli/campaign/options.h"
#include "cli/campaign/outputs.h"
#include "cli/common/interrupt.h"
#include "campaign/compare.h"
#include "campaign/reading.h"
#include "campaign/report.h"
#include "campaign/slurm.h"
#include "campaign/configs.h"
#include "support/file.h"
#include "support/protect.h"
#include <string.h>
#include <unistd.h>

enum { JOB_FAILED = CHECK_FAILED };

struct campaign_invocation {
    struct frame frame;
    struct campaign_arguments arguments;
    struct source source;
    struct diags diags;
    struct campaign campaign;
    struct campaign_tools tools;
    struct campaign_plan plan;
    struct campaign_store store, other; // `other`: the second one of `compare`
    struct campaign_report report;
    struct campaign_comparison comparison;
    struct file_text notes; // text around the tables of --markdown
    const char *command;
    bool shown; // a line of progress is on the terminal
};

// Reports an error unless it is NULL. Returns true if it is NULL.
static bool good(struct campaign_invocation *p, const char *error)
{
    if (error)
        message_error(&p->frame.messages, "%s", error);
    return !error;
}

// Reading

static bool read_campaign(struct campaign_invocation *p)
{
    struct file_text file;
    const char *path = p->arguments.file;
    const char *error = file_read(&p->frame.arena, path, &file);
    if (error) {
        message_error(&p->frame.messages, "cannot read '%s': %s", path, error);
        return false;
    }
    source_init(&p->source, &p->frame.arena, path, file.text, file.length);
    diags_init(&p->diags, &p->frame.arena);
    bool read = campaign_read(&p->campaign, &p->frame.arena, &p->source, &p->diags);
    read &= messages_diags(&p->frame.messages, &p->diags, &p->source);
    p->campaign.is_trusted = p->arguments.allow_outside;
    if (p->campaign.notes)
        protect_file(&p->frame.memory, p->campaign.notes);
    if (p->campaign.quick_notes)
        protect_file(&p->frame.memory, p->campaign.quick_notes);
    return read && (p->arguments.allow_outside ||
                    campaign_outputs_check(&p->frame.arena, &p->frame.messages, &p->campaign));
}

static const char *own_folder(struct campaign_invocation *p)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    return slash ? arena_strndup(&p->frame.arena, path, (size_t)(slash - path)) : ".";
}

static bool make_plan(struct campaign_invocation *p)
{
    const char *folder = p->arguments.tools ? p->arguments.tools : own_folder(p);
    return read_campaign(p) && good(p, campaign_tools_find(&p->tools, &p->frame.arena, folder)) &&
           good(p, campaign_plan_make(&p->plan, &p->frame.arena, &p->campaign, &p->tools,
                                      &p->arguments.selection));
}

static uint32_t jobs_at_a_time(const struct campaign_invocation *p)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return p->arguments.jobs ? (uint32_t)p->arguments.jobs
           : processors > 0  ? (uint32_t)processors
                             : 1;
}

// Returns true if the folder is a store; it may have no results.
static bool is_store(struct campaign_invocation *p, const char *folder)
{
    return !access(arena_printf(&p->frame.arena, "%s/results", folder), F_OK);
}

// Opens the store. Locks it for writing: with `must` that is required, otherwise it is attempted.
// Returns false after reporting an error.
static bool open_store(struct campaign_invocation *p, struct campaign_store *store,
                       const char *folder, bool must)
{
    enum { PATIENCE = 3000 }; // milliseconds, for jobs of a run that was just killed to end
    struct text_list damaged = {0};
    bool chosen = p->arguments.store || !p->arguments.file;
    if (!must && !is_store(p, folder)) {
        message_error(&p->frame.messages, "the store '%s' does not exist: no job has been run",
                      folder);
        return false;
    }
    if (!good(p, campaign_store_open(store, &p->frame.arena, folder, chosen)))
        return false;
    const char *error;
    if (!campaign_store_lock(store, must ? PATIENCE : 0, &error) && must) {
        if (error)
            message_error(&p->frame.messages, "%s", error);
        else
            message_error(&p->frame.messages, "another process uses the store '%s'", folder);
        return false;
    }
    if (store->lock >= 0)
        campaign_store_clean(store);
    if (!good(p, campaign_database_open(store, &damaged)))
        return false;
    if (store->was_damaged)
        fprintf(stderr,
                "%s: warning: the database of the store '%s' was damaged and has been rebuilt from "
                "the results\n",
                campaign_command.name, folder);
    for (uint32_t i = 0; i < damaged.list.n; i++)
        fprintf(
            stderr,
            "%s: warning: the result %s/results/%s.json is damaged: its job will be run again\n",
            campaign_command.name, folder, damaged.list.v[i]);
    return true;
}

static const char *store_name(struct campaign_invocation *p)
{
    return p->arguments.store ? p->arguments.store
                              : arena_printf(&p->frame.arena, "%s.campaign", p->campaign.name);
}

// Progress

static const char *time_text(struct campaign_invocation *p, double seconds)
{
    if (seconds < 1)
        return "";
    if (seconds < 120)
        return arena_printf(&p->frame.arena, ", about %.0f s left", seconds);
    if (seconds < 7200)
        return arena_printf(&p->frame.arena, ", about %.0f min left", seconds / 60);
    return arena_printf(&p->frame.arena, ", about %.1f h left", seconds / 3600);
}

static void hide_progress(struct campaign_invocation *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void show_progress(void *context, const struct campaign_counts *counts)
{
    struct campaign_invocation *p = context;
    if (p->arguments.common.quiet || !messages_can_erase(STDERR_FILENO))
        return;
    p->shown = true;
    fprintf(stderr, "\r\033[K%u of %u done, %u running, %u failed%s", counts->done + counts->failed,
            counts->all, counts->running, counts->failed, time_text(p, counts->seconds_left));
    fflush(stderr);
}

static void report_failure(struct campaign_invocation *p, const struct campaign_job *job,
                           const char *why)
{
    hide_progress(p);
    fprintf(stderr, "%s: %s has failed: %s\n", campaign_command.name, job->name, why);
}

static void report_ended(void *context, const struct campaign_job *job,
                         const struct campaign_found *found)
{
    struct campaign_invocation *p = context;
    if (!found->is_there || found->failure) {
        report_failure(p, job, found->failure ? found->failure : "it wrote no result");
        return;
    }
    if (p->arguments.common.verbose)
        hide_progress(p);
    message_verbose(&p->frame.messages, "%s: %.1f CPU seconds", job->name, found->cpu);
}

// Reports failed jobs that this command does not run.
static void report_failures(struct campaign_invocation *p)
{
    for (uint32_t i = 0; i < p->plan.jobs.n; i++) {
        const struct campaign_job *job = &p->plan.jobs.v[i];
        struct campaign_found found = {.is_there = false};
        if (!job->error && job->same == i && p->store.database)
            campaign_database_find(&p->store, job->key, &found);
        if (job->error || found.failure)
            report_failure(p, job, job->error ? job->error : found.failure);
    }
}

// run

static const char *state_of(struct campaign_invocation *p, const struct campaign_job *job)
{
    struct campaign_found found = {.is_there = false};
    if (job->error)
        return "cannot be run";
    if (p->store.database)
        campaign_database_find(&p->store, job->key, &found);
    return !found.is_there ? "left" : found.failure ? "failed" : "done";
}

static void list_jobs(struct campaign_invocation *p, FILE *to)
{
    for (uint32_t i = 0; i < p->plan.jobs.n; i++) {
        const struct campaign_job *job = &p->plan.jobs.v[i];
        const struct campaign_job *first = &p->plan.jobs.v[job->same];
        fprintf(to, "%.12s  %-6s  %s", job->error ? "-           " : job->key, state_of(p, job),
                job->name);
        if (job->error)
            fprintf(to, ": %s", job->error);
        else if (first != job)
            fprintf(to, ": the same as %s", first->name);
        putc('\n', to);
    }
}

// Prints the number of jobs to run, and their time, estimated from finished jobs of the same
// workloads.
static void print_expectation(struct campaign_invocation *p)
{
    struct campaign_counts counts;
    uint32_t at_a_time = jobs_at_a_time(p);
    campaign_count(&p->store, &p->plan, at_a_time, &counts);
    if (p->arguments.common.quiet || !counts.left)
        return;
    const char *time = time_text(p, counts.seconds_left);
    fprintf(stderr, "%s: %u of %u jobs to run, %u at a time%s\n", campaign_command.name,
            counts.left, counts.all, at_a_time,
            *time                 ? time
            : counts.seconds_left ? ""
                                  : "; no such job has finished yet, so the time is unknown");
}

static int dry_run(struct campaign_invocation *p)
{
    const char *folder = store_name(p);
    if (is_store(p, folder) && !open_store(p, &p->store, folder, false))
        return BAD_INPUT;
    list_jobs(p, stdout);
    fflush(stdout);
    print_expectation(p);
    for (uint32_t i = 0; i < p->plan.jobs.n; i++)
        if (p->plan.jobs.v[i].error)
            return JOB_FAILED;
    return DONE;
}

static bool make_slurm(struct campaign_invocation *p, struct campaign_slurm *slurm)
{
    const struct campaign_settings *const from[] = {&p->campaign.slurm, &p->arguments.slurm};
    const char *error = NULL;
    campaign_slurm_init(slurm);
    for (size_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < from[k]->list.n && !error; i++)
            error = campaign_slurm_set(slurm, &p->frame.arena, from[k]->list.v[i].key,
                                       from[k]->list.v[i].value);
    slurm->sbatch = p->arguments.sbatch;
    slurm->program = arena_printf(&p->frame.arena, "%s/ptxoffload-campaign", own_folder(p));
    return good(p, error);
}

// Runs the jobs on this host or in Slurm's queue.
static bool run_jobs(struct campaign_invocation *p, const struct campaign_watch *watch,
                     struct campaign_counts *counts)
{
    struct campaign_slurm slurm;
    if (p->arguments.on == ON_SLURM && !make_slurm(p, &slurm))
        return false;
    if (p->arguments.on != ON_SLURM && campaign_store_has_arrays(&p->store)) {
        message_error(&p->frame.messages,
                      "jobs of '%s' are in Slurm's queue: collect them with --on=slurm; if the "
                      "cluster no longer exists, remove '%s/slurm'",
                      p->store.folder, p->store.folder);
        return false;
    }
    interrupt_defer(&p->frame.stop);
    const char *error = p->arguments.on == ON_SLURM
                            ? campaign_slurm_run(&p->store, &p->plan, watch, &slurm, counts)
                            : campaign_run(&p->store, &p->plan, watch, counts);
    interrupt_defer(NULL);
    hide_progress(p);
    return good(p, error);
}

static bool check_statistics(struct campaign_invocation *p)
{
    diags_init(&p->diags, &p->frame.arena);
    return good(p, campaign_statistics_check(&p->campaign, &p->tools)) &&
           messages_diags(&p->frame.messages, &p->diags, &p->source);
}

static int run(struct campaign_invocation *p)
{
    struct campaign_counts counts;
    struct campaign_watch watch = {.context = p,
                                   .at_a_time = jobs_at_a_time(p),
                                   .is_limited = p->arguments.jobs,
                                   .retry = p->arguments.retry,
                                   .reuse = p->arguments.reuse,
                                   .stop = &p->frame.stop,
                                   .progress = show_progress,
                                   .ended = report_ended};
    for (uint32_t i = 0; i < p->arguments.reuse.list.n; i++)
        if (access(p->arguments.reuse.list.v[i], F_OK)) {
            message_error(&p->frame.messages, "the store '%s' to reuse does not exist",
                          p->arguments.reuse.list.v[i]);
            return BAD_INPUT;
        }
    if (!check_statistics(p))
        return BAD_INPUT;
    if (p->arguments.dry_run)
        return dry_run(p);
    if (!open_store(p, &p->store, store_name(p), true) ||
        !good(p, campaign_database_plan(&p->store, &p->plan)))
        return BAD_INPUT;
    if (!p->arguments.retry)
        report_failures(p);
    if (!run_jobs(p, &watch, &counts))
        return BAD_INPUT;
    printf("%u of %u jobs done, %u failed, %u left; %u run now", counts.done, counts.all,
           counts.failed, counts.left, counts.ran);
    if (p->arguments.reuse.list.n)
        printf(", %u reused", counts.reused);
    putchar('\n');
    if (campaign_store_has_arrays(&p->store))
        puts("Jobs remain in Slurm's queue; run the same command to collect them, or scancel to "
             "end them.");
    if (p->frame.stop)
        return BY_SIGNAL + p->frame.stop;
    return counts.failed ? JOB_FAILED : DONE;
}

// status

static void show_queue(struct campaign_invocation *p)
{
    struct campaign_queue queue;
    if (!p->store.folder || !campaign_slurm_look(&p->store, &queue))
        return;
    if (queue.error)
        printf("cannot query Slurm's queue: %s\n", queue.error);
    else
        printf("in Slurm's queue: %u tasks, %u of them running\n", queue.waiting + queue.running,
               queue.running);
}

static int status(struct campaign_invocation *p)
{
    struct text_list working = {0};
    struct campaign_counts counts;
    const char *folder = store_name(p);
    if (is_store(p, folder) && !open_store(p, &p->store, folder, false))
        return BAD_INPUT;
    campaign_count(&p->store, &p->plan, jobs_at_a_time(p), &counts);
    if (p->store.database && p->store.lock < 0)
        campaign_store_working(&p->store, &working);
    for (uint32_t i = 0; i < p->plan.jobs.n; i++)
        for (uint32_t k = 0; k < working.list.n; k++)
            if (p->plan.jobs.v[i].same == i && !strcmp(p->plan.jobs.v[i].key, working.list.v[k])) {
                printf("running: %s\n", p->plan.jobs.v[i].name);
                counts.running++;
            }
    printf("%u jobs: %u done, %u running, %u failed, %u left%s\n", counts.all, counts.done,
           counts.running, counts.failed, counts.left - counts.running,
           time_text(p, counts.seconds_left));
    show_queue(p);
    fflush(stdout);
    report_failures(p);
    return DONE;
}

// report, compare

static bool write_to(struct campaign_invocation *p, const char *path,
                     void (*write)(struct campaign_invocation *, FILE *))
{
    FILE *to = path ? frame_open(&p->frame, path) : NULL;
    if (to)
        write(p, to);
    return to || !path;
}

static void write_text(struct campaign_invocation *p, FILE *to)
{
    campaign_report_text(&p->report, to);
}

static void write_csv(struct campaign_invocation *p, FILE *to)
{
    campaign_report_csv(&p->report, to);
}

static void write_html(struct campaign_invocation *p, FILE *to)
{
    campaign_report_html(&p->report, to);
}

static void write_markdown(struct campaign_invocation *p, FILE *to)
{
    campaign_report_markdown(&p->report, p->notes.text, to);
}

static void write_svg(struct campaign_invocation *p, FILE *to)
{
    campaign_report_svg(&p->report, (enum campaign_width)p->arguments.columns, to);
}

static void write_cells(struct campaign_invocation *p, FILE *to)
{
    campaign_report_cells(&p->report, to);
}

static bool read_notes(struct campaign_invocation *p)
{
    const char *own = p->plan.is_quick ? p->campaign.quick_notes : p->campaign.notes;
    const char *notes = p->arguments.notes ? p->arguments.notes : own;
    const char *path = p->arguments.markdown ? notes : NULL;
    const char *error = path ? file_read(&p->frame.arena, path, &p->notes) : NULL;
    if (error)
        message_error(&p->frame.messages, "cannot read '%s': %s", path, error);
    return !error;
}

static int report(struct campaign_invocation *p)
{
    const struct campaign_arguments *a = &p->arguments;
    bool any = a->text || a->csv || a->html || a->markdown || a->svg || a->cells;
    if (!read_notes(p) || !open_store(p, &p->store, store_name(p), false) ||
        !good(p, campaign_report_make(&p->report, &p->store, &p->plan, &a->figures, p->command)))
        return BAD_INPUT;
    if (p->report.jobs && !p->report.with_result)
        message_note(
            &p->frame.messages,
            "no job of this selection has a result: run the campaign with the same options; "
            "results of other versions of the programs do not count");
    if (a->svg && !campaign_report_has_plot(&p->report)) {
        message_error(&p->frame.messages, "the figure '%s' has no plot", a->figures.list.v[0]);
        return BAD_INPUT;
    }
    if (!write_to(p, any ? a->text : "-", write_text) || !write_to(p, a->csv, write_csv) ||
        !write_to(p, a->html, write_html) || !write_to(p, a->markdown, write_markdown) ||
        !write_to(p, a->svg, write_svg) || !write_to(p, a->cells, write_cells))
        return BAD_INPUT;
    return frame_commit(&p->frame, DONE);
}

static void write_comparison(struct campaign_invocation *p, FILE *to)
{
    campaign_compare_text(&p->comparison, to);
}

static void write_comparison_csv(struct campaign_invocation *p, FILE *to)
{
    campaign_compare_csv(&p->comparison, to);
}

static bool find_pairs(struct campaign_invocation *p)
{
    const struct campaign_arguments *a = &p->arguments;
    p->comparison = (struct campaign_comparison){.arena = &p->frame.arena, .all = a->all};
    if (!a->file) {
        if (!open_store(p, &p->store, a->a, false) || !open_store(p, &p->other, a->b, false))
            return false;
        campaign_compare_stores(&p->comparison, &p->store, &p->other);
    } else if (!open_store(p, &p->store, store_name(p), false) ||
               !good(p, campaign_compare_variants(&p->comparison, &p->store, &p->plan, a->a, a->b)))
        return false;
    if (!p->comparison.pairs.n)
        message_error(&p->frame.messages, "'%s' and '%s' have no results of the same workload",
                      a->a, a->b);
    return p->comparison.pairs.n;
}

static int compare(struct campaign_invocation *p)
{
    const struct campaign_arguments *a = &p->arguments;
    if (!find_pairs(p) || !write_to(p, a->text || a->csv ? a->text : "-", write_comparison) ||
        !write_to(p, a->csv, write_comparison_csv))
        return BAD_INPUT;
    return frame_commit(&p->frame, DONE);
}

// The program

static bool print_keys(void *own, FILE *to)
{
    struct campaign_invocation *p = own;
    (p->arguments.common.help.as_markdown ? yaml_keys_print_markdown
                                          : yaml_keys_print)(&campaign_file_keys, to);
    return true;
}

static int act(struct campaign_invocation *p)
{
    switch (p->arguments.action) {
    case CAMPAIGN_RUN: return run(p);
    case CAMPAIGN_STATUS: return status(p);
    case CAMPAIGN_REPORT: return report(p);
    case CAMPAIGN_WORK:
        return campaign_slurm_work(&p->frame.arena, p->arguments.store, p->arguments.tickets,
                                   (uint32_t)p->arguments.task);
    default: return compare(p);
    }
}

// Returns false for options that change nothing in a report.
static bool is_shown(const char *word)
{
    return strncmp(word, "--store=", strlen("--store=")) != 0 && strcmp(word, "--quiet") != 0;
}

static int run_all(void *own)
{
    struct campaign_invocation *p = own;
    int code = BAD_INPUT;
    p->store.lock = p->other.lock = -1;
    p->command = campaign_command.name;
    for (int i = 1; i < p->frame.argc; i++)
        if (is_shown(p->frame.argv[i]))
            p->command = arena_printf(&p->frame.arena, "%s %s", p->command, p->frame.argv[i]);
    if (!p->arguments.file || make_plan(p))
        code = act(p);
    campaign_store_close(&p->store);
    campaign_store_close(&p->other);
    return code;
}

static void abandon(void *own)
{
    hide_progress(own);
}

static const struct topic topics[] = {
    TOPIC_OF_HELP(0, false, print_keys),
    {0},
};

const struct cli_program campaign_program = {
    .command = &campaign_command,
    .size = sizeof(struct campaign_invocation),
    .options = offsetof(struct campaign_invocation, arguments),
    .topics = topics,
    .check = campaign_options_check,
    .run = run_all,
    .abandon = abandon,
};
