// Detached warps on a core (exec/warp/detached.h). Their places follow the places of CTAs.
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "support/bits.h"
#include <string.h>

static uint32_t register_count(const struct core *core, uint32_t registers)
{
    uint32_t granule = core->kind->config->register_granule;
    return align_up(registers * LANES, granule);
}

uint32_t core_max_warps(const struct core *core, uint32_t registers)
{
    const struct core_config *config = core->kind->config;
    uint32_t each = register_count(core, registers);
    uint32_t max = config->warps;
    if (config->threads / LANES < max)
        max = config->threads / LANES;
    return each && config->registers / each < max ? config->registers / each : max;
}

bool core_has_warp_room(const struct core *core, uint32_t registers)
{
    const struct core_config *config = core->kind->config;
    return core_count_free_slots(core) && core->used.threads + LANES <= config->threads &&
           core->used.registers + register_count(core, registers) <= config->registers;
}

uint32_t core_local_of(const struct core *core, uint32_t slot)
{
    return core_is_detached(&core->slots[slot]) ? core->ctas[core->slots[slot].cta].local
                                                : core->id.first_slot + slot;
}

// The core may have been idle for many cycles.
static void wake_up(struct core *core, uint64_t now)
{
    core_catch_up(core, now);
    core->wheel.at = core->wheel.at > now ? core->wheel.at : now;
}

void core_start_warp(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                     uint32_t registers, uint32_t local, const struct scheme_ops *ops)
{
    uint32_t slot = core_find_free_slot(core), place = CORE_CTAS + slot;
    struct core_cta *to = &core->ctas[place];
    *to = (struct core_cta){.cta = cta,
                            .kernel = kernel,
                            .left = 1,
                            .registers = register_count(core, registers),
                            .local = local,
                            .starter = (uint8_t)(core_owner(core, ops) - 1)};
    epoch_init(&to->epochs);
    wake_up(core, now);
    core_count_idle(core, now);
    core->used.threads += LANES;
    core->used.registers += to->registers;
    core_fill_slot(core, now, slot, &cta->warps[0], place);
    core->next = core->next < now ? core->next : now;
    core_maybe_over(core, now, slot); // it may end immediately
}

void core_end_warp(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    uint64_t ready = now;
    for (uint32_t i = 0; i < core->shared->timings.max_registers; i++)
        ready = slot->ready[i] > ready ? slot->ready[i] : ready;
    if (ready > now) {
        core_set_state(core, now, index, WARP_SLOT_RESULT);
        core_wake_at(core, ready, index);
        return;
    }
    slot->over = true;
    bits_set(core->results.returned, index);
    core->results.returns = true;
}

void core_return_warp(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    struct core_cta *place = &core->ctas[slot->cta];
    const struct core_hooks *starter = &core->hooks[place->starter];
    struct warp *warp = slot->warp;
    core_set_state(core, now, index, WARP_SLOT_EMPTY);
    slot->warp = NULL;
    place->cta = NULL;
    core->sets[index / 64].used &= ~warp_slot_bit(index);
    core->used.threads -= LANES;
    core->used.registers -= place->registers;
    core->account.idle_since = now;
    starter->issue->returned(core, starter->own, now, index, warp);
}

void core_go_on_at(struct core *core, uint64_t now, uint32_t index, uint32_t code)
{
    struct warp_slot *slot = &core->slots[index];
    wake_up(core, now);
    warp_go_on_at(slot->warp, code);
    slot->settled = false;
    slot->required_epoch = 0;
    core_look(core, now, index);
}

void core_stop_warp(struct core *core, uint64_t now, uint32_t index, uint32_t code)
{
    core->slots[index].warp->end = code;
    core_go_on_at(core, now, index, code);
    core_maybe_over(core, now, index);
}
