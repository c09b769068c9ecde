// Checks directives and declarations: allowed places, arguments, PTX versions and targets.
#pragma once
#include "frontend/tree.h"

// Reports faults to `diags`, by the rules of ptxas:
//   directive    a directive in the wrong place, with other arguments or with one that excludes it
//   declaration  a variable, register or parameter that cannot be declared so
//   version      no, an unknown or a too old .version
//   target       no .target, or one that is too low
// A missing header is not reported if a syntax error may have hidden it.
void directives_check(const struct tree *tree, struct arena *arena, struct diags *diags);

// Checks functions one by one against the header that the tree has so far. Reports the same faults
// as directives_check, which must still run on the module and then reports the header's faults
// again.
struct directives;
// Checks the header. Returns the state for the following calls. The tree must outlive it.
struct directives *directives_begin(const struct tree *tree, struct arena *arena,
                                    struct diags *diags);
// Checks the declarations and directives of a function.
void directives_check_function(struct directives *directives, uint32_t function);
// Checks labels at the end of the module, and frees the state.
void directives_end(struct directives *directives);
