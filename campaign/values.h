// Evaluates expressions over the results of a workload's jobs.
#pragma once
#include "campaign/store.h"

struct campaign_query {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    uint32_t workload, variant, point; // variant: for names in definitions
    uint32_t reference;                // workload of `ref.`
    uint32_t depth;
};

// Returns the value of an expression, or NAN with the reason in `*missing`.
double campaign_value(const struct campaign_query *query, const struct expr *expr,
                      const char **missing);
