// An untimed run of all launches before the timed run [002 §3.2.2]. It records instances of
// candidate blocks, the stacks that they would touch, and the allocations that they access.
#pragma once
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/analyzer.h"

struct tom_table;

// Current instance of a warp.
struct tom_rehearsed {
    const struct warp *warp;       // NULL: free entry
    const struct tom_block *block; // NULL: outside all blocks
    uint32_t declined;             // innermost block whose condition was false, or TOM_NONE
    struct map_instance map;
};

struct tom_rehearsal {
    struct profile_watch watch;
    struct arena *arena;
    const struct tom_table *table;
    struct tom_rehearsed *warps; // hash table with `size` entries
    uint32_t size, count;
    struct tom_rehearsed *last; // result of the last look-up
    uint32_t *begins;           // by code: 1 + the block that begins there, or 0
    struct map_stats map;
    VEC(struct map_stats) stages;       // copies of `map` after increasing numbers of instances
    struct tom_allocations allocations; // allocations that candidate blocks access
};

// Prepares rehearsal->watch for the untimed run, whose results will be in `rehearsal`. `table` must
// stay valid.
void tom_rehearse(struct tom_rehearsal *rehearsal, struct arena *arena,
                  const struct tom_table *table);
// Ends the current instances of all warps. Must be called before results are read. Further calls
// have no effect.
void tom_rehearse_end(struct tom_rehearsal *rehearsal);
// Returns the counts after the first `instances` instances, or up to a sixteenth more, or after all
// if there are fewer. Requires tom_rehearse_end.
const struct map_stats *tom_rehearsed_first(const struct tom_rehearsal *rehearsal,
                                            uint64_t instances);
