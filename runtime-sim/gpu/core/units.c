#include "runtime-sim/gpu/core/units.h"
#include "support/bits.h"
#include <string.h>

// Numbers of units by enum unit; of control, as many as instructions can issue in a cycle.
static void count_units(const struct core_config *config, uint32_t *units)
{
    const uint32_t counts[UNITS] = {
        [UNIT_ALU] = config->alu_units,
        [UNIT_SFU] = config->sfu_units,
        [UNIT_FP64] = config->fp64_units,
        [UNIT_MATRIX] = config->matrix_units,
        [UNIT_MEMORY] = 1,
        [UNIT_CONTROL] = CORE_UNITS,
        [UNIT_INT] = config->int_units,
    };
    memcpy(units, counts, sizeof counts);
}

void units_init_kind(struct core_kind *kind)
{
    const struct core_config *config = kind->config;
    count_units(config, kind->units);
    kind->groups = config->subcores ? config->schedulers : 1;
    kind->divided = kind->groups > 1 || config->collectors;
    for (uint32_t i = 0; i < UNITS; i++)
        kind->step[i] = kind->units[i] && kind->units[i] % kind->groups == 0 ? kind->groups : 1;
    kind->step[UNIT_CONTROL] = 1;
    for (uint32_t i = 0; i < TIMING_CLASSES; i++)
        kind->alu[i] = config->int_units && timing_is_int(i) ? UNIT_INT : UNIT_ALU;
}

const char *units_fault(const struct core_config *config, struct arena *arena)
{
    static const char *const keys[UNITS] = {
        [UNIT_ALU] = "alu_units",       [UNIT_SFU] = "sfu_units", [UNIT_FP64] = "fp64_units",
        [UNIT_MATRIX] = "matrix_units", [UNIT_INT] = "int_units",
    };
    uint32_t units[UNITS];
    count_units(config, units);
    for (uint32_t i = 0; config->subcores && i < UNITS; i++)
        if (keys[i] && units[i] > config->schedulers && units[i] % config->schedulers)
            return arena_printf(arena,
                                "core.subcores divides core.%s: %u among core.schedulers: %u; it "
                                "must be a multiple, or less",
                                keys[i], units[i], config->schedulers);
    return NULL;
}

void units_init(struct core *core, struct arena *arena)
{
    const struct core_config *config = core->kind->config;
    uint32_t groups = core->kind->groups;
    if (!config->collectors)
        return;
    core->units.collectors = ARENA_ARRAY(arena, uint64_t, groups * config->collectors);
    core->units.banks = ARENA_ARRAY(arena, uint64_t, groups * config->register_banks);
}

void units_free(struct core *core)
{
    const struct core_config *config = core->kind->config;
    uint32_t groups = core->kind->groups;
    memset(core->units.free, 0, sizeof core->units.free);
    core->units.banks_free = core->units.cluster_free = core->units.memory_next = 0;
    if (!core->units.collectors)
        return;
    memset(core->units.collectors, 0, groups * config->collectors * sizeof(uint64_t));
    memset(core->units.banks, 0, groups * config->register_banks * sizeof(uint64_t));
}

// Returns the collector of a sub-core that is free first.
static uint64_t *first_collector(const struct core *core, uint32_t group)
{
    uint32_t count = core->kind->config->collectors;
    uint64_t *first = core->units.collectors + group * count;
    for (uint32_t i = 1; i < count; i++)
        if (core->units.collectors[group * count + i] < *first)
            first = &core->units.collectors[group * count + i];
    return first;
}

// Returns the unit of a sub-core that is free first.
static uint64_t *first_unit(struct core *core, uint32_t unit, uint32_t group)
{
    uint32_t step = core->kind->step[unit], at = step > 1 ? group : 0;
    for (uint32_t i = at + step; i < core->kind->units[unit]; i += step)
        if (core->units.free[unit][i] < core->units.free[unit][at])
            at = i;
    return &core->units.free[unit][at];
}

