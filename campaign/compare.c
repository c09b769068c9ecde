#include "campaign/compare.h"
#include "support/csv.h"
#include "support/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Pairs

struct compared_side {
    uint32_t variant, point;
};

static const char *find_side(const struct campaign_plan *plan, const char *name,
                             struct compared_side *side)
{
    const struct campaign *campaign = plan->campaign;
    const char *at = strchr(name, '@');
    const char *variant = arena_strndup(plan->arena, name, at ? (size_t)(at - name) : strlen(name));
    *side = (struct compared_side){campaign_variant(campaign, variant), CAMPAIGN_NONE};
    if (side->variant == CAMPAIGN_NONE)
        return arena_printf(plan->arena, "unknown variant '%s'", variant);
    for (uint32_t i = 0; at && i < campaign->points.n; i++)
        if (!strcmp(campaign->points.v[i].name, at + 1))
            side->point = i;
    if (at && side->point == CAMPAIGN_NONE)
        return arena_printf(plan->arena, "unknown point '%s'", at + 1);
    return NULL;
}

static const char *good_key(struct campaign_store *store, const struct campaign_plan *plan,
                            uint32_t workload, const struct compared_side *side)
{
    const struct campaign_job *job = campaign_plan_find(plan, workload, side->variant, side->point);
    struct campaign_found found = {.is_there = false};
    if (job && !job->error)
        campaign_database_find(store, job->key, &found);
    return found.is_there && !found.failure ? job->key : NULL;
}

const char *campaign_compare_variants(struct campaign_comparison *comparison,
                                      struct campaign_store *store,
                                      const struct campaign_plan *plan, const char *a,
                                      const char *b)
{
    struct compared_side side_a, side_b;
    const char *error = find_side(plan, a, &side_a);
    if (error || (error = find_side(plan, b, &side_b)))
        return error;
    comparison->a = a;
    comparison->b = b;
    for (uint32_t i = 0; i < plan->campaign->workloads.n; i++) {
        struct campaign_pair pair = {plan->campaign->workloads.v[i].name, store, store,
                                     good_key(store, plan, i, &side_a),
                                     good_key(store, plan, i, &side_b)};
        if (pair.key_a && pair.key_b)
            vec_push(comparison->arena, &comparison->pairs, pair);
    }
    return NULL;
}

static bool is_same(const struct campaign_stored *a, const struct campaign_stored *b)
{
    return !strcmp(a->workload, b->workload) && !strcmp(a->variant, b->variant) &&
           !strcmp(a->point, b->point) && a->is_quick == b->is_quick;
}

void campaign_compare_stores(struct campaign_comparison *comparison, struct campaign_store *a,
                             struct campaign_store *b)
{
    struct campaign_stored_list of_a = {0}, of_b = {0};
    campaign_database_jobs(a, &of_a);
    campaign_database_jobs(b, &of_b);
    comparison->a = a->folder;
    comparison->b = b->folder;
    for (uint32_t i = 0; i < of_a.list.n; i++)
        for (uint32_t k = 0; k < of_b.list.n; k++) {
            const struct campaign_stored *from = &of_a.list.v[i], *to = &of_b.list.v[k];
            if (!is_same(from, to))
                continue;
            struct campaign_pair pair = {arena_printf(comparison->arena, "%s,%s%s%s%s",
                                                      from->workload, from->variant,
                                                      *from->point ? "@" : "", from->point,
                                                      from->is_quick ? " (quick)" : ""),
                                         a, b, from->key, to->key};
            vec_push(comparison->arena, &comparison->pairs, pair);
        }
}

// Statistics

// Returns true for a statistic of a single component, whose name has a part that ends in a number:
// core12.issued, l1_3.reads, request.node5.flits.
static bool is_of_part(const char *name)
{
    for (const char *at = name, *dot; (dot = strchr(at, '.')); at = dot + 1) {
        bool is_level = dot - at == 2 && *at == 'l';
        if (dot[-1] >= '0' && dot[-1] <= '9' && !is_level && strncmp(at, "class", 5))
            return true;
    }
    return false;
}

static bool is_wanted(const struct campaign_comparison *comparison, const char *name)
{
    return comparison->all || (strncmp(name, "config.", 7) && !is_of_part(name));
}

