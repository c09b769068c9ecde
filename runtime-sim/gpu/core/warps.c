// The stall reason of each warp. A warp is evaluated only when its wait has ended.
#include "runtime-sim/exec/memory/mbarrier.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/gpu/core/core.h"
#include "runtime-sim/gpu/core/core_trace.h"
#include "runtime-sim/gpu/lsu/bulk.h"

// Changes the state of a slot and counts the cycles of the previous state. For ready slots, the
// schedulers count each cycle.
void core_set_state(struct core *core, uint64_t now, uint32_t index, uint32_t state)
{
    static const uint16_t counters[WARP_SLOT_STATES] = {
        [WARP_SLOT_EMPTY] = offsetof(struct core_stats, stall_empty),
        [WARP_SLOT_FETCH] = offsetof(struct core_stats, stall_fetch),
        [WARP_SLOT_RESULT] = offsetof(struct core_stats, stall_result),
        [WARP_SLOT_LOAD] = offsetof(struct core_stats, stall_load),
        [WARP_SLOT_BARRIER] = offsetof(struct core_stats, stall_barrier),
        [WARP_SLOT_FENCE] = offsetof(struct core_stats, stall_fence),
        [WARP_SLOT_LANES] = offsetof(struct core_stats, stall_lanes),
        [WARP_SLOT_ENDED] = offsetof(struct core_stats, stall_ended),
    };
    struct warp_slot *slot = &core->slots[index];
    if (slot->state < WARP_SLOT_READY)
        *(uint64_t *)((char *)&core->stats + counters[slot->state]) += now - slot->since;
    else if (slot->state > WARP_SLOT_READY)
        core->stats.scheme_stalls[slot->state - WARP_SLOT_STATES] += now - slot->since;
    slot->state = (uint8_t)state;
    slot->since = now;
    if (core->followed)
        core_follow_state(core, now, index, state);
}

void core_settle(struct core *core, uint64_t now)
{
    core_catch_up(core, now);
    for (uint32_t i = 0; i < core->kind->config->warps; i++)
        core_set_state(core, now, i, core->slots[i].state);
    core_count_idle(core, now);
    core->stats.l1_read_hit = core->l1.stats.read_hits;
    core->stats.l1_read_miss = core->l1.stats.reads - core->l1.stats.read_hits;
    core->stats.l1_write_hit = core->l1.stats.write_hits;
    core->stats.l1_write_miss = core->l1.stats.writes - core->l1.stats.write_hits;
}

// A cycle beyond the wheel is handled again after one turn of the wheel.
void core_wake_at(struct core *core, uint64_t cycle, uint32_t slot)
{
    uint64_t farthest = core->wheel.at + CORE_WHEEL - 1;
    uint32_t at = (uint32_t)((cycle < farthest ? cycle : farthest) % CORE_WHEEL);
    core->wheel.slots[at * core->words + slot / 64] |= warp_slot_bit(slot);
    core->wheel.used[at / 64] |= UINT64_C(1) << at % 64;
    core->wheel.words |= UINT64_C(1) << at / 64;
}

// Returns the first cycle from wheel_at on in which a slot must be evaluated.
uint64_t core_next_wake(const struct core *core)
{
    if (!core->wheel.words)
        return UINT64_MAX;
    uint32_t start = (uint32_t)(core->wheel.at % CORE_WHEEL), word = start / 64;
    uint64_t bits = core->wheel.used[word] & ~UINT64_C(0) << start % 64;
    if (!bits) {
        uint64_t later = core->wheel.words & ~UINT64_C(1) << word;
        word = (uint32_t)__builtin_ctzll(later ? later : core->wheel.words);
        bits = core->wheel.used[word];
    }
    uint32_t at = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return core->wheel.at + (at - start) % CORE_WHEEL;
}

// Returns the reason for which a warp has no instruction to execute.
static enum warp_slot_state idle_state(const struct warp *warp)
{
    if (!warp->live)
        return WARP_SLOT_ENDED;
    for (uint32_t i = 0; i < warp->paths.n; i++)
        if (warp->paths.v[i].state == PATH_BARRIER)
            return WARP_SLOT_BARRIER;
    return WARP_SLOT_LANES;
}

