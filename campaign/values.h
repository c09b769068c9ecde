// The value of an expression for a workload.
#pragma once
#include "campaign/store.h"

struct campaign_query {
    struct campaign_store *store;
    const struct campaign_plan *plan;
    uint32_t workload, variant, point; // variant: of names in definitions
    uint32_t reference;                // workload of `ref.`
    uint32_t depth;
};

// Returns NAN if the expression has no value; then `*missing` has the reason.
double campaign_value(const struct campaign_query *query, const struct expr *expr,
                      const char **missing);
