// Selection of functions by a regular expression, as -Rpass of compilers does.
#pragma once
#include "ir/ir.h"

// Returns for each function whether the valid extended regular expression matches a part of its
// name.
const bool *filter_functions(struct arena *arena, const struct ir_module *module,
                             const char *expression);
