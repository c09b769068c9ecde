// What a profile has changed: chains and blocks of which it is decided otherwise than without it.
#pragma once
#include "backend/tables.h"

struct json;

// Fills tables->changes. Both plans are of this module by the same passes and options, but for the
// measurements that `with` was made with; the tables are those of `with`.
void changes_find(struct tables *tables, struct arena *arena, const struct ir_module *module,
                  const struct plan *without, const struct plan *with);
// Writes the member `changes`.
void changes_json(const struct tables *tables, struct json *json);
