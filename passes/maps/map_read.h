// Maps as text: reads, checks and writes *.map.yaml.
#pragma once
#include "passes/maps/map.h"
#include "support/diag.h"
#include "support/yaml_keys.h"
#include <stdio.h>

extern const struct yaml_keys map_keys;

// Reads a map and checks it (map_check). Returns NULL after errors, which are in `diags` with their
// places. The source must outlive the map.
struct map *map_read(struct arena *arena, const struct source *source, struct diags *diags);

// Writes a map so that map_read reads the same map.
void map_write(const struct map *map, FILE *to);

// Checks, independently of the machine, opcodes, operands, FIFOs and cycles, and sets the unit of
// each node. Errors go to `diags`
// with the places of the map's texts.
void map_check(struct arena *arena, struct map *map, struct diags *diags);
