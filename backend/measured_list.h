// What a profile has measured, beside what the analyses find: for the reports.
#pragma once
#include "backend/tables.h"

// Fills tables->measurements, of the functions that tables->kernels has. The plan is of this
// module, made with these options, whose measurements are there.
void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan);
