// The jobs of a campaign, and the key of each: the digest of all inputs of its result.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"
#include "support/intern.h"

struct campaign_job {
    uint32_t workload, variant, point; // the point may be CAMPAIGN_NONE
    const char *name;                  // "BFS, omni, crossbar"
    const char *error;                 // why it has no key; NULL: it has one
    char key[SHA256_HEX + 1];
    uint32_t same; // the first job with this key, which is the one to run
    const char *config;
    struct campaign_settings set;    // the variant's and the point's
    struct campaign_settings values; // of the run file
    const char *run;                 // the run file
    const char *program, *module, *arch;
    // Inputs of the key.
    char config_digest[SHA256_HEX + 1], run_digest[SHA256_HEX + 1];
    const char *inputs; // "DIGEST PATH" lines: the program and its input files
};

// A selection of jobs.
struct campaign_selection {
    bool is_quick;
    struct text_list studies, workloads, variants; // by name; empty: all
};

struct campaign_plan {
    const struct campaign *campaign;
    struct arena *arena;
    const struct campaign_tools *tools;
    bool is_quick;
    VEC(struct campaign_job) jobs;
    struct intern names; // of the jobs, for campaign_plan_find
};

// Finds the jobs and their keys; reads run files and inputs, and starts ptxoffload-sim for
// configurations. Returns NULL, or the error: a name of the selection that does not exist, or that
// ptxoffload-sim does not answer. The `error` of a job has its own faults.
const char *campaign_plan_make(struct campaign_plan *plan, struct arena *arena,
                               const struct campaign *campaign, const struct campaign_tools *tools,
                               const struct campaign_selection *selection);
// Returns NULL if the plan has no such job.
const struct campaign_job *campaign_plan_find(const struct campaign_plan *plan, uint32_t workload,
                                              uint32_t variant, uint32_t point);
// Returns the name of the point, or NULL.
const char *campaign_point_name(const struct campaign *campaign, uint32_t point);
// The two command lines of a job; the first one writes `tagged`.
void campaign_tag_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, struct campaign_argv *argv);
void campaign_sim_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, const char *json, const char *stats,
                          struct campaign_argv *argv);
