// Warp schedulers.
#include "runtime-sim/gpu/core.h"
#include "support/bits.h"

static uint32_t find_oldest(const struct core *core, const uint64_t *candidates)
{
    uint32_t best = UINT32_MAX;
    EACH_SLOT (slot, core, candidates[word])
        if (best == UINT32_MAX || core->slots[slot].age < core->slots[best].age)
            best = slot;
    return best;
}

uint32_t core_choose(struct core *core, uint32_t scheduler, const uint64_t *candidates)
{
    uint32_t last = core->last[scheduler], count = core->words * 64;
    if (!core->kind->config->scheduler) {
        if (!bits_test(candidates, last))
            last = find_oldest(core, candidates);
    } else {
        last = last + 1 < count ? bits_next(candidates, last + 1, count) : count;
        last = last < count ? last : bits_next(candidates, 0, count);
    }
    core->last[scheduler] = last;
    return last;
}
