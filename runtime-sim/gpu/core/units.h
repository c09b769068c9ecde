// Units of a core, and the operand collectors and register banks before them.
//
// With core.subcores each scheduler has units, collectors and banks of its own. Without collectors
// an instruction is issued when a unit accepts it. With collectors it is issued when a collector is
// free. All that follows is known at its issue, because instructions are served in the order of
// issue: the cycles in which its operands are read, and the one in which a unit accepts it
// (dispatch).
#pragma once
#include "runtime-sim/gpu/core/core.h"

// Returns the slots of a word that belong to a scheduler: warp w to scheduler w mod their number.
static ALWAYS_INLINE uint64_t units_slots(uint32_t schedulers, uint32_t scheduler, uint32_t word)
{
    static const uint64_t every[] = {0, UINT64_MAX, 0x5555555555555555, 0x9249249249249249,
                                     0x1111111111111111};
    // 64 words are 1 mod 3, and 0 mod 1, 2 and 4.
    uint32_t shift = schedulers == 3 ? (scheduler + 2 * word) % 3 : scheduler;
    return every[schedulers] << shift;
}

// Returns a unit of a sub-core that accepts a warp in this cycle, or NULL.
static ALWAYS_INLINE uint64_t *units_find(struct core *core, uint32_t unit, uint32_t group,
                                          uint64_t now)
{
    uint32_t step = core->kind->step[unit];
    for (uint32_t i = step > 1 ? group : 0; i < core->kind->units[unit]; i += step)
        if (core->units.free[unit][i] <= now)
            return &core->units.free[unit][i];
    return NULL;
}

// Sets the members of a kind that follow from its configuration and the numbers of its units.
void units_init_kind(struct core_kind *kind);
// Returns why the units cannot be divided, or NULL.
const char *units_fault(const struct core_config *config, struct arena *arena);
// Initialises the collectors and banks.
void units_init(struct core *core, struct arena *arena);
// Frees all units.
void units_free(struct core *core);
// Returns the ready slots of a word whose unit or collectors are busy. Requires kind->divided.
uint64_t units_blocked(struct core *core, uint64_t now, uint32_t word);
// Returns the first cycle from `at` on in which such a slot may no longer be blocked. Requires
// kind->divided.
uint64_t units_next(const struct core *core, uint64_t at);
// Reserves what the next instruction of a slot needs from its issue to its dispatch, and sets
// slot->dispatched. Requires that it is not blocked.
void units_reserve(struct core *core, uint64_t now, uint32_t slot);
