// Records of bulk copies, for a machine that models their time: cp.async.bulk,
// cp.async.bulk.tensor, cp.reduce.async.bulk, st.async and red.async. The values are moved at
// issue. The bytes complete at their mbarriers when the machine calls bulk_arrive.
#pragma once
#include "runtime-sim/exec/memory/access.h"
#include "support/vec.h"

// Bytes of global memory.
struct bulk_segment {
    uint64_t address;
    uint32_t bytes;
    uint8_t use;  // touched_use
    bool reduces; // combined with the bytes there
};

// Bytes for which an mbarrier waits, at an offset in the shared memory of a CTA.
struct bulk_arrival {
    struct cta *cta;
    uint32_t offset, bytes;
};

struct bulk {
    struct arena *arena;
    VEC(struct bulk_segment) segments;
    VEC(struct bulk_arrival) arrivals;
    uint64_t cluster_bytes; // sent to shared memory of other CTAs, or copied within shared memory
    bool grouped;           // belongs to a bulk group of the thread
};

// Adds bytes of global memory if the warp's copies are recorded.
void bulk_touch(const struct warp *warp, enum touched_use use, bool reduces, uint64_t address,
                uint32_t bytes);
// Completes bytes at an mbarrier at an offset of shared memory: now, or later if the warp's copies
// are recorded.
void bulk_arrives(struct warp *warp, struct cta *cta, uint64_t offset, uint64_t bytes);
// Completes the bytes of an arrival at its mbarrier. The phase may end.
void bulk_arrive(const struct bulk_arrival *arrival);
