// Reads the output of ptxoffload-sim --profile-out (docs/reference/simulator.md).
#pragma once
#include "backend/tables/tables.h"
#include "passes/analysis/memory/measured.h"

// Returns the numbers of a profile for the module. Returns NULL with errors of id "profile", which
// name the entry by its path, if the text is not JSON or not a profile, contradicts itself, or
// belongs to another program. Warns of unknown keys. `tagged` (or NULL) is the original text if the
// module is that text without tags: a profile of the tagged text gets a hint, or only its numbers
// of chains and blocks are read. `outcomes` (or NULL) receives the latter.
const struct measurements *profile_read(struct arena *arena, const struct source *profile,
                                        const struct ir_module *module, const struct source *tagged,
                                        struct table_outcomes *outcomes, struct diags *diags);
