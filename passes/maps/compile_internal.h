// Internals of the compiler.
#pragma once
#include "passes/analysis/affine/address.h"
#include "passes/analysis/affine/affine.h"
#include "passes/maps/compile.h"
#include "support/intern.h"

// Dimensions of the iteration space: places of threads, iterations of the streamed loop and of the
// loop around it.
enum { DIM_X, DIM_Y, DIM_Z, DIM_K, DIM_I, DIMS, LAUNCH_DIMS = DIM_Z + 1 };
enum map_relation { MAP_LT, MAP_LE, MAP_GT, MAP_GE, MAP_EQ, MAP_NE };

// Meaning of a token.
enum map_form {
    MAP_THREADS, // a thread; the kernel has no loop
    MAP_TILES,   // an iteration of a thread: the first one of eight threads, their second one, …;
                 // with `across`, rows of a nest replace threads
    MAP_NEST,    // an iteration of the only thread
};

// The part of the kernel to which a token belongs. Without a loop, everything is the body.
enum map_domain {
    MAP_BODY,  // the loop, or the kernel without one
    MAP_OUTER, // before and after the loop: a token for each thread of the tile
    MAP_DOMAINS,
};

// The graph. A text is the id of a scalar as written in the map's file, with its quotes. An operand
// is an id, too; equal operands share one. 0: none. Nodes are numbered from 0.

// Sources of an operand besides nodes: its own node, or the node that computes a carried value.
enum { GRAPH_SELF = UINT32_MAX - 1, GRAPH_CARRIED = 1u << 30 };

struct graph_operand {
    uint32_t from;  // a node, GRAPH_SELF, GRAPH_CARRIED + number, or MAP_NO_NODE: a constant
    uint32_t value; // of a constant; with `type`, of its address
    uint32_t count; // number of initial tokens
    uint32_t first, base, step, type, add;
};

struct graph_node {
    uint32_t op;
    uint32_t in[MAP_OPERANDS], predicate; // operands
    uint32_t start, step, imm, base, wait, off, count;
    uint32_t is_through;
    uint32_t store; // number of a store, which keeps equal stores apart; 0: not a store
};

// A value or a key of the map.
struct graph_value {
    const char *name;
    uint32_t text;
};

// A FIFO of a carried value whose tokens are written to memory at the end.
struct graph_result {
    uint32_t carried, base, step;
};

// A sum: rest + Σ factor × place.
struct map_sum {
    const char *rest;         // an expression of parameters
    const char *factor[DIMS]; // an expression; NULL: 0
    bool is_number[DIMS];     // the factor is `number`
    int64_t number[DIMS];
};

// A load or store of a word; a vector is several of them.
struct map_access {
    uint32_t inst, element;
    struct affine address;
    struct address parts;
    struct map_sum sum;
    const char *type;
    uint32_t leader;   // index in `accesses` of the load that reads its words
    uint32_t distance; // in tokens
    bool in_loop;
    bool is_before;  // in the loop before the nest
    bool is_awaited; // load with `above`: the loop before the nest stores the row above the first
                     // one
    uint32_t above;  // of a load: the store of the row above that writes its words, or IR_NONE
    uint32_t node;   // operand, once it is known
    uint32_t data;   // of a store: the operand with the data
    uint32_t data_above; // data of the row above
};

struct map_block {
    bool seen;
    bool skipped;       // the map requires that the launch does not execute it
    bool bounds;        // its branch limits the stream, or is decided by the launch
    uint32_t follow;    // bounds: the block where tokens continue
    uint32_t predicate; // operand that is 1 if the block is executed; 0: always
};

// A value that passes to the next iteration: a FIFO.
struct map_carried {
    uint32_t phi, row;
    uint32_t next; // version at the end of the iteration
    uint32_t node; // operand, once it is known
};

// A value of the loop with a second stream that is larger by `add`. A core computes the latter from
// itself, as max(a, u) + add.
struct map_decay {
    uint32_t node, sum; // operands; sum: the node with node + add
    const char *add;
};

