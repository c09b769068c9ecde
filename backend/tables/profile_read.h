// A profile: reads the output of ptxoffload-sim --profile-out (docs/reference/simulator.md), and
// fills the tables that a report shows of it.
#pragma once
#include "backend/tables/fields.h"
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

// The rows of struct table_outcome, for profiles and reports.
extern const struct record_field rows_outcome[];

// Fills tables->changes: chains and blocks whose verdict differs from that without the profile.
// Requires two plans of this module by the same passes and options, of which
// only `with` has measurements, and the tables of `with`.
void changes_find(struct tables *tables, struct arena *arena, const struct ir_module *module,
                  const struct plan *without, const struct plan *with);

// Fills tables->measurements, numbers of a profile and the analyses' results for the same code, for
// the functions of tables->kernels. Requires the plan of this module with these options and their
// measurements.
void measured_list(struct tables *tables, struct arena *arena, const struct ir_module *module,
                   const struct pass_options *options, struct plan *plan);
