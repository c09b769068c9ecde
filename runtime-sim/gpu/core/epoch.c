#include "runtime-sim/gpu/core/epoch.h"
#include "runtime-sim/gpu/core/core.h"
#include "support/bits.h"
#include <string.h>

_Static_assert(EPOCH_WORDS * 64 == (int)CORE_WARPS, "sets of slots");

static struct epochs *epochs_of(struct core *core, uint32_t slot)
{
    return &core->ctas[core->slots[slot].cta].epochs;
}

void epoch_init(struct epochs *e)
{
    *e = (struct epochs){.now = 1};
}

void epoch_enter(struct core *core, uint32_t index)
{
    struct entry *entry = &core->lsu.entries[index];
    struct epochs *e = epochs_of(core, entry->slot);
    entry->epoch = e->now & 1;
    e->accesses[entry->epoch]++;
}

static void look_at_waiting(struct core *core, uint64_t now, struct epochs *e)
{
    uint64_t waiting[EPOCH_WORDS];
    memcpy(waiting, e->waiting, sizeof waiting);
    memset(e->waiting, 0, sizeof e->waiting);
    e->waits = false;
    EACH_WARP_SLOT (index, core->words, waiting[word]) {
        if (core->slots[index].state == WARP_SLOT_FENCE)
            core_look(core, now, index);
    }
}

void epoch_free(struct core *core, uint64_t now, uint32_t index)
{
    const struct entry *entry = &core->lsu.entries[index];
    struct epochs *e = epochs_of(core, entry->slot);
    if (!--e->accesses[entry->epoch] && e->waits)
        look_at_waiting(core, now, e);
}

void epoch_store(struct core *core, uint32_t index)
{
    const struct entry *entry = &core->lsu.entries[index];
    epochs_of(core, entry->slot)->stores[entry->epoch]++;
}

void epoch_stored(struct core *core, uint64_t now, uint32_t slot, uint32_t epoch)
{
    struct epochs *e = epochs_of(core, slot);
    if (!--e->stores[epoch] && e->waits)
        look_at_waiting(core, now, e);
}

static void advance(struct epochs *e)
{
    uint32_t other = ~e->now & 1;
    e->now += !e->accesses[other] && !e->stores[other];
}

void epoch_mark(struct core *core, uint32_t slot)
{
    struct epochs *e = epochs_of(core, slot);
    e->marked = e->now;
    advance(e);
}

bool epoch_holds(struct core *core, uint32_t index, bool stores)
{
    struct warp_slot *slot = &core->slots[index];
    struct epochs *e = epochs_of(core, index);
    if (!slot->required_epoch)
        slot->required_epoch = e->marked + 1;
    if (e->now == slot->required_epoch - 1)
        advance(e);
    uint32_t parity = (slot->required_epoch - 1) & 1;
    bool over =
        e->now > slot->required_epoch ||
        (e->now == slot->required_epoch && !e->accesses[parity] && !(stores && e->stores[parity]));
    if (!over) {
        bits_set(e->waiting, index);
        e->waits = true;
    }
    return !over;
}
