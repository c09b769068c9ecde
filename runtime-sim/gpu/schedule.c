// Warp schedulers.
#include "runtime-sim/gpu/core.h"

static uint32_t oldest(const struct core *core, uint64_t candidates)
{
    uint32_t best = (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t rest = candidates & (candidates - 1); rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        if (core->slots[i].age < core->slots[best].age)
            best = i;
    }
    return best;
}

// Needs at least one candidate.
uint32_t core_choose(struct core *core, uint32_t scheduler, uint64_t candidates)
{
    uint32_t last = core->last[scheduler];
    if (!core->shared->config->scheduler) {
        if (!(candidates >> last & 1))
            last = oldest(core, candidates);
    } else {
        uint64_t behind = last == 63 ? 0 : candidates & ~UINT64_C(0) << (last + 1);
        last = (uint32_t)__builtin_ctzll(behind ? behind : candidates);
    }
    core->last[scheduler] = last;
    return last;
}
