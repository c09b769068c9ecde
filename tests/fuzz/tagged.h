// The tagger's output for a text, and ways to damage it: a check that never fails is useless.
#pragma once
#include "passes/base/passes.h"

enum mutation {
    MUTATE_NOTHING,
    MUTATE_SWAP, // two instructions, of which one reads what the other defines, change places
    MUTATE_MOVE, // one of the moves of the new order is left out
    MUTATE_TAG,  // one tag is left out
    MUTATE_COST, // blocks that save nothing save something, which changes no value
};

struct tagged {
    char *text; // from malloc
    size_t length;
    char wrong[160];                       // what is wrong already, or ""
    bool mutated;                          // there was something to damage
    uint32_t patterns[CHAIN_PATTERNS + 1]; // chains, by pattern
    uint32_t chains, blocks, moves, split; // found, candidates, statements moved, divided
    uint32_t *split_lines;                 // from malloc: where the divided ones stand
};

// Tags with these options. `seed` selects the damage.
void tagged_make_by(struct tagged *tagged, const char *text, size_t length,
                    const struct pass_options *chosen, enum mutation mutation, uint64_t seed);
// Tags and reorders.
void tagged_make(struct tagged *tagged, const char *text, size_t length, enum fma_mode fma,
                 enum mutation mutation, uint64_t seed);
void tagged_free(struct tagged *tagged);
