// A run of all launches without time, in front of the run with time [002 §3.2.2]: instances of
// candidate blocks, the stacks that they would touch, and the allocations that they access.
#pragma once
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/analyzer.h"

struct tom_table;

// An instance of a warp.
struct tom_rehearsed {
    const struct warp *warp;       // NULL: free
    const struct tom_block *block; // NULL: outside of all blocks
    struct map_instance map;
};

struct tom_rehearsal {
    struct profile_watch watch;
    struct arena *arena;
    const struct tom_table *table;
    struct tom_rehearsed *warps; // a hash table of `size` places
    uint32_t size, count;
    struct tom_rehearsed *last; // that was looked for
    uint32_t *begins;           // of each code: 1 + the block that begins there, or 0
    struct map_stats map;
    VEC(struct map_stats) stages;       // `map` after growing numbers of instances
    struct tom_allocations allocations; // those that candidate blocks access
};

// The results are in `rehearsal` after the run. `table` stays.
void tom_rehearse(struct tom_rehearsal *rehearsal, struct arena *arena,
                  const struct tom_table *table);
// Ends the instances of warps. Called before results are read; again: no effect.
void tom_rehearse_end(struct tom_rehearsal *rehearsal);
// Returns the counts after the first `instances` instances, or up to a sixteenth more; of all if
// there are fewer. Requires tom_rehearse_end.
const struct map_stats *tom_rehearsed_first(const struct tom_rehearsal *rehearsal,
                                            uint64_t instances);
