// Values of a map's expressions: for a group, a copy and an activation.
#pragma once
#include "passes/maps/map.h"

struct map_scope {
    const struct map *map;
    struct arena *arena;              // for texts of errors
    const struct host_number *params; // of map->params; NULL: expressions with them are errors
    int64_t names[MAP_NAMES];         // enum map_name
};

// Parses an expression of the map. Returns NULL with the fault.
const struct expr *map_parse(struct arena *arena, const struct map *map, const char *text,
                             size_t length, struct expr_fault *fault);
// Returns true if a parameter, a value or a predefined name of the map has this name.
bool map_knows(const struct map *map, const char *name);

// Returns NULL, or the condition of the map that the launch does not meet, as a sentence.
const char *map_unfit(const struct map_scope *scope);

// Evaluates an expression. Returns NULL, or the fault as a sentence.
const char *map_evaluate(const struct map_scope *scope, const struct map_expr *expr,
                         struct host_number *to);
// Evaluates an integer expression; *to is `initial` if it is not given.
const char *map_integer(const struct map_scope *scope, const struct map_expr *expr, int64_t initial,
                        int64_t *to);
// Returns the type of an operand's constants and initial tokens.
const struct scalar *map_operand_type(const struct map_node *node, uint32_t at);
// Evaluates a word of a type. Real numbers are rounded, integers reduced modulo 2^32.
const char *map_word(const struct map_scope *scope, const struct map_expr *expr,
                     const struct scalar *type, uint32_t *to);
// Evaluates the constant of a node's operand.
const char *map_constant(const struct map_scope *scope, const struct map_node *node, uint32_t at,
                         uint32_t *to);
// Evaluates the initial tokens of an operand; for MAP_WORDS their addresses.
const char *map_initial_words(const struct map_scope *scope, const struct map_node *node,
                              uint32_t at, uint32_t *words, uint64_t *addresses);