struct map_compiler {
    struct arena *arena;
    struct facts *facts;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct affines *affines;
    struct map_compiled *to;
    uint32_t groups;
    bool has_rows, has_planes; // y, z
    const struct map_hardware *hardware;
    struct intern *texts, *operands, nodes;
    uint32_t stores;
    uint32_t params; // of the kernel
    VEC(struct graph_value) values;
    VEC(uint32_t) requires;                   // texts
    uint32_t map_groups, activations, copies; // texts
    uint32_t count, count_before;             // texts: names of the values with the numbers of
                                              // tokens
    bool is_ordered;
    VEC(struct graph_result) results;
    uint64_t signed_params; // with a value s<number>
    enum map_domain domain; // domain of the nodes under construction
    uint32_t *operand;      // by domain and version
    struct map_block *blocks;
    VEC(struct map_access) accesses;
    const char *low[LAUNCH_DIMS], *high[LAUNCH_DIMS], *when;
    // The loop
    enum map_form form;
    uint32_t loop, outer;         // IR_NONE: none
    uint32_t before, inner, nest; // the loop before the nest, or IR_NONE, and the nest's loops
    bool slows;                   // rows of a nest take turns
    bool skips;                   // the map may require that the launch skips parts of the kernel
    uint32_t depth;               // nesting of the operation whose text is being made
    uint32_t across;              // IR_NONE, or the nest's outer loop: its iterations are DIM_X
    bool is_before;               // `loop` is the one before the nest
    uint32_t before_nodes;        // the first nodes are those of the loop before the nest
    uint32_t tile;                // tokens per iteration
    uint32_t row_values;          // number of values before those of the rows
    uint32_t rows, row;           // rows of the nest per group, and the current one
    uint32_t states;              // of the search for a placement; 0: none
    bool passes;                  // loaded words for the next iteration pass through a core
    bool has_passed;              // such a core is in the map
    bool fits;                    // the analysis did not refuse the kernel
    bool in_place;                // threads overwrite words that they read: each must be executed
                                  // once
    VEC(struct map_carried) carried;
    VEC(struct map_decay) decays;
    uint8_t *late; // per version; see compile_terms.c
};

// compile.c
// Records why the kernel is refused, unless it is refused already. Returns false.
bool __attribute__((format(printf, 4, 5)))
map_refuse(struct map_compiler *c, enum plan_rule rule, uint32_t inst, const char *format, ...);
// Adds a condition on the launch.
void map_require(struct map_compiler *c, const char *text);

// compile_graph.c
// Prepares the tables of texts, operands and nodes.
void graph_init(struct map_compiler *c);
// Returns the id of a formatted text.
uint32_t __attribute__((format(printf, 2, 3)))
graph_text(struct map_compiler *c, const char *format, ...);
// Returns the expression in quotes.
uint32_t graph_quoted(struct map_compiler *c, const char *text);
// Returns the text without quotes.
const char *graph_plain(const struct map_compiler *c, uint32_t text);
// Returns the id of an operand, which is added if it is new.
uint32_t graph_operand_add(struct map_compiler *c, const struct graph_operand *operand);
// Returns an operand by its id.
const struct graph_operand *graph_operand_at(const struct map_compiler *c, uint32_t operand);
// Returns the operand of a constant.
uint32_t graph_constant(struct map_compiler *c, uint32_t value);
// Returns true if the operand is a constant, not a FIFO.
bool graph_is_constant(const struct map_compiler *c, uint32_t operand);
// Returns the operand with the results of this node, which is added if it is new.
uint32_t graph_node_add(struct map_compiler *c, const struct graph_node *node);
// Adds a node with these operands; unused ones are 0.
uint32_t graph_core(struct map_compiler *c, const char *op, uint32_t a, uint32_t b, uint32_t d);
// Returns the operand with the negation of a predicate.
uint32_t graph_not(struct map_compiler *c, uint32_t predicate);
// Returns a node by its number.
const struct graph_node *graph_node_at(const struct map_compiler *c, uint32_t node);
// Returns the node that fills the FIFO of an operand of a node.
uint32_t graph_from(const struct map_compiler *c, uint32_t node, uint32_t operand);
// Returns the text of the number of firings after which the node ends, or 0. Nodes with carried
// values would not end otherwise.
uint32_t graph_count(const struct map_compiler *c, uint32_t node);
// Finds the first node with the FIFO of a carried value, and its operand. Returns false if no node
// has it.
bool graph_reader(const struct map_compiler *c, uint32_t carried, uint32_t *node,
                  uint32_t *operand);
