// Detects warps that repeat a state of registers and paths. If all resident warps do so and memory
// has not changed in between, the launch never ends.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

struct repeat_warp {
    uint64_t state;
    uint32_t seen; // number of times that the state was seen again
};

struct repeats {
    struct arena *arena;
    VEC(struct repeat_warp) warps; // of all CTAs, in order
};

// Records the states of the CTAs' warps.
void repeats_mark(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// Compares the states with the recorded ones. Returns true if each was seen again. Requires the
// CTAs of repeats_mark; for other CTAs, records their states.
bool repeats_look(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// Calls repeats_mark or repeats_look when it is due. Must be called after each turn of all CTAs;
// `idle` is the number of turns without progress.
bool repeats_turn(struct repeats *repeats, struct cta *const *ctas, uint32_t count, uint64_t idle);
