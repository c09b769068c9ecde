// Internals of the reader of maps.
#pragma once
#include "passes/maps/map_read.h"

enum map_context {
    CONTEXT_MAP,
    CONTEXT_NODE,
    CONTEXT_OPERAND,
    CONTEXT_INITIAL,
    CONTEXT_RESULT,
    CONTEXTS
};

enum map_key {
#define MAP_KEY(context, key, form, needed, text) KEY_##context##_##key,
#include "passes/maps/keys.def"
#undef MAP_KEY
    MAP_KEYS,
};

enum { MAX_TOKENS = 65536 };

struct map_reading {
    struct arena *arena;
    struct map *map;
    struct yaml_document document;
    struct diags *diags;
    const struct yaml_node *of[MAP_KEYS]; // values of the current mapping
};

// Reports an error.
void map_read_fault(struct map_reading *r, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns the text of a scalar; not given for other nodes.
struct map_text map_text_of(const struct yaml_node *node);
// Reads an expression; not given if `node` is NULL.
struct map_expr map_read_expr(struct map_reading *r, const struct yaml_node *node);
// Reads `true` or `false`; false if `node` is NULL.
bool map_read_flag(struct map_reading *r, const struct yaml_node *node);
// Reads a whole number from 0 to `most`; `initial` if `node` is NULL.
uint32_t map_read_number(struct map_reading *r, const struct yaml_node *node, uint32_t max,
                         uint32_t initial);
// Finds a node by its name. Returns MAP_NO_NODE, with an error, if it does not exist.
uint32_t map_read_reference(struct map_reading *r, const struct map_text *name);
// Reads all nodes. Their names must be known (map->nodes has one element each).
void map_read_nodes(struct map_reading *r, const struct yaml_node *nodes);
