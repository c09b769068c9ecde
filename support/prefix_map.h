// Replaces prefixes of file names in outputs, so that outputs do not depend on the build folder.
#pragma once
#include "support/vec.h"

struct prefix_pair {
    const char *from, *to; // `from` ends at the '=' before `to`
    size_t length;         // length of `from`
};

struct prefix_map {
    VEC(struct prefix_pair) list;
};

// Adds OLD=NEW; OLD ends at the first '='. Keeps a pointer to the argument. Returns NULL, or the
// error.
const char *prefix_map_add(struct prefix_map *map, struct arena *arena, const char *argument);
// Returns the name; if it starts with OLD, a copy with NEW instead. The last matching pair applies.
const char *prefix_map_name(const struct prefix_map *map, struct arena *arena, const char *name);