// Adds a value of the map.
void graph_value_add(struct map_compiler *c, const char *name, uint32_t text);

// compile_map.c
// Returns the map of the graph, checked, or NULL after a refusal.
struct map *graph_map(struct map_compiler *c);

// compile_sum.c
// Returns false if the sum is not a function of the places; records nothing.
bool map_sum_of(struct map_compiler *c, const struct affine *a, struct map_sum *to);
// Returns true if the sum depends on no dimension other than `except`.
bool map_sum_is_free(const struct map_sum *sum, uint32_t except);
// Returns the sum of the first token in this domain, as an expression.
const char *map_sum_first(struct map_compiler *c, const struct map_sum *sum);
// Returns true if it differs between tokens.
bool map_sum_varies(const struct map_compiler *c, const struct map_sum *sum);
// Returns the node whose results are first + the sum's change since the first token.
uint32_t map_sum_node(struct map_compiler *c, const struct map_sum *sum, const char *first);
// Returns the number of tokens in this domain.
uint32_t map_tokens_in(struct map_compiler *c);
// Return the names of a dimension's values: minimum and maximum place, number of places.
const char *map_dimension_low(struct map_compiler *c, uint32_t dim);
const char *map_dimension_last(struct map_compiler *c, uint32_t dim);
const char *map_dimension_size(struct map_compiler *c, uint32_t dim);

// compile_loop.c
// Finds the loops and their counts. Returns false after a refusal.
bool map_loops(struct map_compiler *c);
// Returns true if the block is in the current loop.
bool map_in_loop(const struct map_compiler *c, uint32_t block);
// Returns true if the block is the header of a loop.
bool map_is_header(const struct map_compiler *c, uint32_t block);
// Makes `loop` and `outer` those of the nest, or `loop` the one before it. Returns false if that
// changes nothing.
bool map_enter_before(struct map_compiler *c, bool is_before);

// compile_skip.c
// Finds the parts of the kernel that the launch can skip, such as the remainder of an unrolled
// loop, and requires that it does.
void map_skip(struct map_compiler *c);

// compile_carried.c
// Returns the operand for the value of a phi of the loop.
uint32_t map_carried_value(struct map_compiler *c, uint32_t phi, uint32_t reader, bool as_float);
// Makes the nodes of values that pass to the next iteration. Returns false after a refusal.
bool map_carried_nodes(struct map_compiler *c);
// Returns the value of the last iteration, in the outer domain.
uint32_t map_final_value(struct map_compiler *c, uint32_t version, uint32_t reader);
// Returns true if the phi of the loop's header is computed from its value in the last iteration.
bool map_carried_recurs(struct map_compiler *c, uint32_t phi);
// Sets the initial tokens of a phi's FIFO, with `add` added to each. Returns false after a refusal.
bool map_carried_initial(struct map_compiler *c, uint32_t phi, uint32_t reader, const char *add,
                         struct graph_operand *to);
// Returns true if an instruction is `inst`, or depends on it or on the phi of the loop's header in
// the same iteration. `seen` must be false for all versions.
bool map_inst_reads(const struct map_compiler *c, uint32_t reader, uint32_t inst, uint32_t phi,
                    bool *seen);
// Returns the version of a phi of the loop's header at the end of the iteration.
uint32_t map_carried_next(const struct map_compiler *c, uint32_t phi);
// Returns the number of the phi if the version is one of the loop's header, else IR_NONE.
uint32_t map_carried_phi(const struct map_compiler *c, uint32_t version);
// Returns the number of the carried value that equals `version` after the loop and depends on
// itself, or IR_NONE.
uint32_t map_carried_last(struct map_compiler *c, uint32_t version);

