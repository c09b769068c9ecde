// Chains of a plan against what they claim to be, from the IR, the alias analysis and divergence.
#pragma once
#include "passes/analysis/address.h"

struct chain_check {
    const struct ir_module *module;
    const struct ir_function *fn;
    struct facts *facts;
    struct arena scratch; // of one function
    uint32_t stamp;
    uint32_t *version_mark, *block_mark;
    VEC(uint32_t) work;
};

// Turns to a function; its facts are asked for when a chain across blocks is met.
void verify_chain_begin(struct chain_check *c, struct facts *facts);
// NULL, or what is wrong.
const char *verify_chain(struct chain_check *c, const struct chain *chain);
// Of a chain with the shape of its pattern: what its members read, and what is answered.
const char *verify_chain_values(struct chain_check *c, const struct chain *chain);
