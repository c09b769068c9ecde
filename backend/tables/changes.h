// Changes by a profile: chains and blocks whose verdict differs from that without the profile.
#pragma once
#include "backend/tables/tables.h"

// Fills tables->changes. Requires two plans of this module by the same passes and options, of which
// only `with` has measurements, and the tables of `with`.
void changes_find(struct tables *tables, struct arena *arena, const struct ir_module *module,
                  const struct plan *without, const struct plan *with);
