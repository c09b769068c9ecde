// Measured numbers of a profile beside those of the analyses, for the reports.
#pragma once
#include "backend/tables.h"

struct json;

// Fills tables->measurements for the functions of tables->kernels. Requires the plan of this module
// with these options and their measurements.
void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan);
// Writes the member `measurements`.
void measured_json(const struct tables *tables, struct json *json);
// Writes the member "outcomes", if a profile has them.
void outcomes_json(const struct tables *tables, struct json *json);
