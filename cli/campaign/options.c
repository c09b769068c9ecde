#include "cli/campaign/options.h"
#include "cli/common/diagnostics_options.h"
#include "cli/common/response.h"
#include "campaign/slurm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 4096 };

static const char *const colour_names[] = {
    [COLOUR_AUTO] = "auto",
    [COLOUR_ALWAYS] = "always",
    [COLOUR_NEVER] = "never",
    NULL,
};

static const char *const action_names[] = {
    [CAMPAIGN_RUN] = "run",         [CAMPAIGN_STATUS] = "status", [CAMPAIGN_REPORT] = "report",
    [CAMPAIGN_COMPARE] = "compare", [CAMPAIGN_WORK] = "work",     NULL,
};

static const char *const place_names[] = {[ON_THIS_HOST] = "host", [ON_SLURM] = "slurm", NULL};

static const char *take_jobs(struct arena *arena, void *into, const char *argument)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(argument, &end, 10);
    if (*argument < '0' || *argument > '9' || *end || errno || !value || value > MOST_JOBS)
        return arena_printf(arena, "cannot be '%s': it is a number from 1 to %d", argument,
                            MOST_JOBS);
    ((struct campaign_arguments *)into)->jobs = value;
    return NULL;
}

static const char *take_study(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->selection.studies.list, argument);
    return NULL;
}

static const char *take_workload(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->selection.workloads.list, argument);
    return NULL;
}

static const char *take_variant(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->selection.variants.list, argument);
    return NULL;
}

static const char *take_figure(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->figures.list, argument);
    return NULL;
}

static const char *take_reuse(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->reuse.list, argument);
    return NULL;
}

static const char *take_slurm(struct arena *arena, void *into, const char *argument)
{
    struct campaign_slurm checked;
    const char *value = strchr(argument, '=');
    if (!value)
        return arena_printf(arena, "cannot be '%s': it is KEY=VALUE", argument);
    struct campaign_setting made = {arena_strndup(arena, argument, (size_t)(value - argument)),
                                    value + 1};
    vec_push(arena, &((struct campaign_arguments *)into)->slurm.list, made);
    campaign_slurm_init(&checked);
    return campaign_slurm_set(&checked, arena, made.key, made.value);
}

static const char *take_sbatch(struct arena *arena, void *into, const char *argument)
{
    vec_push(arena, &((struct campaign_arguments *)into)->sbatch.list, argument);
    return NULL;
}

static const char *take_help(struct arena *arena, void *into, const char *argument)
{
    struct campaign_arguments *arguments = into;
    if (!argument)
        arguments->common.help = 1;
    else
        arguments->help_keys = options_topic(argument, "keys");
    return !argument || arguments->help_keys
               ? NULL
               : arena_printf(arena, "cannot be '%s': it is keys, or omitted", argument);
}

#define INTO(field) .offset = offsetof(struct campaign_arguments, field)
#define FLAG(field, to) .kind = OPTION_FLAG, INTO(field), .value = (to)
#define TEXT(field) .kind = OPTION_TEXT, INTO(field)
#define CHOICE(field, names) .kind = OPTION_CHOICE, INTO(field), .choices = (names)
#define CALL(function) .kind = OPTION_CALL, .call = (function)

static const struct option what_options[] = {
    {"--quick", NULL, FLAG(quick, 1), .help = "the workloads' quick sizes, and quick studies only"},
    {"--study", "NAME", CALL(take_study), .help = "only this study; may be repeated"},
    {"--workload", "NAME", CALL(take_workload),
     .help = "only this workload or group; may be repeated"},
    {"--variant", "NAME", CALL(take_variant), .help = "only this variant; may be repeated"},
    {0},
};

static const struct option how_options[] = {
    {"--store", "FOLDER", TEXT(store), .file = OPTION_WRITES,
     .help = "folder of the results; by default NAME.campaign, after the\nname of the campaign"},
    {"--jobs", "N", CALL(take_jobs),
     .help =
         "jobs at a time (default: number of processors; with slurm:\nwhat the cluster allows)"},
    {"--on", "host|slurm", CHOICE(on, place_names),
     .help = "slurm: as arrays in the queue of a cluster, on which this\n"
             "folder and the store have the same names"},
    {"--slurm", "KEY=VALUE", CALL(take_slurm),
     .help = "partition, time, memory, array_size, jobs_per_task or\n"
             "poll (seconds); may be repeated"},
    {"--sbatch", "OPTION", CALL(take_sbatch), .help = "another option of sbatch; may be repeated"},
    {"--reuse", "FOLDER", CALL(take_reuse), .file = OPTION_READS,
     .help = "take results of the same jobs from this store of another\ncampaign; may be repeated"},
    {"--retry", NULL, FLAG(retry, 1), .help = "run failed jobs again"},
    {"--dry-run", NULL, FLAG(dry_run, 1),
     .help = "list the jobs and their states, and the expected time"},
    {"--tools", "FOLDER", TEXT(tools), .file = OPTION_READS,
     .help = "folder of ptxoffload and ptxoffload-sim (that of this program)"},
    {"--allow-outside", NULL, FLAG(allow_outside, 1), .file = OPTION_PERMITS,
     .help = "allow the campaign's options to write files, and its run\n"
             "files to write anywhere and over any file"},
    {0},
};

