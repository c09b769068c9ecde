// Directives and declarations: what may stand where, with which arguments, from which PTX version
// and target on.
#pragma once
#include "frontend/tree.h"

// Reports to `diags`, by ptxas' rules:
//   directive    a directive in the wrong place, with other arguments or beside what excludes it
//   declaration  a variable, register or parameter that cannot be declared so
//   version      no, an unknown or a too old .version
//   target       no .target, or one that is too low
// A text that could not be read before its header is not blamed for the lack of one.
void directives_check(const struct tree *tree, struct arena *arena, struct diags *diags);
