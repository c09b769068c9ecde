// The command line of ptxoffload-campaign.
#pragma once
#include "cli/tagger/arguments.h"
#include "campaign/plan.h"

enum campaign_action {
    CAMPAIGN_RUN,
    CAMPAIGN_STATUS,
    CAMPAIGN_REPORT,
    CAMPAIGN_COMPARE,
    CAMPAIGN_WORK,
};

enum campaign_place { ON_THIS_HOST, ON_SLURM };

struct campaign_arguments {
    struct arguments common;
    enum campaign_action action;
    const char *file;    // NULL: `compare` of two stores
    const char *a, *b;   // of `compare`: variants or stores
    const char *tickets; // of `work`
    uint64_t task;
    const char *store; // NULL: by the name of the campaign
    const char *tools; // folder; NULL: this program's
    uint64_t jobs;     // 0: the number of processors
    struct campaign_selection selection;
    struct campaign_words figures, reuse;
    int on;                         // enum campaign_place
    struct campaign_settings slurm; // take precedence over those of the file
    struct campaign_words sbatch;   // options
    int quick, retry, dry_run, all, help_keys, allow_outside;
    const char *text, *csv, *html, *markdown, *svg; // files to write
    const char *notes;                              // file to read instead of the campaign's
};

extern const struct command campaign_command;

// Reads the command line with response files. Returns false after reporting errors on `errors`.
bool campaign_arguments_read(struct campaign_arguments *arguments, struct arena *arena, int argc,
                             char *const *argv, FILE *errors);
