#include "cli/campaign/options.h"
#include "campaign/slurm.h"
#include <string.h>

enum { MAX_JOBS = 4096 };

static const char *const action_names[] = {
    [CAMPAIGN_RUN] = "run",         [CAMPAIGN_STATUS] = "status", [CAMPAIGN_REPORT] = "report",
    [CAMPAIGN_COMPARE] = "compare", [CAMPAIGN_WORK] = "work",     NULL,
};

static const char *const host_names[] = {[ON_THIS_HOST] = "host", [ON_SLURM] = "slurm", NULL};

static const char *const help_names[] = {"keys", NULL};

static const char *parse_slurm(struct arena *arena, void *into, const char *argument)
{
    struct campaign_slurm checked;
    const char *value = strchr(argument, '=');
    if (!value)
        return arena_printf(arena, "cannot be '%s': expected KEY=VALUE", argument);
    struct campaign_setting made = {arena_strndup(arena, argument, (size_t)(value - argument)),
                                    value + 1};
    vec_push(arena, &((struct campaign_arguments *)into)->slurm.list, made);
    campaign_slurm_init(&checked);
    return campaign_slurm_set(&checked, arena, made.key, made.value);
}

#define OPTIONS_OF struct campaign_arguments

static const struct option what_options[] = {
    {"--quick", NULL, FLAG(quick, 1), .help = "the workloads' quick sizes, and quick studies only"},
    {"--preview", NULL, FLAG(preview, 1),
     .help = "--quick with a few workloads and three points of each study,\n"
             "to see the shape of the figures"},
    {"--study", "NAME", LIST(selection.studies), .help = "only this study; may be repeated"},
    {"--workload", "NAME", LIST(selection.workloads),
     .help = "only this workload or group; may be repeated"},
    {"--variant", "NAME", LIST(selection.variants), .help = "only this variant; may be repeated"},
    {"--job", "NAME", LIST(selection.jobs),
     .help = "only this job, by its name in --dry-run; may be repeated"},
    {0},
};

static const struct option how_options[] = {
    {"--store", "FOLDER", TEXT(store), .file = OPTION_WRITES, .folder = true,
     .help = "folder of the results (default: NAME.campaign, where NAME\nis the name of the "
             "campaign)"},
    {"--jobs", "N", NUMBER(jobs, 1, MAX_JOBS),
     .help =
         "jobs at a time (default: number of processors; with slurm:\nwhat the cluster allows)"},
    {"--on", "host|slurm", ONE_OF(on, host_names),
     .help = "slurm: run job arrays on a cluster, on which this folder\n"
             "and the store have the same names"},
    {"--slurm", "KEY=VALUE", CALL(parse_slurm),
     .help = "partition, time, memory, array_size, jobs_per_task or\n"
             "poll (seconds); may be repeated"},
    {"--sbatch", "OPTION", LIST(sbatch), .help = "an additional option of sbatch; may be repeated"},
    {"--reuse", "FOLDER", LIST(reuse), .file = OPTION_READS, .folder = true,
     .help =
         "reuse results of identical jobs from this store of\nanother campaign; may be repeated"},
    {"--retry", NULL, FLAG(retry, 1), .help = "run failed jobs again"},
    {"--dry-run", NULL, FLAG(dry_run, 1),
     .help = "list the jobs and their states, and the expected time"},
    {"--tools", "FOLDER", TEXT(tools), .file = OPTION_READS, .folder = true,
     .help = "folder of ptxoffload and ptxoffload-sim (default: that of\nthis program)"},
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
    {"--columns", "1|2", NUMBER(columns, 1, 2),
     .help = "with --svg: as wide as one or two columns of an article"},
    {"--markdown", "FILE", TEXT(markdown), .file = OPTION_WRITES,
     .help = "write tables as Markdown, embedded in the text of the\ncampaign's notes"},
    {"--cells", "FILE", TEXT(cells), .file = OPTION_WRITES,
     .help =
         "write the jobs that each cell of the tables needs, and\ndigests of what they read, as "
         "JSON"},
    {"--notes", "FILE", TEXT(notes), .file = OPTION_READS,
     .help = "with --markdown: use the text of this file instead"},
    {"--figure", "NAME", LIST(figures), .help = "report only this figure; may be repeated"},
    {"--all", NULL, FLAG(all, 1),
     .help = "compare: include the statistics of single cores, slices "
             "…"},
    {0},
};

static const struct option help_options[] = {
    HELP_OPTION("[=keys]", help_names, "print this, or the keys of campaign files"),
    {0},
};

