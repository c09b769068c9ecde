// Accesses of steps that access memory themselves, for a machine that counts their time.
#pragma once
#include "frontend/isa.h"
#include "runtime-sim/exec/decode/code.h"

// Shared memory of another CTA of the cluster has addresses from SHARED_STRIDE on.
enum touched_space { TOUCHED_GLOBAL, TOUCHED_SHARED, TOUCHED_LOCAL, TOUCHED_TEXTURE };

// Discarded bytes are not needed any more.
enum touched_use { TOUCHED_READ, TOUCHED_WRITTEN, TOUCHED_DISCARDED };

// One access by each lane of `mask`.
struct touched_part {
    uint8_t space; // touched_space
    uint8_t use;   // touched_use
    uint32_t mask;
    uint32_t bytes[LANES];
    uint64_t address[LANES];
};

// Maximum of a step: a texel from each of four places, a copy with source, target and mbarrier.
enum { TOUCHED_PARTS = 4 };

struct touched {
    uint32_t count;
    struct touched_part *parts;
};

static inline enum touched_space touched_space(uint16_t space)
{
    return space == W_shared ? TOUCHED_SHARED : space == W_local ? TOUCHED_LOCAL : TOUCHED_GLOBAL;
}

// Adds an access of a lane; its n-th access of a kind is in the n-th part of that kind.
void touched_add(struct touched *touched, enum touched_space space, enum touched_use use,
                 uint32_t lane, uint64_t address, uint32_t bytes);
