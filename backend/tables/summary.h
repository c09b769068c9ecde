// Sums over the tables, for all reports.
#pragma once
#include "backend/tables/tables.h"

struct summary {
    const char *name; // of the kernel; NULL in the total
    uint32_t instructions, instructions_tagged;
    uint32_t loads, loads_tagged;
    uint32_t chains;
    uint32_t blocks, candidates;
    uint32_t chosen,
        conditional;   // candidates that are not passed over, and those of them with a condition
    uint32_t rejected; // without rejections of the kernel as a whole
    uint32_t maps;
    uint32_t no_queue; // kernels with chains and without room for the service queue
    uint64_t flits;    // saved by the chains, per warp and hop
    double expected;   // expected value of `flits`
    double words;      // saved by the chosen blocks, per warp
};

enum summary_kind { SUMMARY_CHAINS, SUMMARY_BLOCKS, SUMMARY_MAPS, SUMMARY_KINDS };

struct summary_reason {
    enum plan_rule rule;
    uint32_t count;
};

// Rejected candidates of a kind by their rules, the most frequent rule first.
struct summary_reasons {
    struct summary_reason v[RULE_COUNT];
    uint32_t n, candidates;
};

// Return the sums of one kernel, and of all kernels of the tables.
struct summary summary_of(const struct table_kernel *kernel);
struct summary summary_total(const struct tables *tables);
// Returns the rules that reject candidates of this kind. Accesses in no chain count as candidates
// for chains.
struct summary_reasons summary_reasons(const struct tables *tables, enum summary_kind kind);
