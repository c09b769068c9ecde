// Internals of the divergence analysis.
#pragma once
#include "passes/analysis/divergence/divergence.h"
#include "support/bits.h"

struct divergence {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct block_shape shape;
    enum divergence_shape unknown;
    uint64_t *varying;  // versions
    uint64_t *branches; // blocks
    uint64_t *joins;    // blocks in which divergent lanes reconverge
    uint64_t *partial;  // blocks that only part of a warp may execute
    uint64_t *leaves;   // loops that lanes leave in different iterations
    uint32_t *leaving;  // per block: the innermost of these loops around it, or IR_NONE
    uint64_t *mixed; // loops whose header is a reconvergence point of lanes in different iterations
    uint64_t *cyclic; // blocks that may be executed again; NULL: not coarse
    // Per block, or NULL: the blocks that read its values after reconvergence of lanes that
    // executed it at different times. It dominates them; the index is their dom_in minus its own.
    uint64_t **late;
};

struct finder {
    struct divergence *d;
    struct arena *scratch;
    VEC(uint32_t) changed; // versions that have become varying
    VEC(uint32_t) parting; // blocks with a divergent branch
    uint64_t budget;       // remaining number of blocks to visit
    // State of one walk; blocks by their place in reverse post-order.
    uint64_t *pending;
    uint32_t *colour; // per block: colour + 1
    VEC(uint32_t) coloured;
    VEC(uint32_t) meeting; // blocks that two colours reach
    uint32_t *meets;       // per block: the last walk in which two colours reached it
    uint32_t walks;
    uint32_t first; // no pending block precedes it
    uint32_t waiting;
    VEC(uint32_t) reached; // state of one reconvergence point
};

// divergence.c
// Marks the version as varying.
void divergence_mark(struct finder *finder, uint32_t version);
// Evaluates the results and the branch of an instruction.
void divergence_classify(struct finder *finder, uint32_t inst);

// divergence_ways.c
// Allocates the state of walks and sets the budget.
void divergence_prepare(struct finder *finder);
// Finds the consequences of a divergent branch.
void divergence_follow(struct finder *finder, uint32_t block);
