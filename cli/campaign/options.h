// The command line of ptxoffload-campaign.
#pragma once
#include "cli/common/frame.h"
#include "campaign/plan.h"

enum campaign_action {
    CAMPAIGN_RUN,
    CAMPAIGN_STATUS,
    CAMPAIGN_REPORT,
    CAMPAIGN_COMPARE,
    CAMPAIGN_WORK,
};

enum campaign_host { ON_THIS_HOST, ON_SLURM };

struct campaign_arguments {
    struct common_options common;
    enum campaign_action action;
    const char *file;    // NULL: `compare` has two stores
    const char *a, *b;   // for `compare`: variants or stores
    const char *tickets; // for `work`
    uint64_t task;
    const char *store; // NULL: named after the campaign
    const char *tools; // folder; NULL: this program's
    uint64_t jobs;     // 0: the number of processors
    uint64_t columns;  // of an article, for --svg; 0: natural width
    struct campaign_selection selection;
    struct text_list figures, reuse;
    int on;                         // enum campaign_host
    struct campaign_settings slurm; // these override those of the file
    struct text_list sbatch;        // options of sbatch
    int quick, preview, retry, dry_run, all, allow_outside;
    const char *text, *csv, *html, *markdown, *svg, *cells; // files to write
    const char *notes; // file to read instead of the campaign's
};

extern const struct command campaign_command;

// Checks the options together. Returns false after reporting an error.
bool campaign_options_check(void *arguments, struct command_line *line);
