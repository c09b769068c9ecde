// What a profile has measured, beside what the analyses find: for the reports.
#pragma once
#include "backend/tables.h"

struct json;

// Fills tables->measurements, of the functions that tables->kernels has. The plan is of this
// module, made with these options, whose measurements are there.
void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan);
// Writes the member `measurements`.
void measured_json(const struct tables *tables, struct json *json);
