// Text and CUDA source of the places that the tables name, so that two reports can be compared
// after the PTX has changed. In reports only.
#pragma once
#include "backend/tables/tables.h"
#include "support/file.h"

// Fills tables->places. Requires tables whose lines are those of this module. `prefixes` changes
// the names of files.
void places_find(struct tables *tables, struct arena *arena, const struct ir_module *module,
                 const struct prefix_map *prefixes);
// Sorts tables->places as places_at requires it.
void places_sort(struct tables *tables);
// Returns the place at this line and column, or the first one in the line if `column` is 0, or
// NULL.
const struct table_place *places_at(const struct tables *tables, uint32_t line, uint32_t column);
