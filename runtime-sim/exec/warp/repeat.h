// Finds warps that repeat a state: registers and paths. If all resident warps do, and memory has
// not changed since, the launch never ends.
#pragma once
#include "runtime-sim/exec/warp/cta.h"

struct repeat_warp {
    uint64_t state;
    uint32_t seen; // times that the state was seen again
};

struct repeats {
    struct arena *arena;
    VEC(struct repeat_warp) warps; // of all CTAs, in their order
};

// Takes the states of the CTAs' warps.
void repeats_mark(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// Compares the states with the marked ones. Returns true if each was seen again. Requires the CTAs
// of repeats_mark; with other CTAs it marks these.
bool repeats_look(struct repeats *repeats, struct cta *const *ctas, uint32_t count);
// The same for turns of all CTAs, of which `idle` were without progress. Marks and looks when this
// is due.
bool repeats_turn(struct repeats *repeats, struct cta *const *ctas, uint32_t count, uint64_t idle);
