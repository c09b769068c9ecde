// Warp schedulers.
#include "runtime-sim/gpu/core/core.h"
#include "support/bits.h"

// Returns the oldest candidate of a word, whose first slot is `first`.
static ALWAYS_INLINE uint32_t oldest_of(const struct core *core, uint32_t first,
                                        uint64_t candidates)
{
    uint32_t best = first + (uint32_t)__builtin_ctzll(candidates);
    for (uint64_t rest = candidates & (candidates - 1); rest; rest &= rest - 1) {
        uint32_t i = first + (uint32_t)__builtin_ctzll(rest);
        if (core->schedule.age[i] < core->schedule.age[best])
            best = i;
    }
    return best;
}

static ALWAYS_INLINE uint32_t find_oldest(const struct core *core, const uint64_t *candidates,
                                          uint32_t words)
{
    if (words == 1)
        return oldest_of(core, 0, candidates[0]);
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t one = candidates[i] ? oldest_of(core, i * 64, candidates[i]) : best;
        bool older = best == UINT32_MAX || core->schedule.age[one] < core->schedule.age[best];
        best = one != UINT32_MAX && older ? one : best;
    }
    return best;
}

static ALWAYS_INLINE uint32_t choose(const struct core *core, uint32_t last,
                                     const uint64_t *candidates, uint32_t words)
{
    uint32_t next = 0, count = words * 64;
    if (core->kind->config->scheduler == SCHEDULER_GTO)
        return bits_test(candidates, last) ? last : find_oldest(core, candidates, words);
    next = last + 1 < count ? bits_next(candidates, last + 1, count) : count;
    return next < count ? next : bits_next(candidates, 0, count);
}

uint32_t core_choose(struct core *core, uint32_t scheduler, const uint64_t *candidates)
{
    uint32_t last = core->schedule.last[scheduler];
    last = core->words == 1 ? choose(core, last % 64, candidates, 1)
                            : choose(core, last, candidates, core->words);
    return core->schedule.last[scheduler] = last;
}
