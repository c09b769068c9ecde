// Maps as text: reading *.map.yaml.
#pragma once
#include "passes/maps/map.h"
#include "support/yaml_keys.h"

extern const struct yaml_keys map_keys;

// Reads a map and checks it (map_check). Returns NULL after errors, which are in `diags` with their
// places. The source must outlive the map.
struct map *map_read(struct arena *arena, const struct source *source, struct diags *diags);
