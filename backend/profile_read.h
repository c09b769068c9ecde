// Reads what ptxoffload-sim --profile-out has written (docs/simulator.md).
#pragma once
#include "passes/analysis/measured.h"

// The numbers of a profile for the module, or NULL with errors of id "profile", which name the
// entry by its path: where the text is no JSON or no profile, contradicts itself, or is of another
// program. A key that is not known is warned of. `tagged` (or NULL) is the text as it was given, if
// the module is what is left of it without tags: a profile of that gets a hint.
const struct measurements *profile_read(struct arena *arena, const struct source *profile,
                                        const struct ir_module *module, const struct source *tagged,
                                        struct diags *diags);
