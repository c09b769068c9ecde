// Values of a map's expressions: for a group, a copy and an activation.
#pragma once
#include "passes/maps/map.h"

struct map_scope {
    const struct map *map;
    struct arena *arena;             // of texts of errors
    const struct run_number *params; // of map->params; NULL: expressions with them are errors
    int64_t names[MAP_NAMES];        // enum map_name
};

// Parses an expression of the map. Returns NULL with the fault.
const struct expr *map_parse(struct arena *arena, const struct map *map, const char *text,
                             size_t length, struct expr_fault *fault);
// Returns true if the map has a parameter or value of this name, or every expression knows it.
bool map_knows(const struct map *map, const char *name);

// Returns NULL, or which condition of the map the launch does not fulfil, as a sentence.
const char *map_unfit(const struct map_scope *scope);

// Evaluates an expression. Returns NULL, or the fault as a sentence.
const char *map_evaluate(const struct map_scope *scope, const struct map_expr *expr,
                         struct run_number *to);
// The same for an integer; without the expression *to is `initial`.
const char *map_integer(const struct map_scope *scope, const struct map_expr *expr, int64_t initial,
                        int64_t *to);
// Returns the type of an operand's constants and initial tokens.
const struct scalar *map_operand_type(const struct map_node *node, uint32_t at);
// The same for a word of a type; real numbers are rounded, integers taken modulo 2^32.
const char *map_word(const struct map_scope *scope, const struct map_expr *expr,
                     const struct scalar *type, uint32_t *to);
// The constant of a node's operand.
const char *map_constant(const struct map_scope *scope, const struct map_node *node, uint32_t at,
                         uint32_t *to);
// The initial tokens of an operand, for MAP_WORDS their addresses in `addresses`.
const char *map_initial_words(const struct map_scope *scope, const struct map_node *node,
                              uint32_t at, uint32_t *words, uint64_t *addresses);
