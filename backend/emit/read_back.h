// Reads an output back before it is written, as its readers will.
#pragma once
#include "backend/emit/backend.h"
#include "passes/verify/verify.h"

// Requires an output of backend_emit for this module and plan. Checks that the tags give the tables
// again, and that each chain is valid in the text as written, by the simulator's checks. Returns
// the first fault, with the plan's chain if it concerns one; its text is NULL if all is correct.
struct verify_fault backend_read_back(const struct output *output, struct arena *arena,
                                      const struct ir_module *module, const struct plan *plan);