static const struct option_group groups[] = {
    {"What", what_options},
    {"How", how_options},
    {"Output", output_options},
    {"Diagnostics", diagnostics_options},
    {"Messages", message_options},
    {"", help_options},
    {0},
};

static const struct option_example examples[] = {
    {"run eval/isca19.yaml --quick", "run a small version of a campaign; run it again to continue"},
    {"run eval/isca19.yaml --on=slurm --slurm=partition=short", "run it on a cluster"},
    {"report eval/isca19.yaml --quick --html=isca19.html", "write a page with its figures"},
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
             "  work TICKETS TASK       started by the tasks of Slurm's arrays; needs --store\n",
    .groups = groups,
    .more =
        "A run can be interrupted at any time, and the next one continues: a job with a result\n"
        "is not run again unless the programs, the machine or the inputs have changed.\n"
        "\n"
        "Exit code: 0 success, 1 bad input or a file that cannot be read or written,\n"
        "2 bad usage, 3 a job has failed.\n",
};

// Checks

static bool parse_compared(struct campaign_arguments *a, struct command_line *line)
{
    uint32_t n = line->operands.n;
    if (n != 3 && n != 4)
        return options_fault(line,
                             "compare needs two folders, or a campaign file and two variants");
    a->file = n == 4 ? line->operands.v[1] : NULL;
    a->a = line->operands.v[n - 2];
    a->b = line->operands.v[n - 1];
    if (!a->file && a->store)
        return options_fault(line, "--store cannot be combined with a comparison of two folders");
    return true;
}

static bool parse_work(struct campaign_arguments *a, struct command_line *line)
{
    a->tickets = line->operands.n == 3 ? line->operands.v[1] : NULL;
    if (!a->tickets || options_number(line->arena, line->operands.v[2], 0, UINT32_MAX, &a->task))
        return options_fault(line, "work needs a file of tickets and a task number");
    return a->store || options_fault(line, "work needs --store");
}

static bool parse_operands(struct campaign_arguments *a, struct command_line *line)
{
    if (!line->operands.n)
        return options_fault(line, "missing command: run, status, report or compare");
    const char *word = line->operands.v[0];
    int action = options_choice(action_names, word, strlen(word));
    if (action < 0)
        return options_fault(line, "unknown command (expected run, status, report or compare): %s",
                             word);
    a->action = (enum campaign_action)action;
    if (a->action == CAMPAIGN_COMPARE)
        return parse_compared(a, line);
    if (a->action == CAMPAIGN_WORK)
        return parse_work(a, line);
    if (line->operands.n < 2)
        return options_fault(line, "missing campaign file: %s", word);
    if (line->operands.n > 2)
        return options_fault(line, "more than one campaign file: %s", line->operands.v[2]);
    a->file = line->operands.v[1];
    return true;
}

bool campaign_options_check(void *arguments, struct command_line *line)
{
    struct campaign_arguments *a = arguments;
    a->selection.is_quick = a->quick || a->preview;
    a->selection.is_preview = a->preview;
    if (!parse_operands(a, line) || !common_options_check(line, &a->common))
        return false;

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
                          : a->cells    ? "--cells"
                                        : NULL;
    const char *cluster = a->slurm.list.n ? "--slurm" : a->sbatch.list.n ? "--sbatch" : NULL;
    if (cluster && a->on != ON_SLURM)
        return options_fault(line, "only --on=slurm uses %s", cluster);
    if (running && a->action != CAMPAIGN_RUN)
        return options_fault(line, "only run accepts %s", running);
    if (writing && a->action != CAMPAIGN_REPORT && a->action != CAMPAIGN_COMPARE)
        return options_fault(line, "only report and compare accept %s", writing);
    const char *page = a->html       ? "--html"
                       : a->markdown ? "--markdown"
                       : a->svg      ? "--svg"
                       : a->cells    ? "--cells"
                                     : NULL;
    if (page && a->action == CAMPAIGN_COMPARE)
        return options_fault(line, "compare writes --text and --csv, but not %s", page);
    if (a->svg && a->figures.list.n != 1)
        return options_fault(line, "--svg writes the plot of one figure: it needs one --figure");
    if (a->columns && !a->svg)
        return options_fault(line, "only --svg uses --columns");
    if (a->notes && !a->markdown)
        return options_fault(line, "only --markdown uses --notes");
    if (a->figures.list.n && a->action != CAMPAIGN_REPORT)
        return options_fault(line, "only report accepts --figure");
    return true;
}
