#include "campaign/configs.h"
#include "support/nearest.h"
#include <stdlib.h>
#include <string.h>

struct checking {
    const struct campaign *campaign;
    struct arena *arena;
    struct intern kinds; // classes of machines with the same statistics
    struct campaign_configs configs;
};

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end;
}

// Returns true for the first machine of its class. Numeric settings do not change the set of
// statistics, except for the numbers of components.
static bool is_new_kind(struct checking *c, const char *policy, const char *config,
                        const struct campaign_settings *set)
{
    const char *kind = arena_printf(c->arena, "%s %s", policy, config);
    for (uint32_t i = 0; i < set->list.n; i++)
        kind = arena_printf(c->arena, "%s %s=%s", kind, set->list.v[i].key,
                            is_number(set->list.v[i].value) ? "" : set->list.v[i].value);
    uint32_t known = c->kinds.names.n;
    return intern_add(&c->kinds, kind, strlen(kind)) == known;
}

static void add_machine(struct checking *c, uint32_t variant, const struct campaign_point *at)
{
    const struct campaign_variant *of = &c->campaign->variants.v[variant];
    const char *config = at && at->config ? at->config : of->config;
    struct campaign_settings set = {0};
    for (uint32_t i = 0; i < of->set.list.n; i++)
        vec_push(c->arena, &set.list, of->set.list.v[i]);
    for (uint32_t i = 0; at && i < at->set.list.n; i++)
        vec_push(c->arena, &set.list, at->set.list.v[i]);
    if (is_new_kind(c, of->policy, config, &set))
        campaign_configs_add_listed(&c->configs, of->policy, config, &set);
}

static void add_machines(struct checking *c)
{
    const struct campaign *campaign = c->campaign;
    for (uint32_t s = 0; s < campaign->studies.n; s++) {
        const struct campaign_study *study = &campaign->studies.v[s];
        for (uint32_t v = 0; v < study->variants.list.n; v++) {
            for (uint32_t i = 0; i < study->points.list.n; i++)
                add_machine(c, study->variants.list.v[v],
                            &campaign->points.v[study->points.list.v[i]]);
            if (!study->points.list.n)
                add_machine(c, study->variants.list.v[v], NULL);
        }
    }
}

// Compares a name with a pattern, in which a star stands for a component's number.
static bool matches(const struct name *pattern, const char *name)
{
    for (uint32_t i = 0; i < pattern->length; i++) {
        size_t digits = pattern->text[i] == '*' ? strspn(name, "0123456789") : 0;
        if (pattern->text[i] == '*' ? !digits : pattern->text[i] != *name)
            return false;
        name += digits ? digits : 1;
    }
    return !*name;
}

static void check_ref(struct checking *c, const struct campaign_ref *ref)
{
    const struct intern *known = &c->configs.statistics;
    struct nearest nearest;
    if (ref->definition != CAMPAIGN_NONE || !strncmp(ref->statistic, "config.", 7))
        return;
    nearest_init(&nearest, ref->statistic, strlen(ref->statistic));
    for (uint32_t i = 0; i < known->names.n; i++) {
        const struct name *name = &known->names.v[i];
        if (matches(name, ref->statistic))
            return;
        nearest_offer(&nearest, name->text, name->length);
    }
    diag_add(c->campaign->diags, DIAG_ERROR, "campaign", ref->begin, ref->end,
             "no machine of this campaign has the statistic '%s'%s%s%s", ref->statistic,
             nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
             nearest.best ? "'?" : "");
}

const char *campaign_statistics_check(const struct campaign *campaign,
                                      const struct campaign_tools *tools)
{
    struct checking c = {.campaign = campaign, .arena = campaign->arena};
    intern_init(&c.kinds, c.arena);
    campaign_configs_init(&c.configs, c.arena);
    if (!campaign->refs.n)
        return NULL;
    add_machines(&c);
    const char *error = campaign_configs_resolve(&c.configs, tools);
    // A machine with errors might have the statistic; the errors are reported by its jobs.
    for (uint32_t i = 0; !error && i < c.configs.list.n; i++)
        if (c.configs.list.v[i].error)
            return NULL;
    for (uint32_t i = 0; !error && c.configs.statistics.names.n && i < campaign->refs.n; i++)
        check_ref(&c, &campaign->refs.v[i]);
    return error;
}
