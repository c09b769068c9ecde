// Sums over the tables, for both reports.
#pragma once
#include "backend/tables.h"

struct summary {
    const char *name; // the kernel's; NULL in the total
    uint32_t instructions, instructions_tagged;
    uint32_t loads, loads_tagged;
    uint32_t chains;
    uint32_t blocks, candidates;
    uint32_t chosen,
        conditional;   // candidates that are not passed over; of these, those with a condition
    uint32_t rejected; // without rejections of the kernel as a whole, which keeps its chains
};

struct summary summary_of(const struct table_kernel *kernel);
struct summary summary_total(const struct tables *tables);
