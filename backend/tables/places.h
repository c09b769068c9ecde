// Text and CUDA source of the places that the tables name, so that two reports can be compared
// after the PTX has changed. In reports only.
#pragma once
#include "backend/tables/tables.h"
#include "support/file.h"

// Fills tables->places. Requires tables whose lines are those of this module. `prefixes` changes
// the names of files.
void tables_find_locations(struct tables *tables, struct arena *arena,
                           const struct ir_module *module, const struct prefix_map *prefixes);
// Sorts tables->places as tables_location_at requires it.
void tables_sort_locations(struct tables *tables);
// Returns the place at this line and column, or the first one in the line if `column` is 0, or
// NULL.
const struct table_location *tables_location_at(const struct tables *tables, uint32_t line,
                                                uint32_t column);
