// The jobs of a campaign and their keys. A key is the digest of all inputs of a result.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"
#include "support/intern.h"

struct campaign_job {
    uint32_t workload, variant, point; // point: may be CAMPAIGN_NONE
    const char *name;                  // "BFS, omni, crossbar"
    const char *error;                 // why the job has no key; NULL: it has one
    char key[SHA256_HEX + 1];
    uint32_t same; // first job with this key: the one that is run
    const char *config;
    struct campaign_settings set;    // machine settings of the variant and the point
    struct campaign_settings values; // run-file values
    const char *run;                 // path of the run file
    const char *program, *module, *arch;
    // Parts of the key:
    char config_digest[SHA256_HEX + 1], run_digest[SHA256_HEX + 1];
    char effective[SHA256_HEX + 1]; // of the machine's values that are not initial; not in the key
    const char *inputs;             // lines "DIGEST PATH" of the program and the input files
};

// A selection of jobs.
struct campaign_selection {
    bool is_quick;
    bool is_preview; // with is_quick: few workloads, and at most three points of a study
    struct text_list studies, workloads, variants; // names; empty: all
    struct text_list jobs;                         // names as in campaign_job; empty: all
};

struct campaign_plan {
    const struct campaign *campaign;
    struct arena *arena;
    const struct campaign_tools *tools;
    bool is_quick, is_preview;
    VEC(struct campaign_job) jobs;
    struct intern names; // names of the jobs, for campaign_plan_find
};

// Makes the jobs and their keys. Reads run files and their inputs, and runs ptxoffload-sim for the
// configurations. Returns NULL, or the error: an unknown name in the selection, or a failure of
// ptxoffload-sim. An error of a single job is in its `error`.
const char *campaign_plan_make(struct campaign_plan *plan, struct arena *arena,
                               const struct campaign *campaign, const struct campaign_tools *tools,
                               const struct campaign_selection *selection);
// Returns the job, or NULL if the plan does not contain it.
const struct campaign_job *campaign_plan_find(const struct campaign_plan *plan, uint32_t workload,
                                              uint32_t variant, uint32_t point);
// Returns the options of a sampled job, or NULL.
const struct text_list *campaign_job_sample(const struct campaign *campaign,
                                            const struct campaign_job *job);
// Returns the name of the point, or NULL for CAMPAIGN_NONE.
const char *campaign_point_name(const struct campaign *campaign, uint32_t point);
// Build the two command lines of a job. The first writes the tagged program to `tagged`, the second
// reads it.
void campaign_tag_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, struct campaign_argv *argv);
void campaign_sim_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, const char *json, const char *stats,
                          struct campaign_argv *argv);