static const struct option output_options[] = {
    {"--text", "FILE", TEXT(text), .file = OPTION_WRITES,
     .help = "write tables as text; '-' is standard output"},
    {"--csv", "FILE", TEXT(csv), .file = OPTION_WRITES, .help = "write a line for each number"},
    {"--html", "FILE", TEXT(html), .file = OPTION_WRITES,
     .help = "write a page with tables and plots"},
    {"--svg", "FILE", TEXT(svg), .file = OPTION_WRITES,
     .help = "write the plot of the one figure that --figure names"},
    {"--markdown", "FILE", TEXT(markdown), .file = OPTION_WRITES,
     .help = "write tables as Markdown, within the text of the campaign's\nnotes"},
    {"--notes", "FILE", TEXT(notes), .file = OPTION_READS,
     .help = "with --markdown: the text of this file instead"},
    {"--figure", "NAME", CALL(take_figure), .help = "report only this figure; may be repeated"},
    {"--all", NULL, FLAG(all, 1), .help = "compare: also the statistics of single cores, slices …"},
    {0},
};

static const struct option message_options[] = {
    {"--quiet", NULL, FLAG(common.quiet, 1), .brief = "-q", .help = "no progress"},
    {"-v", NULL, FLAG(common.verbose, 1), .help = "report the steps"},
    {"--color", "auto|always|never", CHOICE(common.colour, colour_names),
     .help = "auto: on a terminal, if NO_COLOR is not set"},
    {"--help", "[=keys]", CALL(take_help), .joined = true, .brief = "-h",
     .help = "print this, or the keys of campaign files"},
    {"--version", NULL, FLAG(common.version, 1), .brief = "-V", .help = "print the version"},
    {0},
};

static const struct option_group groups[] = {
    {"What", what_options},        {"How", how_options},
    {"Output", output_options},    {"Diagnostics", diagnostics_options},
    {"Messages", message_options}, {0},
};

static const struct option_example examples[] = {
    {"run eval/isca19.yaml --quick", "run a small form of a campaign; again to continue it"},
    {"run eval/isca19.yaml --on=slurm --slurm=partition=short", "run it on a cluster"},
    {"report eval/isca19.yaml --quick --html=isca19.html", "make a page of its figures"},
    {"compare eval/isca19.yaml base llc", "list the statistics in which two variants differ"},
    {0},
};

const struct command campaign_command = {
    .name = "ptxoffload-campaign",
    .purpose = "run workloads on variants of a machine, and report the results",
    .examples = examples,
    .usage = "run|status|report|compare FILE.yaml [OPTION]...",
    .about = "Runs workloads on variants of a machine in parallel, and reports the results.\n"
             "\n"
             "  run FILE.yaml           run the jobs that have no result yet\n"
             "  status FILE.yaml        print the number of finished jobs, and the failed ones\n"
             "  report FILE.yaml        print or write the campaign's tables and plots\n"
             "  compare FILE.yaml A B   print the ratio of all statistics, variant B to A;\n"
             "                          VARIANT@POINT is a variant at a point of a sweep\n"
             "  compare A B             the same for two folders with results\n"
             "  work TICKETS TASK       what a task of Slurm's arrays starts; needs --store\n",
    .groups = groups,
    .more =
        "A run can be interrupted at any time, and the next one continues: a job with a result\n"
        "is not run again unless the programs, the machine or the inputs have changed.\n"
        "\n"
        "Exit code: 0 done, 1 bad input or a file that cannot be read or written,\n"
        "2 bad usage, 3 a job has failed.\n",
};

// Checks

static bool fault(FILE *errors, const char *text, const char *name)
{
    fprintf(errors, "%s: error: %s%s\n", campaign_command.name, text, name);
    return false;
}

