#include "campaign/report.h"
#include <math.h>

static const char *load(void *context, struct expr_ref ref, int64_t element,
                        struct host_number *number);

double campaign_value(const struct campaign_query *query, const struct expr *expr,
                      const char **missing)
{
    struct campaign_query copy = *query;
    struct expr_names names = {.context = &copy, .load = load, .dotted = true};
    struct expr_fault fault;
    struct host_number number = {0};
    *missing = NULL;
    if (!expr_evaluate(expr, &names, &number, &fault)) {
        *missing = fault.text;
        return NAN;
    }
    double value = number_real(&number);
    if (isfinite(value))
        return value;
    *missing = "division by zero";
    return NAN;
}

static const char *name_of(const struct campaign_query *query, uint32_t workload, uint32_t variant,
                           uint32_t point)
{
    const struct campaign *campaign = query->plan->campaign;
    const char *at = campaign_point_name(campaign, point);
    return arena_printf(query->plan->arena, "%s, %s%s%s", campaign->workloads.v[workload].name,
                        campaign->variants.v[variant].name, at ? ", " : "", at ? at : "");
}

static const char *load_statistic(const struct campaign_query *query, uint32_t workload,
                                  uint32_t variant, uint32_t point, const char *statistic,
                                  struct host_number *number)
{
    struct arena *arena = query->plan->arena;
    const char *name = name_of(query, workload, variant, point);
    const struct campaign_job *job = campaign_plan_find(query->plan, workload, variant, point);
    struct campaign_found found;
    if (!job)
        return arena_printf(arena, "no study runs %s", name);
    if (job->error)
        return arena_printf(arena, "%s: %s", name, job->error);
    number->kind = NUMBER_REAL;
    if (campaign_database_value(query->store, job->key, statistic, &number->real))
        return NULL;
    campaign_database_find(query->store, job->key, &found);
    if (!found.is_there)
        return arena_printf(arena, "%s has not been run", name);
    if (found.failure)
        return arena_printf(arena, "%s has failed: %s", name, found.failure);
    return arena_printf(arena, "%s has no statistic '%s'", name, statistic);
}

static const char *load_definition(const struct campaign_query *query, uint32_t definition,
                                   struct host_number *number)
{
    const char *missing;
    number->kind = NUMBER_REAL;
    number->real =
        campaign_value(query, query->plan->campaign->definitions.v[definition].expr, &missing);
    return missing;
}

// Returns the query of the job that a name denotes.
static struct campaign_query resolve(const struct campaign_query *query,
                                     const struct campaign_ref *of)
{
    struct campaign_query to = *query;
    if (of->variant != CAMPAIGN_NONE)
        to.variant = of->variant;
    if (of->is_reference)
        to.workload = query->reference;
    if (of->is_plain)
        to.point = CAMPAIGN_NONE;
    return to;
}

static const char *load(void *context, struct expr_ref ref, int64_t element,
                        struct host_number *number)
{
    const struct campaign_query *asked = context;
    const struct campaign_ref *of = &asked->plan->campaign->refs.v[ref.index];
    struct campaign_query query = resolve(asked, of);
    (void)element;
    *number = (struct host_number){0};
    return of->definition != CAMPAIGN_NONE ? load_definition(&query, of->definition, number)
                                           : load_statistic(&query, query.workload, query.variant,
                                                            query.point, of->statistic, number);
}

// The jobs of an expression

struct job_search {
    struct campaign_query query;
    struct campaign_indices *jobs;
};

static void add_job(struct job_search *f, const struct campaign_query *query)
{
    const struct campaign_plan *plan = query->plan;
    const struct campaign_job *job =
        campaign_plan_find(plan, query->workload, query->variant, query->point);
    if (!job || job->error)
        return;
    for (uint32_t i = 0; i < f->jobs->list.n; i++)
        if (f->jobs->list.v[i] == job->same)
            return;
    vec_push(plan->arena, &f->jobs->list, job->same);
}

static void visit(void *context, struct expr_ref ref)
{
    struct job_search *f = context;
    const struct campaign *campaign = f->query.plan->campaign;
    const struct campaign_ref *of = &campaign->refs.v[ref.index];
    struct campaign_query query = resolve(&f->query, of);
    if (of->definition == CAMPAIGN_NONE)
        add_job(f, &query);
    else
        campaign_value_jobs(&query, campaign->definitions.v[of->definition].expr, f->jobs);
}

void campaign_value_jobs(const struct campaign_query *query, const struct expr *expr,
                         struct campaign_indices *jobs)
{
    struct job_search search = {*query, jobs};
    expr_visit_numbers(expr, &search, visit);
}
