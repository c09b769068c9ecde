// Chains of a plan against what they claim to be, from the IR, the alias analysis and divergence.
#pragma once
#include "passes/analysis/address.h"

// Lanes of a warp: those in which all of these guards are true. 2 × SSA version + 1 if negated.
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
    struct value_lanes *lanes; // per version: where the value at hand is in it
    VEC(uint32_t) work;
};

// Turns to a function; its facts are asked for when a chain across blocks is met.
void verify_chain_begin(struct chain_check *c, struct facts *facts);
// NULL, or what is wrong.
const char *verify_chain(struct chain_check *c, const struct chain *chain);
bool verify_is_member(const struct chain *chain, uint32_t inst);
// True if only members of the chain read what one of them makes (verify_reads.c).
bool verify_stays_inside(struct chain_check *c, const struct chain *chain, uint32_t version);
// Of a chain with the shape of its pattern: what its members read, and what is answered.
const char *verify_chain_values(struct chain_check *c, const struct chain *chain);
