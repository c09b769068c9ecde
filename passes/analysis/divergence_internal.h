// What the files of the divergence analysis share.
#pragma once
#include "passes/analysis/divergence.h"
#include "support/bits.h"

struct divergence {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct block_shape shape;
    enum divergence_shape unknown;
    uint64_t *varying;  // versions
    uint64_t *branches; // blocks
    uint64_t *joins;    // blocks in which parted lanes meet
    uint64_t *partial;  // blocks that some lanes of a warp may execute without the others
    uint64_t *leaves;   // loops that lanes leave in different iterations
    uint32_t *leaving;  // per block: the innermost of them around it, or IR_NONE
    uint64_t *mixed;    // loops in whose header lanes meet that are in different iterations
    uint64_t *cyclic;   // blocks that may be executed again; NULL: not coarse
    // Per block, NULL: none. Blocks that read its values where lanes have met that executed it at
    // different times, by dom_in less that of the block: it dominates them.
    uint64_t **late;
};

struct finder {
    struct divergence *d;
    struct arena *scratch;
    VEC(uint32_t) changed; // versions that have become varying
    VEC(uint32_t) parting; // blocks whose branch has turned out to part a warp
    uint64_t budget;       // blocks that may still be walked through
    // of one walk; blocks by their place in reverse post-order
    uint64_t *pending;
    uint32_t *colour; // per block: colour + 1
    VEC(uint32_t) coloured;
    VEC(uint32_t) meeting; // blocks that two colours reach
    uint32_t *meets;       // per block: the last walk in which two colours reached it
    uint32_t walks;
    uint32_t first; // nothing pending lies before it
    uint32_t waiting;
    VEC(uint32_t) reached; // of one meeting
};

// divergence.c
// The version varies from now on.
void divergence_mark(struct finder *finder, uint32_t version);
// Looks at the results of an instruction and at where it branches to.
void divergence_judge(struct finder *finder, uint32_t inst);

// divergence_ways.c
void divergence_prepare(struct finder *finder);
// Finds what follows from a branch that parts a warp.
void divergence_follow(struct finder *finder, uint32_t block);
