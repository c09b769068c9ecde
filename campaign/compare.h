// Compares two variants or two stores by the ratio of each statistic.
#pragma once
#include "campaign/store.h"

// Two jobs to compare.
struct campaign_pair {
    const char *name; // workload, with its point if there is one
    struct campaign_store *store_a, *store_b;
    const char *key_a, *key_b;
};

struct campaign_comparison {
    struct arena *arena;
    const char *a, *b; // names of the two sides
    bool all;          // include statistics of single components and keys of the machine
    VEC(struct campaign_pair) pairs;
};

// Pairs all workloads that have a result for both variants, each "NAME" or "NAME@POINT". Returns
// NULL, or the unknown name.
const char *campaign_compare_variants(struct campaign_comparison *comparison,
                                      struct campaign_store *store,
                                      const struct campaign_plan *plan, const char *a,
                                      const char *b);
// Pairs all jobs that have the same name in both stores.
void campaign_compare_stores(struct campaign_comparison *comparison, struct campaign_store *a,
                             struct campaign_store *b);
// Prints a line for each statistic: the geometric mean of B / A over the pairs, then B / A of each
// pair.
void campaign_compare_text(const struct campaign_comparison *comparison, FILE *to);
// Prints a line for each statistic of each pair.
void campaign_compare_csv(const struct campaign_comparison *comparison, FILE *to);