// Returns true if the instruction waits for groups of asynchronous copies.
static bool awaits_groups(const struct core *core, uint32_t index, const struct timing *timing)
{
    const struct warp_slot *slot = &core->slots[index];
    uint32_t most =
        timing->async == ASYNC_COPY_WAIT_ALL ? slot->groups.copies + 1 : slot->groups.copies;
    switch (timing->async) {
    case ASYNC_BULK_WAIT:
    case ASYNC_BULK_WAIT_READ: return bulk_holds(core, index);
    case ASYNC_COPY_WAIT:
    case ASYNC_COPY_WAIT_ALL:
        for (uint32_t i = 0; slot->entries && i < core->lsu.entry_count; i++) {
            const struct entry *entry = &core->lsu.entries[i];
            if (entry->left && entry->slot == index && entry->timing->async == ASYNC_COPY &&
                entry->group + timing->pending < most)
                return true;
        }
        return false;
    default: return false;
    }
}

// Returns true if a try_wait suspends the warp.
static bool is_suspended(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    uint32_t limit = core->kind->config->try_wait;
    const struct code *code = issue_next(slot->warp, &slot->mask);
    if (!limit || !mbarrier_blocks(slot->warp, code, slot->mask) ||
        (slot->groups.tried && now >= slot->groups.tried + limit))
        return false;
    slot->groups.tried = slot->groups.tried ? slot->groups.tried : now;
    core_set_state(core, now, index, WARP_SLOT_BARRIER);
    core_wake_at(core, slot->groups.tried + limit, index);
    return true;
}

static bool must_wait(struct core *core, uint32_t index, const struct timing *timing)
{
    const struct warp_slot *slot = &core->slots[index];
    uint8_t waits = timing->waits;
    return (slot->acquires && timing->unit == UNIT_MEMORY) ||
           (timing->async && awaits_groups(core, index, timing)) ||
           ((waits & WAIT_LOADS) && slot->entries) ||
           ((waits & WAIT_STORES) && (slot->entries || slot->stores)) ||
           ((waits & WAIT_DIRECT) && (slot->direct || lsu_has_direct(core, index))) ||
           ((waits & WAIT_CTA) && epoch_holds(core, index, waits & WAIT_STORES));
}

static uint64_t operands_ready(const struct warp_slot *slot, const struct timing *timing)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < (uint32_t)timing->read_count + timing->write_count; i++) {
        uint64_t at = slot->ready[timing->registers[i]];
        ready = at > ready ? at : ready;
    }
    return ready;
}

static void make_ready(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot_sets *sets = &core->sets[index / 64];
    core_set_state(core, now, index, WARP_SLOT_READY);
    sets->ready |= warp_slot_bit(index);
    sets->wants[core->slots[index].unit] |= warp_slot_bit(index);
}

static void forget_ready(struct core *core, uint32_t index)
{
    struct warp_slot_sets *sets = &core->sets[index / 64];
    uint64_t bit = warp_slot_bit(index);
    if (!(sets->ready & bit))
        return;
    sets->ready &= ~bit;
    sets->wants[core->slots[index].unit] &= ~bit;
}

// With core.fetch_instructions: updates the buffer of a warp whose next instruction is `number`,
// and fetches more if it has room.
static void fetch_ahead(struct core *core, uint64_t now, uint32_t index, uint32_t number)
{
    const struct core_config *config = core->kind->config;
    struct warp_slot *slot = &core->slots[index];
    if (slot->coming && slot->decoded <= now) {
        slot->buffered += slot->coming;
        slot->coming = 0;
    }
    if (slot->buffer_at != number) {
        slot->buffered = slot->coming = 0; // after a branch
        slot->fetching = false;            // of a line that the warp has left
        slot->buffer_at = number;
    }
    bool more = slot->buffer_at + slot->buffered < core->shared->timings.count;
    if (more && !slot->fetching && !slot->coming &&
        slot->buffered + config->fetch_instructions <= config->buffer)
        core->sets[index / 64].hungry |= warp_slot_bit(index);
}

