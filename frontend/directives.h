// Directives and declarations: allowed places, arguments, PTX versions and targets.
#pragma once
#include "frontend/tree.h"

// Reports to `diags`, by ptxas' rules:
//   directive    a directive in the wrong place, with other arguments or with one that excludes it
//   declaration  a variable, register or parameter that cannot be declared so
//   version      no, an unknown or a too old .version
//   target       no .target, or one that is too low
// A missing header is not reported if the text could not be read up to it.
void directives_check(const struct tree *tree, struct arena *arena, struct diags *diags);

// The checks of single functions, by the header that the tree has so far. Their reports are those
// of directives_check, which reports the header's faults once more.
struct directives;
struct directives *directives_begin(const struct tree *tree, struct arena *arena,
                                    struct diags *diags);
void directives_check_function(struct directives *directives, uint32_t function);
void directives_end(struct directives *directives);
