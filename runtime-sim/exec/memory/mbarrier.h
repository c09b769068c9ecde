// Barrier objects in shared memory. Their 8 bytes hold the complete state.
#pragma once
#include "runtime-sim/exec/memory/access.h"

enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT, // adds expected bytes
    MBARRIER_COMPLETE,
    MBARRIER_TEST, // tests a state or a parity
};

// The count, state or parity is s[0], if present.
struct mbarrier_code {
    const struct memory_code *memory;
    uint8_t op;   // mbarrier_op
    bool drops;   // arrive_drop: from now on one arrival less is expected
    bool expects; // arrive.expect_tx: the count is in bytes
    bool parity;
    bool waits; // try_wait
    bool quiet; // cp.async.mbarrier.arrive without .noinc, whose arrival is not part of the
                // expected count
};

// Finds the barrier of a lane. Returns false and sets warp->fault if the address is invalid.
bool mbarrier_find(struct warp *warp, struct access *access, uint32_t lane, struct spot *spot);
// Returns the arrivals in the current phase, the expected arrivals, and the pending bytes.
void mbarrier_look(const uint8_t *at, uint32_t *come, uint32_t *expected, int64_t *bytes);
// Subtracts bytes that arrived, at a barrier of `cta` or, for events, of its cluster. The phase may
// end.
void mbarrier_complete(struct cta *cta, uint8_t *at, uint64_t bytes);
// Returns true if the code is a try_wait for a phase that has not ended in any of the lanes in
// `mask`. Requires that it is the next code of the warp's current path.
bool mbarrier_blocks(struct warp *warp, const struct code *code, uint32_t mask);