// Returns true if the instruction is in the warp's buffer. Otherwise it is fetched.
static bool is_buffered(struct core *core, uint64_t now, uint32_t index, uint32_t number)
{
    struct warp_slot *slot = &core->slots[index];
    if (core->kind->config->fetch_instructions) {
        fetch_ahead(core, now, index, number);
        if (slot->buffered)
            return true;
        core_set_state(core, now, index, WARP_SLOT_FETCH);
        return false;
    }
    if (slot->buffer_at != number && !slot->fetching) {
        slot->buffered = 0; // after a branch
        slot->buffer_at = number;
    }
    if (slot->buffered && slot->buffer_at == number && slot->decoded <= now)
        return true;
    core_set_state(core, now, index, WARP_SLOT_FETCH);
    if (slot->buffered)
        core_wake_at(core, slot->decoded, index);
    else if (!slot->fetching)
        core->sets[index / 64].hungry |= warp_slot_bit(index);
    return false;
}

// Finds the next instruction of the warp. Only issue by the warp itself changes it. If there is
// none, other warps may release the warp.
static bool settle(const struct core *core, struct warp_slot *slot)
{
    const struct timings *timings = &core->shared->timings;
    const struct code *code = issue_next(slot->warp, &slot->mask);
    if (code)
        slot->next = &timings->list[timings->of[code - timings->program->codes.v]];
    return slot->settled = code;
}

// Returns true if a scheme holds the slot.
static bool is_held_back(struct core *core, uint64_t now, uint32_t index)
{
    EACH_HOOKS (hooks, core, issue, hold) {
        uint32_t reason;
        if (!hooks->issue->hold(core, hooks->own, now, index, &reason))
            continue;
        core_set_state(core, now, index,
                       core->shared->hooks[hooks - core->hooks].first_stall + reason);
        return true;
    }
    return false;
}

// Returns the cycle in which the operands are ready; sets the unit.
static uint64_t find_operands(struct core *core, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    uint64_t ready;
    bool known = false;
    slot->unit = slot->next->unit;
    EACH_HOOKS (hooks, core, lsu, operands)
        known = known || hooks->lsu->operands(core, hooks->own, index, &ready, &slot->unit);
    if (slot->unit == UNIT_ALU)
        slot->unit = core->kind->alu[slot->next->class];
    return known ? ready : operands_ready(slot, slot->next);
}

void core_look(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    if (!slot->warp)
        return;
    forget_ready(core, index);
    if (!slot->settled && !settle(core, slot)) {
        EACH_HOOKS (hooks, core, lsu, idle)
            hooks->lsu->idle(core, hooks->own, now, index);
        core_set_state(core, now, index, idle_state(slot->warp));
        return;
    }
    const struct timing *timing = slot->next;
    if (!is_buffered(core, now, index, (uint32_t)(timing - core->shared->timings.list)))
        return;
    if (is_held_back(core, now, index))
        return;
    uint64_t ready = find_operands(core, index);
    ready = ready > slot->awake ? ready : slot->awake;
    if (must_wait(core, index, timing)) {
        core_set_state(core, now, index, WARP_SLOT_FENCE);
    } else if (ready == UINT64_MAX) {
        core_set_state(core, now, index, WARP_SLOT_LOAD);
    } else if (ready > now) {
        core_set_state(core, now, index, WARP_SLOT_RESULT);
        core_wake_at(core, ready, index);
    } else if (timing->async != ASYNC_TRY_WAIT || !is_suspended(core, now, index)) {
        make_ready(core, now, index);
    }
}

// Called after an event for which other warps of the CTA may wait.
void core_look_at_cta(struct core *core, uint64_t now, uint32_t cta)
{
    core->wheel.at = core->wheel.at > now ? core->wheel.at : now; // it may have been idle for many
                                                                  // cycles
    EACH_WARP_SLOT (index, core->words, core->ctas[cta].slots[word]) {
        uint8_t state = core->slots[index].state;
        if (state == WARP_SLOT_BARRIER || state == WARP_SLOT_LANES)
            core_look(core, now, index);
    }
}
