// The syntax tree of a PTX text: one array of nodes in the order of the text, parents before their
// children. A node's subtree is the `size` nodes that start with it. Every byte of the source is in
// a node's range, or is white space, comment or punctuation between a node's children. Text that
// could not be parsed is kept in error nodes.
#pragma once
#include "frontend/isa.h"
#include "support/diag.h"

enum node_kind {
    NODE_MODULE,
    NODE_DIRECTIVE,  // aux: isa_word; children: operands
    NODE_FUNCTION,   // aux: W_entry or W_func; value: name; children: specs, params, tunings, scope
    NODE_RETURNS,    // parameter list before the function's name
    NODE_PARAMS,     // parameter list after the function's name
    NODE_TUNING,     // aux: isa_word; children: numbers
    NODE_DECL,       // children: specs, then declarators
    NODE_SPEC,       // aux: isa_word; children: its argument, if any
    NODE_DECLARATOR, // value: name; flag COUNTED: first child is n of name<n>; dims; initialiser
    NODE_DIMENSION,  // child: length, if given
    NODE_INIT,       // child: the value
    NODE_SCOPE,      // { statements }
    NODE_SECTION,    // .section name { … }; the contents are not parsed
    NODE_DWARF,      // @@dwarf line of old PTX
    NODE_LABEL,      // value: name
    NODE_INSTR,      // aux: isa_op or OP_OPAQUE; value: modifiers; children: guard?, operands
    NODE_GUARD,      // value: name; flag NEGATED
    NODE_EMPTY,      // semicolons without a statement: ;;
    NODE_ERROR,
    // operands
    NODE_NAME,    // value: name id
    NODE_INT,     // value: bits; flag UNSIGNED
    NODE_FLOAT32, // value: bits; written 0f…
    NODE_FLOAT64, // value: bits; written 0d… or in decimal
    NODE_STRING,
    NODE_WORD,    // a dot word; aux: isa_word
    NODE_VECTOR,  // {a, b, …}
    NODE_ADDRESS, // [a], [a+4], [texture, {x, y}]; aux: W_unified_mod or 0
    NODE_LIST,    // (a, b)
    NODE_PAIR,    // p|q
    NODE_NOT,     // !p
    NODE_NEGATE,  // -a
    NODE_OFFSET,  // name + constant: children NAME, INT
    NODE_MEMBER,  // name.x: child NAME; aux: isa_word
    NODE_ELEMENT, // name[i]: children NAME, index
    NODE_APPLY,   // generic(name), mask(0xff, name)
    NODE_EXPR,    // any other expression with names, not evaluated
};

enum node_flag {
    NODE_UNSIGNED = 1,
    NODE_NEGATED = 2,
    NODE_COUNTED = 4,
    NODE_HAS_GUARD = 8,
    NODE_CUT = 16,  // the source ended inside the node
    NODE_LATE = 32, // a function's SPEC that follows the word .entry or .func
};

struct node {
    uint8_t kind;
    uint8_t flags;
    uint16_t aux;
    uint32_t begin, end; // offsets in the source; an instruction ends after its semicolon
    uint32_t size;       // number of nodes in the subtree, including this one
    uint64_t value;
};

struct tree {
    struct arena *arena;
    struct source *source;
    struct intern names;
    VEC(struct node) nodes;
    VEC(uint16_t) mods; // modifiers of the instructions, isa_word ids
};

// Parses the source's text, which is modified while parsing and restored. Always returns a tree;
// faults are in `diags` (ids "syntax", "literal", "unknown-opcode", "unknown-directive").
void ptx_parse(struct tree *tree, struct arena *arena, struct source *source, struct diags *diags);

// `visit` is called for each function with a body, as soon as it is parsed. The nodes before the
// function are complete. Returns false to stop parsing.
struct tree_visitor {
    bool (*visit)(void *context, uint32_t function);
    void *context;
};

// Parses as ptx_parse does, but removes the nodes of a body after the visit: only its empty scope
// remains.
void ptx_parse_each(struct tree *tree, struct arena *arena, struct source *source,
                    struct diags *diags, const struct tree_visitor *visitor);

// Returns the node after the subtree of `node`.
static inline uint32_t node_next(const struct tree *tree, uint32_t node)
{
    return node + tree->nodes.v[node].size;
}

#define NODE_EACH(child, tree, node)                                                               \
    for (uint32_t child = (node) + 1; child < node_next(tree, node); child = node_next(tree, child))

// Returns the modifiers of an instruction as isa_word ids.
static inline const uint16_t *node_mods(const struct tree *tree, uint32_t node, uint32_t *count)
{
    uint64_t value = tree->nodes.v[node].value;
    *count = (uint32_t)(value >> 32);
    return vec_from(&tree->mods, (uint32_t)value);
}

// Returns the name with this id.
static inline const struct name *tree_name(const struct tree *tree, uint64_t id)
{
    return &tree->names.names.v[id];
}

// Returns the range of an instruction's opcode, without its modifiers.
void node_opcode_range(const struct tree *tree, uint32_t node, uint32_t *begin, uint32_t *end);
