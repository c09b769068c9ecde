// Sums over the tables, as both reports give them.
#pragma once
#include "backend/tables.h"

struct summary {
    const char *name; // the kernel's; NULL in the total
    uint32_t instructions, instructions_tagged;
    uint32_t loads, loads_tagged;
    uint32_t chains;
    uint32_t blocks, candidates;
    uint32_t chosen, conditional; // candidates not passed over; of these, under a condition
    uint32_t rejected; // without what is of the kernel as a whole, which keeps its chains
};

struct summary summary_of(const struct table_kernel *kernel);
struct summary summary_total(const struct tables *tables);
