// Barrier objects in shared memory: 8 bytes with the complete state.
#pragma once
#include "runtime-sim/exec/memory/access.h"

enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT, // bytes that are expected
    MBARRIER_COMPLETE,
    MBARRIER_TEST, // by state, or by parity
};

// The count, the state or the parity is s[0], if present.
struct mbarrier_code {
    const struct memory_code *memory;
    uint8_t op;   // mbarrier_op
    bool drops;   // arrive_drop: one fewer arrival is expected from now on
    bool expects; // arrive.expect_tx: the count is in bytes
    bool parity;
    bool quiet; // cp.async.mbarrier.arrive without .noinc: the arrival was counted before
};

// Finds the barrier of a lane. Returns NULL with the reason in warp->fault.
uint8_t *mbarrier_find(struct warp *warp, struct access *access, uint32_t lane);
// Returns the arrivals in the phase, the expected arrivals, and the expected bytes.
void mbarrier_look(const uint8_t *at, uint32_t *come, uint32_t *expected, int64_t *bytes);
// Counts `bytes` that arrived; the phase may end.
void mbarrier_complete(struct warp *warp, uint8_t *at, uint64_t bytes);
