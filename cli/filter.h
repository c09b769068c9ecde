// Which functions a regular expression chooses, as compilers choose with -Rpass.
#pragma once
#include "ir/ir.h"

// By function: whether the extended regular expression, which is a valid one, is found in its name.
const bool *filter_functions(struct arena *arena, const struct ir_module *module,
                             const char *expression);
