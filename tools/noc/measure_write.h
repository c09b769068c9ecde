// Writes the results as JSON and CSV.
#pragma once
#include "tools/noc/sweep.h"

struct measure_head {
    const struct config *config;
    const struct measure_plan *plan;
    const char *traffic; // as given by the user
};

// Writes the inputs and results of a measurement, and all statistics of the window.
void measure_write_json(const struct measure_head *head, const struct measured *measured, FILE *to);
// Writes the inputs of a sweep once, and the results of each point.
void sweep_write_json(const struct measure_head *head, const struct sweep *sweep, FILE *to);
// Writes a heading and a line for each point. The columns are the members of the JSON document.
void sweep_write_csv(const struct sweep *sweep, FILE *to);

// Returns the word for an outcome.
const char *measure_outcome_name(enum measure_outcome outcome);
