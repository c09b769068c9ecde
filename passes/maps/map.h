// A spatial map: a kernel, or a part of one, as a graph of instructions that send tokens to each
// other, for hardware whose cores hold one instruction each [003 §3].
//
// A node is an instruction of a core or of a load-store unit. Its operands are FIFOs, which another
// node fills, or constants of its configuration register. A dependence at distance d in the stream
// is an edge with d initial tokens. A map is read from a text (map_read.h) or made by a pass,
// checked (map_read.h), analysed (map_rate.h), placed (map_place.h) and written (map_read.h).
// Expressions are evaluated for each group, copy and activation (map_scope.h).
#pragma once
#include "support/expr.h"

enum { MAP_OPERANDS = 3, MAP_NO_NODE = UINT32_MAX };

enum map_kind { MAP_CORE, MAP_LOAD, MAP_STORE, MAP_REDUCE, MAP_KINDS };

// Unit of a node: decides its latency, energy and colour.
enum map_unit { MAP_INT, MAP_FLOAT, MAP_SFU, MAP_LSU, MAP_UNITS };

// A text in the map's source.
struct map_text {
    const char *text; // NULL: not given
    uint32_t length, begin, end;
};

// An expression of parameters, values and the names of enum map_name.
struct map_expr {
    struct map_text at; // at.text NULL: not given
    const struct expr *expr;
};

// Names that are defined in every expression.
enum map_name {
#define MAP_NAME(name, text) MAP_NAME_##name,
#include "passes/maps/map_names.def"
#undef MAP_NAME
    MAP_NAMES,
};

enum map_initial_kind {
    MAP_EMPTY,
    MAP_LIST,   // one expression for each token
    MAP_SERIES, // first, first + step, …
    MAP_WORDS,  // words of memory at base, base + step, …, read before the mode starts
};

// The initial tokens of a FIFO.
struct map_initial {
    uint8_t kind; // enum map_initial_kind
    uint32_t count;
    struct map_expr *list;
    struct map_expr first, step, base;
    struct map_expr add; // added to words of memory
    struct map_text type_text;
    const struct scalar *type; // of words of memory
};

// An operand: a FIFO that `from` fills, or a constant.
struct map_operand {
    uint32_t from; // MAP_NO_NODE: `constant`
    struct map_text from_text;
    struct map_initial initial;
    struct map_expr constant; // the value; with `type` its address in memory
    struct map_text type_text;
    const struct scalar *type; // NULL: `constant` is the value
};

// An increment: the pseudo-instruction of [003 §4.1]. Its results are start, start + step, … It is
// an addition to its own FIFO, which has `tokens` initial tokens.
struct map_increment {
    struct map_expr start, step;
    uint32_t tokens;
};

struct map_node {
    struct map_text name, op;
    uint8_t kind; // enum map_kind
    uint8_t unit; // enum map_unit
    bool is_increment;
    bool negated; // executes where the predicate is 0
    uint32_t operand_count;
    struct map_operand operands[MAP_OPERANDS]; // of a memory node: the offset, then the data
    struct map_operand predicate;              // with `from` MAP_NO_NODE and no constant: always
                                               // executes
    struct map_increment increment;
    struct map_expr count; // firings after which the node has ended; not given: no limit
    // For a memory node: the address is base + offset + the offset's token.
    struct map_expr base, offset;
    struct map_expr wait;      // not 0: the load waits until its word was written in this launch
    struct map_expr off;       // not 0: no access is made; the results of a load are 0
    bool is_shared;            // memory of the CTA; `base` is an offset in it
    bool is_through;           // stores are sent at once
    const struct scalar *type; // type of the elements in memory
};

// Tokens left in a FIFO at the end. They are copied to registers of the CTA's threads, in order, or
// to memory at base, base + step, …
struct map_result {
    struct map_text name, node_text;
    uint32_t node, operand; // its FIFO
    struct map_text reg;    // NULL: to memory
    struct map_expr base, step;
};

struct map_value {
    struct map_text name;
    struct map_expr value;
};

// A place in the kernel where the mode starts or ends: the beginning or end of the kernel, or a
// barrier by its number in the text, from 0.
enum map_boundary_kind { MAP_AT_BEGIN, MAP_AT_BARRIER, MAP_AT_END };
struct map_boundary {
    uint8_t kind;
    uint32_t barrier;
};

struct map {
    struct map_text name, kernel;
    struct map_boundary enter, leave;
    struct map_expr groups;      // number of CTAs; not given: that of the launch
    struct map_expr threads;     // threads of a CTA; not given: those of the launch
    struct map_expr activations; // per group; not given: 1
    struct map_expr copies;      // per core of the machine; not given: as many as fit
    bool is_ordered;             // groups start in the order of their numbers
    VEC(struct map_text) params;
    VEC(struct map_value) values;
    VEC(struct map_expr) requires; // conditions on the launch
    VEC(struct map_node) nodes;
    VEC(struct map_result) results;
};

// Stands for a map that the machine compiles for the launch.
extern const struct map map_automatic;

enum { MAP_NODES_MAX = 4096 };

// Sets the kind of a node, its type and `is_shared` from its opcode.
void map_find_kind(struct map_node *node);
// Makes node number `self` an increment with the default number of tokens.
void map_make_increment(struct map_node *node, uint32_t self);
// Returns the number of FIFOs of a node.
uint32_t map_fifos(const struct map_node *node);
// Returns operand number `at` of a node; MAP_OPERANDS: its predicate.
const struct map_operand *map_operand(const struct map_node *node, uint32_t at);
// Returns the initial tokens of an operand's FIFO; `at` as for map_operand.
uint32_t map_tokens(const struct map_node *node, uint32_t at);
// Returns true if the operand is a FIFO.
bool map_is_fifo(const struct map_operand *operand);

// Numbers of nodes that need each kind of resource.
struct map_counts {
    uint32_t cores, lsus, sfus;
};
// Counts the nodes of a map.
struct map_counts map_count(const struct map *map);

// Loops over the FIFOs of a node: `at` is the operand's number, or MAP_OPERANDS.
#define EACH_FIFO(at, node)                                                                        \
    for (uint32_t at = 0; at <= MAP_OPERANDS; at++)                                                \
        if (map_is_fifo(map_operand((node), at)))
