// Checks of a map that do not depend on the machine.
#pragma once
#include "passes/maps/map.h"
#include "support/diag.h"

// Checks opcodes, operands, FIFOs and cycles, and sets the unit of each node. Errors go to `diags`
// with the places of the map's texts.
void map_check(struct arena *arena, struct map *map, struct diags *diags);
