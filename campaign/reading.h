// What reading a campaign file has in common. Everything that is wrong is told, with its place.
#pragma once
#include "campaign/campaign.h"
#include "campaign/keys.h"

struct campaign_reading {
    struct campaign *campaign;
    struct yaml_document document;
    bool is_definition; // of the expression that is being read
};

void campaign_fault(struct campaign_reading *r, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The text of a value, or NULL if there is none.
const char *campaign_text(const struct yaml_node *node);
// "yes" or "no"; without a value `initial`.
bool campaign_flag(struct campaign_reading *r, const struct yaml_node *node, bool initial);
bool campaign_number(struct campaign_reading *r, const struct yaml_node *node, double *value);
// The place of a word among `words`, which end in NULL; without a value `initial`.
int campaign_choice(struct campaign_reading *r, const struct yaml_node *node,
                    const char *const *words, int initial);
// NULL, after saying why, if the text is no expression.
const struct expr *campaign_expression(struct campaign_reading *r, const struct yaml_node *node);
// A name that nothing else of its kind has.
bool campaign_new_name(struct campaign_reading *r, const struct yaml_node *node, bool is_taken);

enum campaign_kind { CAMPAIGN_WORKLOADS, CAMPAIGN_VARIANTS, CAMPAIGN_POINTS };
// What one name stands for: one thing, or all of a group, whose name it then returns in `*group`.
// False, after saying so, if there is nothing of this name.
bool campaign_stands_for(struct campaign_reading *r, const struct yaml_node *node,
                         enum campaign_kind kind, struct campaign_places *to, const char **group);
// The same for a name or a list of them.
void campaign_places_read(struct campaign_reading *r, const struct yaml_node *node,
                          enum campaign_kind kind, struct campaign_places *to);

void campaign_figures_read(struct campaign_reading *r, const struct yaml_node *figures);
