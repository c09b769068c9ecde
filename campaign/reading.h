// Common parts of reading a campaign file. Each fault is reported with its place.
#pragma once
#include "campaign/campaign.h"
#include "campaign/keys.h"

struct campaign_reading {
    struct campaign *campaign;
    struct yaml_document document;
    bool is_definition; // of the current expression
};

void campaign_fault(struct campaign_reading *r, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns the text of a value, or NULL if the key is absent.
const char *campaign_text(const struct yaml_node *node);
// Reads "yes" or "no"; returns `initial` if the key is absent.
bool campaign_flag(struct campaign_reading *r, const struct yaml_node *node, bool initial);
// Adds the value, or those of a list.
void text_list_read(struct campaign_reading *r, const struct yaml_node *node, struct text_list *to);
bool campaign_number(struct campaign_reading *r, const struct yaml_node *node, double *value);
// Returns the place of a word in `words`, which end in NULL; `initial` if the key is absent.
int campaign_choice(struct campaign_reading *r, const struct yaml_node *node,
                    const char *const *words, int initial);
// Returns NULL, after reporting the fault, if the text is not an expression.
const struct expr *campaign_expression(struct campaign_reading *r, const struct yaml_node *node);
// Reads a name. Requires that it is unique among its kind.
bool campaign_new_name(struct campaign_reading *r, const struct yaml_node *node, bool is_taken);

enum campaign_kind { CAMPAIGN_WORKLOADS, CAMPAIGN_VARIANTS, CAMPAIGN_POINTS };
// Looks up a name: one element, or all of a group, whose name it then returns in `*group`. Returns
// false, after reporting it, if the name is unknown.
bool campaign_stands_for(struct campaign_reading *r, const struct yaml_node *node,
                         enum campaign_kind kind, struct campaign_places *to, const char **group);
// The same for a name or a list of them.
void campaign_places_read(struct campaign_reading *r, const struct yaml_node *node,
                          enum campaign_kind kind, struct campaign_places *to);

void campaign_figures_read(struct campaign_reading *r, const struct yaml_node *figures);
