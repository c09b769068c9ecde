// Ages of lines in a stack's L1, so that the start of a block need not invalidate the whole L1: a
// line that was fetched before the block started is a miss for the block.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// Last fetch of a line. Lines share entries; a line without an entry counts as old.
struct tom_fetch {
    uint64_t line, cycle;
};

struct tom_epochs {
    struct tom_fetch *fetches;
    uint32_t size;   // a power of two
    uint64_t *began; // cycle in which the block of each slot started
};

// Initialises the ages for an L1 with this number of lines.
void tom_epochs_init(struct tom_epochs *epochs, struct arena *arena, uint64_t lines,
                     uint32_t slots);
// Records the fetch of a line.
void tom_epochs_fetch(struct tom_epochs *epochs, uint64_t line, uint64_t cycle);
// Returns true if the line was fetched before the block of this slot started.
bool tom_epochs_is_old(const struct tom_epochs *epochs, uint64_t line, uint32_t slot);
