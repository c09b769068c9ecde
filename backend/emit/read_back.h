// Reads an output back before it leaves, as its readers do.
#pragma once
#include "backend/emit/backend.h"
#include "passes/verify/verify.h"

// Requires an output of backend_emit for this module and plan. Checks that the tags are those of
// the tables, and that each chain is one in the text as it is written, by the checks of the
// simulator. Returns the first fault, with the chain of the plan if it is one of a chain; or no
// text.
struct verify_fault backend_read_back(const struct output *output, struct arena *arena,
                                      const struct ir_module *module, const struct plan *plan);
