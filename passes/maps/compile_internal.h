// Shared by the files of the compiler.
#pragma once
#include "passes/analysis/address.h"
#include "passes/analysis/affine.h"
#include "passes/maps/compile.h"

enum { DIM_X, DIM_Y, DIM_Z, DIMS };
enum map_relation { MAP_LT, MAP_LE, MAP_GT, MAP_GE, MAP_EQ, MAP_NE };

// A sum, as a function of the stream: text + step × (number of the token).
struct map_sum {
    const char *text; // an expression of parameters, begin, y and z
    const char *step; // an expression; NULL: 0
    bool is_number;   // the step is `number`
    int64_t number;
    // Factors of the dimensions' places; NULL: none.
    const char *factor[DIMS];
    bool is_one[DIMS], is_minus_one[DIMS];
    const char *rest; // without the dimensions
};

// A load or store.
struct map_access {
    uint32_t inst;
    struct affine address;
    struct address parts;
    struct map_sum sum;
    const char *type;
    uint32_t leader;   // load that reads its words: its place in `accesses`
    uint32_t distance; // in tokens
    const char *node;  // once it is written
};

struct map_block {
    bool seen;
    bool bounds;           // its branch limits the stream
    const char *predicate; // node that is 1 if the block is executed; NULL: always
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
    VEC(const char *) values, requires, nodes;
    uint64_t signed_params; // with a value s<number>
    const char **operand; // by version
    struct map_block *blocks;
    VEC(struct map_access) accesses;
    VEC(const char *) steps; // of increments: node i<number>
    const char *low[DIMS], *high[DIMS], *when;
    uint32_t count; // of nodes
};

// compile.c
// Notes why the kernel is refused, if it is not yet. Returns false.
bool __attribute__((format(printf, 4, 5)))
map_refuse(struct map_compiler *c, enum map_rule rule, uint32_t inst, const char *format, ...);
// Adds a node. Returns its name.
const char *__attribute__((format(printf, 2, 3)))
map_node_add(struct map_compiler *c, const char *format, ...);
void map_require(struct map_compiler *c, const char *text);

// compile_sum.c
// Returns false if the sum is no function of the stream; nothing is noted.
bool map_sum_of(struct map_compiler *c, const struct affine *a, struct map_sum *to);
// The node that counts in this step.
const char *map_increment(struct map_compiler *c, const char *step);

// compile_flow.c
// Finds what limits the stream, and the predicates of blocks. Returns false after a refusal.
bool map_flow(struct map_compiler *c);
// Returns the predicate of a block: a node, or NULL for always. False after a refusal.
bool map_predicate(struct map_compiler *c, uint32_t block, const char **to);
// The condition of a block's branch: the version of a predicate, and whether the taken edge is that
// of false. Returns false if the block has no condition.
bool map_condition(const struct map_compiler *c, uint32_t block, uint32_t *version, bool *negated,
                   uint32_t *taken);

// compile_value.c
// Returns the text of an operand that has the value of a version or an operand, or NULL after a
// refusal.
const char *map_value(struct map_compiler *c, uint32_t version, uint32_t reader);
const char *map_operand_value(struct map_compiler *c, uint32_t operand, uint32_t reader);
bool map_stores(struct map_compiler *c);

// compile_access.c
bool map_accesses(struct map_compiler *c);
// Returns the operand with the words of a load.
const char *map_load(struct map_compiler *c, uint32_t access);
uint32_t map_access_of(const struct map_compiler *c, uint32_t inst);
