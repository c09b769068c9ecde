// Load/store unit entries that a scheme has claimed: the loads and stores of its instructions,
// which it looks up, sends and frees.
#include "runtime-sim/gpu/core/core.h"

static bool is_global(const struct part *part)
{
    return part->route == ROUTE_L1 || part->route == ROUTE_DIRECT;
}

void lsu_drop(struct core *core, uint64_t now, uint32_t index)
{
    core->lsu.entries[index].owner = 0;
    core->lsu.entries[index].left = 0;
    lsu_free(core, now, index);
}

bool lsu_is_global(const struct core *core, uint32_t index)
{
    const struct entry *entry = &core->lsu.entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++)
        if (!is_global(&entry->parts.v[i]))
            return false;
    return entry->parts.n;
}

bool lsu_passes_l1(const struct core *core, uint32_t index)
{
    const struct entry *entry = &core->lsu.entries[index];
    return entry->parts.n && entry->parts.v[0].route != ROUTE_L1;
}

void lsu_look_up(struct core *core, uint32_t index, enum part_route how)
{
    struct entry *entry = &core->lsu.entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++)
        entry->parts.v[i].route = (uint8_t)(entry->parts.v[i].route == ROUTE_L1 ? how : ROUTE_PASS);
}

void lsu_pass_l1(struct core *core, uint32_t index)
{
    struct entry *entry = &core->lsu.entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++)
        if (entry->parts.v[i].route == ROUTE_L1)
            entry->parts.v[i].route = ROUTE_DIRECT;
}

bool lsu_has_line(const struct core *core, uint32_t index, uint64_t line)
{
    const struct entry *entry = &core->lsu.entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++)
        if (entry->parts.v[i].line == line)
            return true;
    return false;
}

bool lsu_awaits_line(const struct core *core, uint32_t slot,
                     bool (*meets)(const void *context, uint64_t line), const void *context)
{
    for (uint32_t i = 0; i < core->lsu.entry_count; i++) {
        const struct entry *entry = &core->lsu.entries[i];
        if (entry->slot != slot || !entry->left || entry->owner)
            continue;
        for (uint32_t k = 0; k < entry->parts.n; k++) {
            const struct part *part = &entry->parts.v[k];
            if (is_global(part) && !part->answered && meets(context, part->line))
                return true;
        }
    }
    return false;
}
