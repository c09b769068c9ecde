// Functions that the readers of campaign files share. Each error is reported with its place.
#pragma once
#include "campaign/campaign.h"
#include "support/yaml_keys.h"

// The keys of campaign files, generated from keys.def.

enum campaign_context {
    CAMPAIGN_OF_CAMPAIGN,
    CAMPAIGN_OF_SLURM,
    CAMPAIGN_OF_WORKLOAD,
    CAMPAIGN_OF_VARIANT,
    CAMPAIGN_OF_POINT,
    CAMPAIGN_OF_SWEEP,
    CAMPAIGN_OF_RANGE,
    CAMPAIGN_OF_STUDY,
    CAMPAIGN_OF_FIGURE,
    CAMPAIGN_OF_COLUMN,
    CAMPAIGN_CONTEXTS,
};

enum campaign_key {
#define CAMPAIGN_KEY(context, key, form, needed, text) CAMPAIGN_##context##_##key,
#include "campaign/keys.def"
#undef CAMPAIGN_KEY
    CAMPAIGN_KEYS,
};

// The values of one mapping, indexed by key. NULL: not given.
struct campaign_keys {
    const struct yaml_node *of[CAMPAIGN_KEYS];
};

extern const struct yaml_keys campaign_file_keys;

// Collects the values of a mapping and checks its keys. Returns false after errors.
bool campaign_keys_read(struct campaign_keys *keys, const struct yaml_document *document,
                        const struct yaml_node *mapping, enum campaign_context context,
                        struct diags *diags);

struct campaign_reading {
    struct campaign *campaign;
    struct yaml_document document;
    bool is_definition; // the current expression is a definition
};

// Adds an error at a node.
void campaign_fault(struct campaign_reading *r, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns the text of a value, or NULL if the key is absent.
const char *campaign_text(const struct yaml_node *node);
// Reads "yes" or "no"; returns `initial` if the key is absent.
bool campaign_flag(struct campaign_reading *r, const struct yaml_node *node, bool initial);
// Appends the value, or each value of a list.
void text_list_read(struct campaign_reading *r, const struct yaml_node *node, struct text_list *to);
// Reads a number. Returns false after an error.
bool campaign_number(struct campaign_reading *r, const struct yaml_node *node, double *value);
// Returns the index of the value in `words`, which end in NULL; `initial` if the key is absent.
int campaign_choice(struct campaign_reading *r, const struct yaml_node *node,
                    const char *const *words, int initial);
// Parses an expression over statistics, or over these names. Returns NULL after an error.
const struct expr *campaign_expression(struct campaign_reading *r, const struct yaml_node *node);
const struct expr *campaign_expression_of(struct campaign_reading *r, const struct yaml_node *node,
                                          const struct expr_names *names);
// Returns true for a valid key. As the start of an argument it must be neither an option nor a
// response file.
bool campaign_is_key(const char *text);
// Returns the text of a list: "[a, b]".
const char *campaign_list_text(struct campaign_reading *r, const struct yaml_node *list);
// Returns the path of a file, or the name of a built-in configuration.
const char *campaign_config_of(const struct campaign *campaign, const struct yaml_node *node);
bool campaign_has_point(const struct campaign *campaign, const char *name);
// Returns false after an error if the new name `is_taken`.
bool campaign_new_name(struct campaign_reading *r, const struct yaml_node *node, bool is_taken);

enum campaign_kind { CAMPAIGN_WORKLOADS, CAMPAIGN_VARIANTS, CAMPAIGN_POINTS };
// Appends the element with this name, or all elements of the group, whose name is then stored in
// `*group`. Returns false after an error if the name is unknown.
bool campaign_stands_for(struct campaign_reading *r, const struct yaml_node *node,
                         enum campaign_kind kind, struct campaign_indices *to, const char **group);
// Appends the elements of a name or of a list of names.
void campaign_indices_read(struct campaign_reading *r, const struct yaml_node *node,
                           enum campaign_kind kind, struct campaign_indices *to);

// Adds the points of a sweep.
void campaign_sweep_read(struct campaign_reading *r, const struct yaml_node *node);
// Reads the figures of the campaign.
void campaign_figures_read(struct campaign_reading *r, const struct yaml_node *figures);
