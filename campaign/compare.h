// The ratio of every statistic of two variants, or of two stores.
#pragma once
#include "campaign/store.h"

// Two jobs that are compared.
struct campaign_pair {
    const char *name; // the workload, with what else tells it apart
    struct campaign_store *store_a, *store_b;
    const char *key_a, *key_b;
};

struct campaign_comparison {
    struct arena *arena;
    const char *a, *b; // what they are called
    bool all;          // also statistics of single parts, and keys of the machine
    VEC(struct campaign_pair) pairs;
};

// Pairs of all workloads that have a result of both variants, "NAME" or "NAME@POINT". NULL, or what
// there is none of.
const char *campaign_compare_variants(struct campaign_comparison *comparison,
                                      struct campaign_store *store,
                                      const struct campaign_plan *plan, const char *a,
                                      const char *b);
// Pairs of all jobs of the same names in both stores.
void campaign_compare_stores(struct campaign_comparison *comparison, struct campaign_store *a,
                             struct campaign_store *b);
// A line for each statistic: the geometric mean of B / A over the pairs, then B / A of each.
void campaign_compare_text(const struct campaign_comparison *comparison, FILE *to);
// A line for each statistic of each pair.
void campaign_compare_csv(const struct campaign_comparison *comparison, FILE *to);