static double ratio_of(const struct campaign_pair *pair, const char *name, double *a, double *b)
{
    if (!campaign_database_value(pair->store_a, pair->key_a, name, a))
        *a = NAN;
    if (!campaign_database_value(pair->store_b, pair->key_b, name, b))
        *b = NAN;
    return *a != 0 ? *b / *a : *b == 0 ? 1 : NAN;
}

// Merges the wanted names of a sorted list into another sorted list.
static void merge(const struct campaign_comparison *comparison, struct text_list *to,
                  const struct text_list *more)
{
    struct text_list both = {0};
    for (uint32_t i = 0, k = 0; i < to->list.n || k < more->list.n;) {
        int order = i == to->list.n     ? 1
                    : k == more->list.n ? -1
                                        : strcmp(to->list.v[i], more->list.v[k]);
        const char *name = order <= 0 ? to->list.v[i] : more->list.v[k];
        i += order <= 0;
        k += order >= 0;
        if (is_wanted(comparison, name))
            vec_push(comparison->arena, &both.list, name);
    }
    *to = both;
}

static void collect_names(const struct campaign_comparison *comparison, struct text_list *to)
{
    for (uint32_t i = 0; i < comparison->pairs.n; i++) {
        struct text_list names = {0};
        campaign_database_names(comparison->pairs.v[i].store_a, comparison->pairs.v[i].key_a,
                                &names);
        merge(comparison, to, &names);
    }
}

static const char *ratio_text(struct arena *arena, double ratio)
{
    return isfinite(ratio) ? arena_printf(arena, "%.4g", ratio) : "-";
}

void campaign_compare_text(const struct campaign_comparison *comparison, FILE *to)
{
    struct text_list names = {0};
    int longest = 10;
    bool any_partial = false;
    collect_names(comparison, &names);
    for (uint32_t i = 0; i < names.list.n; i++)
        longest = (int)strlen(names.list.v[i]) > longest ? (int)strlen(names.list.v[i]) : longest;
    fprintf(to, "%s / %s\n\n%-*s %9s ", comparison->b, comparison->a, longest, "", "geomean");
    for (uint32_t k = 0; k < comparison->pairs.n; k++)
        fprintf(to, " %10s", comparison->pairs.v[k].name);
    putc('\n', to);
    for (uint32_t i = 0; i < names.list.n; i++) {
        const char *cells = "";
        double sum = 0, a, b;
        uint32_t count = 0;
        for (uint32_t k = 0; k < comparison->pairs.n; k++) {
            const struct campaign_pair *pair = &comparison->pairs.v[k];
            double ratio = ratio_of(pair, names.list.v[i], &a, &b);
            bool counts = isfinite(ratio) && ratio > 0;
            sum += counts ? log(ratio) : 0;
            count += counts;
            cells = arena_printf(comparison->arena, "%s %*s", cells,
                                 (int)strlen(pair->name) > 10 ? (int)strlen(pair->name) : 10,
                                 ratio_text(comparison->arena, ratio));
        }
        bool is_partial = count && count < comparison->pairs.n;
        any_partial |= is_partial;
        fprintf(to, "%-*s %9s%c%s\n", longest, names.list.v[i],
                ratio_text(comparison->arena, count ? exp(sum / count) : NAN),
                is_partial ? '*' : ' ', cells);
    }
    if (any_partial)
        fputs("\n* without the workloads whose ratio is 0, negative or not defined\n", to);
}

static void write_number(FILE *to, double value)
{
    char text[NUMBER_TEXT] = "";
    if (isfinite(value))
        number_shortest(text, value);
    fprintf(to, ",%s", text);
}

void campaign_compare_csv(const struct campaign_comparison *comparison, FILE *to)
{
    struct text_list names = {0};
    collect_names(comparison, &names);
    fputs("statistic,workload,a,b,ratio\n", to);
    for (uint32_t i = 0; i < names.list.n; i++)
        for (uint32_t k = 0; k < comparison->pairs.n; k++) {
            double a, b, ratio = ratio_of(&comparison->pairs.v[k], names.list.v[i], &a, &b);
            csv_text(to, names.list.v[i]);
            putc(',', to);
            csv_text(to, comparison->pairs.v[k].name);
            write_number(to, a);
            write_number(to, b);
            write_number(to, ratio);
            putc('\n', to);
        }
}
