// Measured numbers of a profile and the analyses' results for the same code, for the reports.
#pragma once
#include "backend/tables/tables.h"

// Fills tables->measurements for the functions of tables->kernels. Requires the plan of this module
// with these options and their measurements.
void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan);
