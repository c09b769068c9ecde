// The configurations of a plan's jobs, and their digests, which ptxoffload-sim computes.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"
#include "support/intern.h"

struct campaign_config {
    const char *error;              // NULL: the digests are valid
    char digest[SHA256_HEX + 1];    // of all values
    char effective[SHA256_HEX + 1]; // of the values that are not the initial ones of their keys
};

struct campaign_configs {
    struct arena *arena;
    struct intern lines;              // lines of options for ptxoffload-sim
    VEC(struct campaign_config) list; // by line id; filled by campaign_configs_resolve
    struct intern statistics;         // statistics of the machines of campaign_configs_add_listed
};

// The words of one line of a response file, quoted.
struct campaign_line {
    VEC(char) text;
};

// Appends a word, quoted if necessary.
void campaign_line_add(struct arena *arena, struct campaign_line *line, const char *word);
// Appends --set for each setting, whose key follows the prefix `section`.
void campaign_line_set(struct arena *arena, struct campaign_line *line, const char *section,
                       const struct campaign_settings *settings);
// Returns the id of the line, which is copied if it is new.
uint32_t campaign_line_id(struct intern *lines, const struct campaign_line *line);

// Initialises an empty list of configurations.
void campaign_configs_init(struct campaign_configs *configs, struct arena *arena);
// Adds a configuration. Returns its index in `list`.
uint32_t campaign_configs_add(struct campaign_configs *configs, const char *config,
                              const struct campaign_settings *set);
// Adds a machine under a policy, whose statistics are to be listed in `statistics`.
void campaign_configs_add_listed(struct campaign_configs *configs, const char *policy,
                                 const char *config, const struct campaign_settings *set);
// Adds the options of a job, to find errors in them: its policy and two lists, of which `second`
// may be NULL. Returns the index in `list`.
uint32_t campaign_configs_add_options(struct campaign_configs *configs, const char *policy,
                                      const struct text_list *first,
                                      const struct text_list *second);
// Runs ptxoffload-sim once for all configurations and fills `list`. Returns NULL, or why
// ptxoffload-sim failed.
const char *campaign_configs_resolve(struct campaign_configs *configs,
                                     const struct campaign_tools *tools);

// Checks the names of statistics in expressions before any job is run.

// Adds an error to the campaign's diagnostics for each statistic that no machine of its studies
// has. Runs ptxoffload-sim. Returns NULL, or why ptxoffload-sim failed.
const char *campaign_statistics_check(const struct campaign *campaign,
                                      const struct campaign_tools *tools);
