// Execution of one code for the lanes of a warp.
#pragma once
#include "runtime-sim/exec/lanes/memory_ops.h"
#include "runtime-sim/exec/warp/warp.h"
#include "support/inline.h"

// Executes a code that computes lanes. Inlined into the execution loops, like the next function.
static ALWAYS_INLINE void compute(struct warp *warp, const struct code *code, uint32_t mask)
{
    const void *s[CODE_SOURCES];
    for (uint32_t i = 0; i < code->source_count; i++)
        s[i] = warp_register_lanes(warp, code->s[i]);
    if (mask == FULL_MASK && code->d2 == REG_SLOT_NONE) {
        code->lanes(code, warp_register_lanes(warp, code->d), s);
        return;
    }
    code->lanes(code, warp->temp, s);
    warp->ops->blend(warp_register_lanes(warp, code->d), &warp->temp[0], mask, code->width);
    if (code->d2 != REG_SLOT_NONE)
        warp->ops->blend(warp_register_lanes(warp, code->d2), &warp->temp[1], mask, code->width2);
}

// Returns the lanes of `mask` whose guard is true.
static ALWAYS_INLINE uint32_t guarded(const struct warp *warp, const struct code *code,
                                      uint32_t mask)
{
    if (code->guard == REG_SLOT_NONE)
        return mask;
    uint32_t guard = *(const uint32_t *)warp_register_lanes(warp, code->guard);
    return mask & (code->guard_negated ? ~guard : guard);
}

// Usually all lanes are active. Without a population count instruction, counting is a function
// call.
static inline uint32_t count_lanes(uint32_t mask)
{
    return mask == FULL_MASK ? LANES : (uint32_t)__builtin_popcount(mask);
}