static uint64_t group_slots(const struct core *core, uint32_t group, uint32_t word)
{
    return core->kind->groups == 1 ? UINT64_MAX : units_slots(core->kind->groups, group, word);
}

uint64_t units_blocked(struct core *core, uint64_t now, uint32_t word)
{
    const struct warp_slot_sets *sets = &core->sets[word];
    uint64_t blocked = 0;
    for (uint32_t group = 0; core->units.collectors && group < core->kind->groups; group++) {
        uint64_t own = sets->ready & group_slots(core, group, word);
        if (own && *first_collector(core, group) > now)
            blocked |= own & ~sets->wants[UNIT_CONTROL];
        if (core->units.memory_next > now)
            blocked |= own & sets->wants[UNIT_MEMORY];
    }
    for (uint32_t unit = 0; !core->units.collectors && unit < UNITS; unit++)
        for (uint32_t group = 0; sets->wants[unit] && group < core->kind->groups; group++) {
            uint64_t own = sets->wants[unit] & group_slots(core, group, word);
            if (own && !units_find(core, unit, group, now))
                blocked |= own;
        }
    return blocked;
}

// Returns the first cycle in which a sub-core can issue an instruction of the unit.
static uint64_t next_of_unit(struct core *core, uint32_t unit, uint32_t group, uint64_t at)
{
    uint64_t free = unit == UNIT_CONTROL     ? at
                    : core->units.collectors ? *first_collector(core, group)
                                             : *first_unit(core, unit, group);
    // Slots that only the load/store unit blocks wait for its next cycle.
    return unit == UNIT_MEMORY && free <= at && !lsu_can_accept(core) ? UINT64_MAX : free;
}

uint64_t units_next(const struct core *core, uint64_t at)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t group = 0; group < core->kind->groups; group++)
        for (uint32_t unit = 0; unit < UNITS; unit++) {
            uint64_t wants = 0;
            for (uint32_t i = 0; i < core->words; i++)
                wants |= core->sets[i].wants[unit] & group_slots(core, group, i);
            if (wants)
                next = smaller(next, next_of_unit((struct core *)core, unit, group, at));
        }
    return next > at ? next : at;
}

// Returns the cycle after the one in which the last operand of the slot's next instruction is read.
static uint64_t read_operands(struct core *core, uint64_t now, uint32_t index, uint32_t group)
{
    const struct core_config *config = core->kind->config;
    const struct timing *timing = core->slots[index].next;
    uint64_t *banks = core->units.banks + group * config->register_banks;
    uint64_t last = now + divide_up(timing->read_count, config->collector_operands);
    for (uint32_t i = 0; i < timing->read_count; i++) {
        uint32_t number = timing->registers[i] + index / core->kind->groups;
        uint64_t *bank = &banks[number % config->register_banks];
        uint64_t first = (now + 1) * config->bank_operands;
        *bank = *bank > first ? *bank : first;
        last = *bank / config->bank_operands > last ? *bank / config->bank_operands : last;
        ++*bank;
    }
    return last + 1;
}

static void collect(struct core *core, uint64_t now, uint32_t index, uint32_t interval)
{
    struct warp_slot *slot = &core->slots[index];
    uint32_t group = core->kind->groups == 1 ? 0 : index % core->kind->groups;
    uint64_t *unit = first_unit(core, slot->unit, group);
    uint64_t read = read_operands(core, now, index, group);
    slot->dispatched = read > *unit ? read : *unit;
    *unit = slot->dispatched + interval;
    *first_collector(core, group) = slot->dispatched;
    if (slot->unit == UNIT_MEMORY)
        core->units.memory_next = now + 1;
}

void units_reserve(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    uint32_t interval = core->kind->interval[slot->next->class];
    if (slot->unit == UNIT_MATRIX)
        interval = timing_matrix_interval(core->kind->config, slot->next, interval);
    slot->dispatched = now;
    if (slot->unit == UNIT_CONTROL)
        return;
    if (core->units.collectors)
        collect(core, now, index, interval);
    else
        *units_find(core, slot->unit, index % core->kind->groups, now) = now + interval;
}
