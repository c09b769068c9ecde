// Checks chains of a plan against their records, by the IR, the alias analysis and divergence.
#pragma once
#include "passes/analysis/affine/address.h"

// Lanes of a warp in which all these guards are true. A guard is 2 × SSA version, + 1 if negated.
enum { LANES_GUARDS = 4 };
struct value_lanes {
    uint32_t count;
    uint32_t guard[LANES_GUARDS];
};

struct chain_check {
    const struct ir_module *module;
    const struct ir_function *fn;
    struct facts *facts;
    struct arena scratch; // of one function
    uint32_t stamp;
    uint32_t *version_mark, *block_mark;
    struct value_lanes *lanes; // per version: lanes in which it holds the current value
    VEC(uint32_t) work;
};

// The checker's own table of the patterns [000 Table 1], by number. With passes/base/patterns.def
// the checker would accept whatever a wrong row allows.
enum verify_scalar { SCALAR_NEVER, SCALAR_ALWAYS, SCALAR_MAYBE };
struct verify_shape {
    uint8_t loads, stores, operations;
    enum verify_scalar scalar;
    bool compares; // the chain ends in a comparison
};
extern const struct verify_shape verify_shapes[];

// Selects a function. Its facts are computed if it has a chain across blocks.
void verify_chain_begin(struct chain_check *c, struct facts *facts);
// Checks a chain. Returns NULL, or the fault.
const char *verify_chain(struct chain_check *c, const struct chain *chain);
// Returns true if the instruction is a member of the chain.
bool verify_is_member(const struct chain *chain, uint32_t inst);
// Returns true if only members of the chain read the result of one of them (verify_reads.c).
bool verify_used_inside(struct chain_check *c, const struct chain *chain, uint32_t version);
// Checks the values of a chain with the shape of its pattern: operands of members, and the
// response. Returns NULL, or the fault.
const char *verify_chain_values(struct chain_check *c, const struct chain *chain);