static bool take_compared(struct campaign_arguments *a, const struct command_line *line,
                          FILE *errors)
{
    uint32_t n = line->operands.n;
    if (n != 3 && n != 4)
        return fault(errors, "compare needs two folders, or a campaign file and two variants", "");
    a->file = n == 4 ? line->operands.v[1] : NULL;
    a->a = line->operands.v[n - 2];
    a->b = line->operands.v[n - 1];
    if (!a->file && a->store)
        return fault(errors, "--store cannot be combined with a comparison of two folders", "");
    return true;
}

static bool take_work(struct campaign_arguments *a, const struct command_line *line, FILE *errors)
{
    char *end = NULL;
    errno = 0;
    a->tickets = line->operands.n == 3 ? line->operands.v[1] : NULL;
    a->task = a->tickets ? strtoull(line->operands.v[2], &end, 10) : 0;
    if (!a->tickets || *line->operands.v[2] < '0' || *line->operands.v[2] > '9' || *end || errno ||
        a->task > UINT32_MAX)
        return fault(errors, "work needs a file of tickets and the number of a task", "");
    return a->store || fault(errors, "work needs ", "--store");
}

static bool take_operands(struct campaign_arguments *a, const struct command_line *line,
                          FILE *errors)
{
    if (!line->operands.n)
        return fault(errors, "no command: run, status, report or compare", "");
    const char *word = line->operands.v[0];
    int action = options_choice(action_names, word, strlen(word));
    if (action < 0)
        return fault(errors, "unknown command (run, status, report or compare): ", word);
    a->action = (enum campaign_action)action;
    if (a->action == CAMPAIGN_COMPARE)
        return take_compared(a, line, errors);
    if (a->action == CAMPAIGN_WORK)
        return take_work(a, line, errors);
    if (line->operands.n < 2)
        return fault(errors, "no campaign file: ", word);
    if (line->operands.n > 2)
        return fault(errors, "more than one campaign file: ", line->operands.v[2]);
    a->file = line->operands.v[1];
    return true;
}

static bool check(const struct campaign_arguments *a, FILE *errors)
{
    const char *running = a->retry          ? "--retry"
                          : a->dry_run      ? "--dry-run"
                          : a->reuse.list.n ? "--reuse"
                          : a->on           ? "--on"
                                            : NULL;
    const char *writing = a->text       ? "--text"
                          : a->csv      ? "--csv"
                          : a->html     ? "--html"
                          : a->markdown ? "--markdown"
                          : a->svg      ? "--svg"
                                        : NULL;
    const char *cluster = a->slurm.list.n ? "--slurm" : a->sbatch.list.n ? "--sbatch" : NULL;
    const char *const outputs[] = {a->text, a->csv, a->html, a->markdown, a->svg};
    const char *conflict =
        diagnostics_conflict(&a->common, outputs, sizeof outputs / sizeof *outputs);
    if (conflict)
        return fault(errors, conflict, "");
    if (cluster && a->on != ON_SLURM)
        return fault(errors, "only --on=slurm uses ", cluster);
    if (running && a->action != CAMPAIGN_RUN)
        return fault(errors, "only run accepts ", running);
    if (writing && a->action != CAMPAIGN_REPORT && a->action != CAMPAIGN_COMPARE)
        return fault(errors, "only report and compare accept ", writing);
    const char *page = a->html ? "--html" : a->markdown ? "--markdown" : a->svg ? "--svg" : NULL;
    if (page && a->action == CAMPAIGN_COMPARE)
        return fault(errors, "compare writes --text and --csv, but not ", page);
    if (a->svg && a->figures.list.n != 1)
        return fault(errors, "--svg writes the plot of one figure: it needs one ", "--figure");
    if (a->notes && !a->markdown)
        return fault(errors, "only --markdown uses ", "--notes");
    if (a->figures.list.n && a->action != CAMPAIGN_REPORT)
        return fault(errors, "only report accepts ", "--figure");
    return true;
}

bool campaign_arguments_read(struct campaign_arguments *arguments, struct arena *arena, int argc,
                             char *const *argv, FILE *errors)
{
    *arguments = (struct campaign_arguments){0};
    arguments->common.max_errors = -1;
    struct response_line response = response_expand(arena, argc, argv);
    bool good = !response.error || fault(errors, response.error, "");
    if (good) {
        struct command_line line = options_read(&campaign_command, arena, (int)response.arguments.n,
                                                response.arguments.v, arguments, errors);
        bool is_query = arguments->common.help || arguments->common.version || arguments->help_keys;
        good = !line.failed &&
               (is_query || (take_operands(arguments, &line, errors) && check(arguments, errors)));
    }
    arguments->selection.is_quick = arguments->quick;
    if (!good)
        fprintf(errors, "'%s --help' explains the options\n", campaign_command.name);
    return good;
}
