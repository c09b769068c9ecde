// Converts the addresses of a warp's lanes to lines and to cycles of banks.
#pragma once
#include "runtime-sim/exec/lanes/memory_ops.h"
#include "runtime-sim/gpu/core/core.h"

// Addresses and sizes of the accesses of the lanes in `mask`, at address[lane].
struct lane_bytes {
    uint32_t mask;
    const uint64_t *address;
    const uint32_t *each; // bytes of each lane; NULL: `bytes` for all
    uint32_t bytes;
    const struct memory_ops *ops;
};

enum { CACHE_WORDS = 4 }; // cache operators and hints per access

// Sets the ranks of the lines in L1 and LLC by cache operators and hints. Policies of createpolicy
// have no effect.
void coalesce_hints(const uint16_t cache[CACHE_WORDS], struct part *part);
// Appends parts like `as` to the entry: one for each line of 128 bytes that the lanes access, in
// lane order. A lane's values are moved with the last of its lines.
void coalesce_lines(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                    const struct part *as);
// Appends parts for local memory, in which corresponding words of a warp's lanes are adjacent.
// Addresses are relative to a thread's local memory; as->line is the first line of the warp's local
// memory.
void coalesce_local(struct core *core, struct entry *entry, const struct lane_bytes *lanes,
                    const struct part *as);
// Returns the number of cycles in which the banks of shared memory serve the lanes. Lanes that
// access the same word share a cycle unless they modify it (`atomic`).
uint32_t bank_cycles(const struct core_config *config, const struct lane_bytes *lanes, bool atomic);
// Returns the number of distinct addresses. Constants at different addresses are read one after
// another.
uint32_t distinct_addresses(const struct lane_bytes *lanes);
