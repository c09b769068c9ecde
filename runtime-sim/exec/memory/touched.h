// Accesses by steps that access memory themselves, for a machine that models their time.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/decode/code.h"

// Addresses from SHARED_STRIDE on are in the shared memory of other CTAs of the cluster.
enum touched_space { TOUCHED_GLOBAL, TOUCHED_SHARED, TOUCHED_LOCAL, TOUCHED_TEXTURE };

// Discarded bytes are no longer needed.
enum touched_use { TOUCHED_READ, TOUCHED_WRITTEN, TOUCHED_DISCARDED };

// One access per lane in `mask`.
struct touched_part {
    uint8_t space; // touched_space
    uint8_t use;   // touched_use
    uint32_t mask;
    uint32_t bytes[LANES];
    uint64_t address[LANES];
};

// Maximum per step: a texel from each of four locations; or a copy with source, destination and
// mbarrier.
enum { TOUCHED_PARTS = 4 };

struct touched {
    uint32_t count;
    struct touched_part *parts;
};

// Returns the touched_space of a state space.
static inline enum touched_space touched_space(uint16_t space)
{
    return space == W_shared ? TOUCHED_SHARED : space == W_local ? TOUCHED_LOCAL : TOUCHED_GLOBAL;
}

// Adds an access of a lane. Its n-th access of a kind is in the n-th part of that kind.
void touched_add(struct touched *touched, enum touched_space space, enum touched_use use,
                 uint32_t lane, uint64_t address, uint32_t bytes);
