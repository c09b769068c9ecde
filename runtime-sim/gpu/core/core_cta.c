// CTAs and slots of a core: resources, start and end.
#include "runtime-sim/gpu/core/core.h"
#include "runtime-sim/gpu/core/core_trace.h"
#include "support/bits.h"
#include <string.h>

struct core_needs core_needs(const struct core_config *config, const struct launch *launch,
                             uint32_t registers)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = divide_up(threads, LANES);
    return (struct core_needs){
        .warps = warps,
        .registers = align_up(warps, config->register_warps) *
                     align_up((uint64_t)registers * LANES, config->register_granule),
        .shared_bytes =
            align_up(launch->shared_bytes + config->shared_reserved, config->shared_granule),
    };
}

uint32_t core_capacity(const struct core_config *config, const struct core_needs *needs,
                       const char **why)
{
    const struct {
        uint32_t room;
        const char *what;
    } limits[] = {
        {config->ctas, "CTAs"},
        {config->warps / needs->warps, "warps"},
        {config->threads / (needs->warps * LANES), "threads"},
        {config->registers / needs->registers, "registers"},
        {needs->shared_bytes ? config->shared_bytes / needs->shared_bytes : UINT32_MAX,
         "shared memory"},
    };
    uint32_t min = UINT32_MAX;
    for (uint32_t i = 0; i < ARRAY_LENGTH(limits); i++)
        if (limits[i].room < min) {
            min = limits[i].room;
            *why = limits[i].what;
        }
    return min;
}

uint32_t core_count_free_slots(const struct core *core)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < core->words; i++)
        used += (uint32_t)__builtin_popcountll(core->sets[i].used);
    return core->kind->config->warps - used;
}

uint32_t core_find_free_slot(const struct core *core)
{
    uint32_t word = 0;
    while (!~core->sets[word].used)
        word++;
    return word * 64 + (uint32_t)__builtin_ctzll(~core->sets[word].used);
}

bool core_has_room(const struct core *core, const struct launch *launch, uint32_t registers)
{
    const struct core_config *config = core->kind->config;
    struct core_needs needs = core_needs(config, launch, registers);
    return core->used.ctas < config->ctas && needs.warps <= core_count_free_slots(core) &&
           core->used.threads + needs.warps * LANES <= config->threads &&
           core->used.registers + needs.registers <= config->registers &&
           core->used.shared_bytes + needs.shared_bytes <= config->shared_bytes;
}

void core_fill_slot(struct core *core, uint64_t now, uint32_t index, struct warp *warp,
                    uint32_t place)
{
    struct warp_slot *slot = &core->slots[index];
    uint64_t *ready = slot->ready;
    memset(ready, 0, core->shared->timings.max_registers * sizeof *ready);
    core_set_state(core, now, index, WARP_SLOT_FETCH);
    *slot = (struct warp_slot){.warp = warp,
                               .cta = place,
                               .state = WARP_SLOT_FETCH,
                               .since = now,
                               .ready = ready,
                               .clustered = warp->cta->cluster.count > 1,
                               .posted = slot->posted,
                               .buffer_at = UINT32_MAX};
    core->schedule.age[index] = core->schedule.ages++;
    core->sets[index / 64].used |= warp_slot_bit(index);
    bits_set(core->ctas[place].slots, index);
    core_look(core, now, index);
}

void core_start(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                uint32_t registers)
{
    struct core_needs needs = core_needs(core->kind->config, cta->launch, registers);
    uint32_t at = 0;
    while (core->ctas[at].cta)
        at++;
    struct core_cta *to = &core->ctas[at];
    *to = (struct core_cta){.cta = cta, .kernel = kernel};
    epoch_init(&to->epochs);
    to->registers = needs.registers;
    to->shared_bytes = needs.shared_bytes;
    to->left = needs.warps;
    for (uint32_t i = 0; i < needs.warps; i++) {
        uint32_t index = core_find_free_slot(core);
        core_fill_slot(core, now, index, &cta->warps[i], at);
    }
    core_count_idle(core, now);
    core->used.ctas++;
    if (core->trace)
        core_trace_cta_begins(core, now, at);
    core->used.threads += needs.warps * LANES;
    core->used.registers += to->registers;
    core->used.shared_bytes += to->shared_bytes;
    core->next = core->next < now ? core->next : now;
}

void core_hold_cta(struct core *core, const struct cta *cta, uint64_t until)
{
    for (uint32_t at = 0; at < CORE_CTAS; at++)
        if (core->ctas[at].cta == cta)
            EACH_WARP_SLOT (index, core->words, core->ctas[at].slots[word])
                core->slots[index].awake = until;
}

void core_count_idle(struct core *core, uint64_t now)
{
    if (!core->used.threads)
        core->stats.core_idle += now - core->account.idle_since;
    core->account.idle_since = now;
}

// Leaves the slot's stores without their acknowledgements.
static void post_stores(struct core *core, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    if (!slot->stores)
        return;
    core->account.posted += slot->stores;
    slot->posted += slot->stores;
    slot->stores = 0;
    core->sets[index / 64].posted |= warp_slot_bit(index);
}

static void end_cta(struct core *core, uint64_t now, uint32_t at)
{
    struct core_cta *cta = &core->ctas[at];
    EACH_WARP_SLOT (index, core->words, cta->slots[word]) {
        core_set_state(core, now, index, WARP_SLOT_EMPTY);
        post_stores(core, index);
        core->slots[index].warp = NULL;
        core->sets[word].used &= ~warp_slot_bit(index);
        core->used.threads -= LANES;
    }
    core->used.ctas--;
    core->account.idle_since = now;
    if (core->trace)
        core_trace_cta_ends(core, now, at);
    core->used.registers -= cta->registers;
    core->used.shared_bytes -= cta->shared_bytes;
    core->results.ended |= UINT64_C(1) << at;
    core->stats.ctas++;
}

// Called when the warp may have ended, including everything that it started.
void core_maybe_over(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    bool posted = core->kind->config->posted_stores && !core_is_detached(slot);
    if (!slot->warp || slot->warp->live || slot->entries || (slot->stores && !posted) ||
        slot->groups.bulk_copies || slot->over)
        return;
    if (core_is_detached(slot)) {
        core_end_warp(core, now, index);
        return;
    }
    slot->over = true;
    if (!--core->ctas[slot->cta].left)
        end_cta(core, now, slot->cta);
}

uint64_t core_pop_ended(struct core *core)
{
    uint64_t ended = core->results.ended;
    core->results.ended = 0;
    return ended;
}
