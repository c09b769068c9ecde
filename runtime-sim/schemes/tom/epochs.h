// Ages of the lines of a stack's L1, so that a block need not forget all of them: a line that was
// fetched before the block has started counts as a miss for it.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// The last fetch of a line. Lines share entries; a line without an entry counts as old.
struct tom_fetch {
    uint64_t line, cycle;
};

struct tom_epochs {
    struct tom_fetch *fetches;
    uint32_t size;   // a power of two
    uint64_t *began; // of each slot: the cycle in which its block has started
};

// For an L1 with this number of lines.
void tom_epochs_init(struct tom_epochs *epochs, struct arena *arena, uint64_t lines,
                     uint32_t slots);
// Notes that a line is fetched.
void tom_epochs_fetch(struct tom_epochs *epochs, uint64_t line, uint64_t cycle);
// Returns true if the line was fetched before the block of this slot has started.
bool tom_epochs_is_old(const struct tom_epochs *epochs, uint64_t line, uint32_t slot);
