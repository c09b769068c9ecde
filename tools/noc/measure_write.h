// Output of the results as JSON and CSV.
#pragma once
#include "tools/noc/sweep.h"

struct measure_head {
    const struct config *config;
    const struct measure_plan *plan;
    const char *traffic; // as the user wrote it
};

// Writes one measurement: inputs, results, and all statistics since the window began.
void measure_write_json(const struct measure_head *head, const struct measured *measured, FILE *to);
// The same for a sweep: the inputs once, the results of each point.
void sweep_write_json(const struct measure_head *head, const struct sweep *sweep, FILE *to);
// Writes a line for each point, below a line with the names of the columns, which are those of
// JSON.
void sweep_write_csv(const struct sweep *sweep, FILE *to);

const char *measure_outcome_name(enum measure_outcome outcome);
