// Maps as text: writing *.map.yaml.
#pragma once
#include "passes/maps/map.h"
#include <stdio.h>

// Writes a map so that map_read reads the same map.
void map_write(const struct map *map, FILE *to);