// compile_order.c
// Checks that a map keeps the order of accesses. Returns false after a refusal.
bool map_orders(struct map_compiler *c);

// compile_flow.c
// Finds the bounds of the stream, and the predicates of blocks. Returns false after a refusal.
bool map_flow(struct map_compiler *c);
// Requires that the launch continues from the end of a block at this successor. Returns false if
// the launch does not decide that.
bool map_decide(struct map_compiler *c, uint32_t block, uint32_t way);
// Finds the predicate of a block: an operand, or 0 for always. Returns false after a refusal.
bool map_predicate(struct map_compiler *c, uint32_t block, uint32_t *to);
// Returns true if a launch can pass from a block to this successor, given the decided branches.
bool map_is_way(const struct map_compiler *c, uint32_t from, uint32_t block);
// Finds the predicate of the edge from a block to a successor. Returns false after a refusal.
bool map_edge(struct map_compiler *c, uint32_t from, uint32_t block, uint32_t *to);
// Finds the condition of a block's branch: the version of a predicate, and whether the edge to
// `taken` is that of false. Returns false if the block has no condition.
bool map_condition(const struct map_compiler *c, uint32_t block, uint32_t *version, bool *negated,
                   uint32_t *taken);
// Reads a comparison as a relation of a sum to 0: its value is `holds` where the relation is true.
// Returns false for other comparisons.
bool map_comparison(struct map_compiler *c, uint32_t inst, bool holds, struct map_sum *sum,
                    enum map_relation *relation);

// compile_value.c
// Return the operand with the value of a version or of an operand of the kernel, or 0 after a
// refusal. `as_float`: the operand's type is f32; constants are written as numbers of this type.
uint32_t map_value(struct map_compiler *c, uint32_t version, uint32_t reader, bool as_float);
uint32_t map_operand_value(struct map_compiler *c, uint32_t operand, uint32_t reader);
// Makes the nodes of all stores. Returns false after a refusal.
bool map_stores(struct map_compiler *c);
// Returns true if the version is a sum of the places, and so a stream of its own.
bool map_is_stream(struct map_compiler *c, uint32_t version);
// Returns the version that a version copies, through decided choices.
uint32_t map_origin(const struct map_compiler *c, uint32_t version);
// Returns the immediate operand that a version copies, or IR_NONE.
uint32_t map_immediate_of(const struct map_compiler *c, uint32_t version);
// Returns the number of the kernel's parameter of type f32 that a version is, or IR_NONE.
uint32_t map_float_param(const struct map_compiler *c, uint32_t version);
// Returns the text of an immediate operand, or NULL after a refusal.
const char *map_immediate(struct map_compiler *c, uint32_t operand, uint32_t reader, bool as_float);

// compile_terms.c
// Returns the value of an instruction in a chain of associative ones, reordered so that words of
// the previous iteration enter late; 0 if the order is good already, or after a refusal.
uint32_t map_terms(struct map_compiler *c, uint32_t inst);

// compile_access.c
// Finds the accesses and checks their order. Returns false after a refusal.
bool map_accesses(struct map_compiler *c);
// Returns the operand with the words of a load.
uint32_t map_load(struct map_compiler *c, uint32_t access);
// Returns the index of the access of an instruction, of its first element, or the number of all
// accesses if it has none.
uint32_t map_access_of(const struct map_compiler *c, uint32_t inst);
// Returns the index of the access that loads a version, which an instruction defines.
uint32_t map_access_to(const struct map_compiler *c, uint32_t version);
// Returns true for a load, false for a store.
bool map_is_load(const struct map_compiler *c, const struct map_access *access);
// Sets the initial tokens of a FIFO to the words of a load. Returns false after a refusal.
bool map_load_first(struct map_compiler *c, uint32_t access, struct graph_operand *to);
// Returns the range of the addresses of an access: [0] the minimum, [1] the end of the last byte.
void map_access_range(struct map_compiler *c, const struct map_access *a, const char *range[2]);
