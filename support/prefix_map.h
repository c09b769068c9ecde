// Names of files as outputs show them: with other prefixes, so that outputs do not depend on the
// folder of a build.
#pragma once
#include "support/vec.h"

struct prefix_pair {
    const char *from, *to; // `from` ends at the '=' before `to`
    size_t length;         // of `from`
};

struct prefix_map {
    VEC(struct prefix_pair) list;
};

// Adds OLD=NEW; OLD ends at the first '='. Returns NULL, or the error. Keeps the argument.
const char *prefix_map_add(struct prefix_map *map, struct arena *arena, const char *argument);
// Returns the name; if it begins with OLD, a copy with NEW instead, by the last such pair.
const char *prefix_map_name(const struct prefix_map *map, struct arena *arena, const char *name);
