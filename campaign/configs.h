// The configurations of a plan's jobs, and the digest of each, which ptxoffload-sim computes.
#pragma once
#include "campaign/campaign.h"
#include "campaign/tools.h"
#include "support/intern.h"

struct campaign_config {
    const char *error; // NULL: it has a digest
    char digest[SHA256_HEX + 1];
};

struct campaign_configs {
    struct arena *arena;
    struct intern lines;              // options of ptxoffload-sim
    VEC(struct campaign_config) list; // by the id of the line, after campaign_configs_resolve
    struct intern statistics;         // of the machines of campaign_configs_add_listed
};

// Words on one line, quoted as in a response file.
struct campaign_line {
    VEC(char) text;
};

void campaign_line_add(struct arena *arena, struct campaign_line *line, const char *word);
// Adds --set for each setting; its key follows `section`.
void campaign_line_set(struct arena *arena, struct campaign_line *line, const char *section,
                       const struct campaign_settings *settings);
// Returns the id of the line, which is copied if it is new.
uint32_t campaign_line_id(struct intern *lines, const struct campaign_line *line);

void campaign_configs_init(struct campaign_configs *configs, struct arena *arena);
// Returns the place of this configuration in the list.
uint32_t campaign_configs_add(struct campaign_configs *configs, const char *config,
                              const struct campaign_settings *set);
// The same for a machine under a policy, whose statistics are listed.
void campaign_configs_add_listed(struct campaign_configs *configs, const char *policy,
                                 const char *config, const struct campaign_settings *set);
// The same for the options of a job, whose errors are of interest: its policy, and those of two
// lists, of which the second may be NULL.
uint32_t campaign_configs_add_options(struct campaign_configs *configs, const char *policy,
                                      const struct text_list *first,
                                      const struct text_list *second);
// Starts ptxoffload-sim once, for all configurations. Returns NULL, or why it did not answer.
const char *campaign_configs_resolve(struct campaign_configs *configs,
                                     const struct campaign_tools *tools);
