// Barrier objects in shared memory: 8 bytes, in which everything stands that is known of one.
#pragma once
#include "runtime-sim/exec/memory/access.h"

enum mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT, // bytes that are still to come
    MBARRIER_COMPLETE,
    MBARRIER_TEST, // by state, or by parity
};

// The count, the state or the parity is s[0], if there is one.
struct mbarrier_code {
    const struct memory_code *memory;
    uint8_t op;   // mbarrier_op
    bool drops;   // arrive_drop: one less to be expected from now on
    bool expects; // arrive.expect_tx: the count is one of bytes
    bool parity;
    bool quiet; // cp.async.mbarrier.arrive without .noinc: what comes was counted before
};

// Finds the barrier of a lane. NULL: warp->fault says why not.
uint8_t *mbarrier_find(struct warp *warp, struct access *access, uint32_t lane);
// How many have arrived in the phase, of how many, and the bytes that are still to come.
void mbarrier_look(const uint8_t *at, uint32_t *come, uint32_t *expected, int64_t *bytes);
// `bytes` have come; the phase may end.
void mbarrier_complete(struct warp *warp, uint8_t *at, uint64_t bytes);
