#include "runtime-sim/gpu/core/core.h"
#include "runtime-sim/gpu/core/core_trace.h"
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/core/units.h"
#include "runtime-sim/gpu/lsu/bulk.h"
#include "runtime-sim/exec/warp/cta.h"
#include "support/bits.h"
#include <string.h>

const struct config_key core_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/core/core.def"
#define CONFIG_OF struct core_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t core_key_count = ARRAY_LENGTH(core_keys);

static const struct stat_key own_stat_keys[] = {
#define STATS_DEF "runtime-sim/gpu/core/core_stats.def"
#define STATS_OF struct core_stats
#include "runtime-sim/base/stats_keys.inc"
};
enum { OWN_STAT_KEYS = ARRAY_LENGTH(own_stat_keys) };

static struct stat_key stall_key(struct arena *arena, const struct scheme_stall *stall,
                                 size_t offset)
{
    return (struct stat_key){.name = arena_printf(arena, "stall_%s", stall->name),
                             .kind = STAT_COUNT,
                             .unit = "slot cycles",
                             .text = stall->text,
                             .offset = offset};
}

// Inserts the schemes' stalls, whose counts are at `stalls`, before the row `stall_ended`.
static struct stat_key *insert_stalls(const struct core_shared *shared, struct arena *arena,
                                      const struct stat_key *own, uint32_t own_count, size_t stalls,
                                      uint32_t *count)
{
    struct stat_key *keys = ARENA_ARRAY(arena, struct stat_key, own_count + STALLS_MAX);
    *count = 0;
    for (uint32_t i = 0; i < own_count; i++) {
        for (uint32_t k = 0; !strcmp(own[i].name, "stall_ended") && k < shared->stall_count; k++)
            keys[(*count)++] = stall_key(arena, shared->stalls[k], stalls + k * sizeof(uint64_t));
        keys[(*count)++] = own[i];
    }
    return keys;
}

void core_stat_keys(struct core_shared *shared, struct arena *arena)
{
    shared->stat_keys =
        insert_stalls(shared, arena, own_stat_keys, OWN_STAT_KEYS,
                      offsetof(struct core_stats, scheme_stalls), &shared->stat_key_count);
}

const struct stat_key *core_site_stat_keys(const struct core_shared *shared, struct arena *arena,
                                           uint32_t *count)
{
    return insert_stalls(shared, arena, core_site_keys, core_site_key_count,
                         offsetof(struct core_site, scheme_stalls), count);
}

// Used for cores that a scheme ignores.
static const struct scheme_issue no_issue;
static const struct scheme_memory no_memory;
static const struct lsu_hooks no_lsu_hooks;

static struct core_hooks make_hooks(struct core *core, const struct scheme_hooks *from)
{
    const struct core_kind *kind = core->kind;
    struct core_hooks hooks = {&no_issue, &no_memory, &no_lsu_hooks, from->state, from->ops};
    if (kind->number && kind->adder != from->scheme + 1)
        return hooks;
    hooks.issue = from->ops->issue;
    hooks.memory = &from->ops->memory;
    hooks.lsu = from->ops->memory.lsu ? from->ops->memory.lsu : &no_lsu_hooks;
    if (hooks.issue->init)
        hooks.own = hooks.issue->init(core, from->state);
    return hooks;
}

void core_init(struct core *core, struct arena *arena, const struct core_shared *shared,
               const struct core_kind *kind, uint32_t index)
{
    uint32_t warps = kind->config->warps;
    *core = (struct core){
        .shared = shared, .kind = kind, .arena = arena, .id.index = index, .next = UINT64_MAX};
    core->words = bits_words(warps);
    core->wheel.slots = ARENA_ARRAY(arena, uint64_t, CORE_WHEEL * core->words);
    core->slots = ARENA_ARRAY(arena, struct warp_slot, warps);
    core->schedule.age = ARENA_ARRAY(arena, uint64_t, warps);
    core->ctas = ARENA_ARRAY(arena, struct core_cta, core_cta_capacity(core));
    for (uint32_t i = 0; i < warps; i++)
        core->slots[i].ready = ARENA_ARRAY(arena, uint64_t, shared->timings.max_registers + 1);
    if (shared->sites)
        core->sites = sites_of_core(arena, shared->sites, warps);
    core->followed = shared->sites;
    core->lsu.entry_extra = shared->entries_per_warp * warps;
    lsu_init(core);
    units_init(core, arena);
    core->hooks = ARENA_ARRAY(arena, struct core_hooks, shared->hook_count + 1);
    for (uint32_t i = 0; i < shared->hook_count; i++)
        core->hooks[core->hook_count++] = make_hooks(core, &shared->hooks[i]);
}

const struct ir_inst *core_inst(const struct core *core, const struct timing *timing)
{
    const struct program *program = core->shared->timings.program;
    uint32_t function = program->functions.v[timing->function].function;
    return &program->module->functions.v[function].insts.v[timing->inst];
}

void core_flush(struct core *core)
{
    units_free(core); // a launch does not wait for the previous one
    if (core->shared->flush_l1)
        cache_forget(&core->l1);
    EACH_HOOKS (hooks, core, lsu, flush)
        hooks->lsu->flush(core, hooks->own);
    tags_flush(&core->tags.constant);
    tags_flush(&core->tags.texture);
    level_flush(&core->tags.l15, CODE_LINES);
}

// Issue

static void count_issue(struct core_stats *s, const struct timing *timing, uint64_t threads)
{
    s->scheduler++;
    s->register_read += threads * timing->operands_read;
    s->register_write += threads * timing->operands_written;
    switch ((enum unit)timing->unit) {
    case UNIT_ALU: *(timing->is_float ? &s->alu_fp32 : &s->alu_int) += threads; break;
    case UNIT_SFU: s->sfu += threads; break;
    case UNIT_FP64: s->alu_fp64 += threads; break;
    default: break;
    }
}

static void set_results(struct warp_slot *slot, const struct timing *timing, uint64_t ready)
{
    for (uint32_t i = 0; i < timing->write_count; i++)
        slot->ready[timing->registers[timing->read_count + i]] = ready;
}

// Gives the accesses of the instruction to the load/store unit as an entry.
static void hold(struct core *core, uint64_t now, uint32_t index, uint32_t entry, enum issue_as as)
{
    struct warp_slot *slot = &core->slots[index];
    core->lsu.free_count--;
    slot->entries++;
    slot->acquires |= slot->next->acquires;
    set_results(slot, slot->next, UINT64_MAX);
    core->lsu.entries[entry].slot = index;
    core->lsu.entries[entry].group = slot->groups.copies;
    core->lsu.entries[entry].timing = slot->next;
    core->lsu.entries[entry].site = core->sites ? core->sites->slots[index].site : 0;
    epoch_enter(core, entry);
    if (as == ISSUE_AS_NORMAL)
        EACH_HOOKS (hooks, core, issue, accessed)
            hooks->issue->accessed(core, hooks->own, now, index, core->lsu.entries[entry].held);
    (as == ISSUE_AS_CAPTURED ? lsu_keep : lsu_accept)(core, now, entry);
}

// Returns how the instruction is issued. Sets `owner` to the scheme that claims it, if any.
static enum issue_as claim(struct core *core, uint64_t now, uint32_t index,
                           const struct core_hooks **owner)
{
    for (uint32_t i = 0; i < core->hook_count; i++) {
        const struct core_hooks *hooks = &core->hooks[core->shared->claims[i]];
        enum issue_as as = hooks->issue->issue_as
                               ? hooks->issue->issue_as(core, hooks->own, now, index)
                               : ISSUE_AS_NORMAL;
        *owner = hooks;
        if (as != ISSUE_AS_NORMAL)
            return as;
    }
    return ISSUE_AS_NORMAL;
}

// Executes an instruction that starts bulk copies, which the engine completes.
static enum issue_result execute_bulk(struct core *core, uint64_t now, uint32_t index,
                                      struct held *held)
{
    struct warp *warp = core->slots[index].warp;
    warp->bulk = bulk_record(core);
    enum issue_result result = issue_execute(warp, held);
    warp->bulk = NULL;
    bulk_accept(core, now, index);
    return result;
}

static enum issue_result execute(struct core *core, uint64_t now, uint32_t index, enum issue_as as,
                                 const struct core_hooks *owner, struct held *held)
{
    if (as < ISSUE_AS_CAPTURED && core->slots[index].next->async == ASYNC_BULK)
        return execute_bulk(core, now, index, held);
    if (as < ISSUE_AS_CAPTURED)
        return issue_execute(core->slots[index].warp, held);
    return as == ISSUE_AS_CAPTURED ? owner->lsu->execute(core, owner->own, index, held)
                                   : ISSUE_DONE;
}

// Notifies the schemes of completed barriers before the CTA's warps continue.
static void notify_barriers(struct core *core, uint64_t now, uint32_t place)
{
    struct cta *cta = core->ctas[place].cta;
    EACH_HOOKS (hooks, core, issue, barrier)
        hooks->issue->barrier(core, hooks->own, now, place, cta->opened);
    cta->opened = 0;
}

// The next instruction waits until the time that a nanosleep has added to the warp is over.
static void sleep_on(struct warp_slot *slot, uint64_t now)
{
    uint64_t megahertz = slot->warp->cta->launch->time->clock;
    slot->awake = now + divide_up(slot->warp->slept * megahertz, 1000);
    slot->warp->slept = 0;
}

// Counts groups of asynchronous work. The result of a wgmma must not be read before its group is
// complete, so its registers do not delay other instructions.
static void count_groups(struct core *core, struct warp_slot *slot, const struct timing *timing)
{
    struct core_groups *groups = &slot->groups;
    switch (timing->async) {
    case ASYNC_COPY_COMMIT: groups->copies++; break;
    case ASYNC_BULK_COMMIT: groups->bulks++; break;
    case ASYNC_MATRIX: {
        uint32_t interval = core->kind->interval[timing->class];
        uint32_t busy = timing_matrix_interval(core->kind->config, timing, interval);
        uint32_t latency = core->kind->latency[timing->class];
        uint64_t done = slot->dispatched + (busy > latency ? busy : latency);
        groups->products_done = done > groups->products_done ? done : groups->products_done;
        break;
    }
    case ASYNC_MATRIX_COMMIT:
        groups->group_done[groups->products++ % CORE_GROUPS] = groups->products_done;
        break;
    case ASYNC_MATRIX_WAIT:
        if (timing->pending < CORE_GROUPS && timing->pending < groups->products) {
            uint64_t done =
                groups->group_done[(groups->products - 1 - timing->pending) % CORE_GROUPS];
            slot->awake = done > slot->awake ? done : slot->awake;
        }
        break;
    case ASYNC_TRY_WAIT: groups->tried = 0; break;
    default: break;
    }
}

void core_issue(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[index];
    struct warp *warp = slot->warp;
    const struct timing *timing = slot->next;
    uint32_t entry = lsu_next_entry(core);
    uint64_t events = warp->cta->events, threads = warp->thread_instructions,
             instructions = warp->warp_instructions;
    const struct core_hooks *owner = NULL;
    enum issue_as as = claim(core, now, index, &owner);
    enum issue_result result = execute(core, now, index, as, owner, core->lsu.entries[entry].held);
    threads = warp->thread_instructions - threads;
    instructions = warp->warp_instructions - instructions;
    core->stats.warp_instructions += instructions;
    core->stats.issued_again += 1 - instructions; // an instruction that is issued for several slots
    core->stats.thread_instructions += threads;
    if (core->sites)
        sites_issued(core, index, instructions, threads);
    bool elsewhere = as >= ISSUE_AS_CAPTURED && result != ISSUE_HELD;
    if (elsewhere)
        core->stats.scheduler++; // the scheme counts the unit that computes it
    else
        count_issue(&core->stats, timing, threads);
    slot->settled = false;
    slot->required_epoch = 0;
    slot->buffered--;
    slot->buffer_at = (uint32_t)(timing - core->shared->timings.list) + 1;
    if (result == ISSUE_HELD)
        hold(core, now, index, entry, as);
    else if (!elsewhere && timing->async != ASYNC_MATRIX)
        set_results(slot, timing, slot->dispatched + core->kind->latency[timing->class]);
    if (as != ISSUE_AS_NORMAL && owner->lsu->issued)
        owner->lsu->issued(core, owner->own, now, index, timing, entry);
    if (timing->orders && as != ISSUE_AS_MIGRATED)
        epoch_mark(core, index);
    if (timing->sleeps)
        sleep_on(slot, now);
    if (timing->async)
        count_groups(core, slot, timing);
    if (warp->cta->opened)
        notify_barriers(core, now + 1, slot->cta);
    core_look(core, now + 1, index);
    core_maybe_over(core, now + 1, index);
    if (warp->cta->events == events)
        return;
    core_look_at_cta(core, now + 1, slot->cta);
    if (warp->cta->cluster.count > 1 && !core_is_detached(slot))
        core->results.stirred |= UINT64_C(1) << slot->cta;
}

// A cycle

// Wakes the slots of this cycle. A core ticks in every cycle that has slots in its wheel.
static ALWAYS_INLINE void wake(struct core *core, uint64_t now, uint32_t words)
{
    uint32_t place = (uint32_t)(now % CORE_WHEEL);
    uint64_t slots[CORE_WORDS];
    core->wheel.at = now + 1;
    if (!bits_test(core->wheel.used, place))
        return;
    for (uint32_t i = 0; i < words; i++) {
        slots[i] = core->wheel.slots[place * words + i];
        core->wheel.slots[place * words + i] = 0;
    }
    if (!(core->wheel.used[place / 64] &= ~(UINT64_C(1) << place % 64)))
        core->wheel.words &= ~(UINT64_C(1) << place / 64);
    EACH_WARP_SLOT (index, words, slots[word]) {
        uint8_t state = core->slots[index].state;
        if (state == WARP_SLOT_RESULT || state == WARP_SLOT_FETCH ||
            (state == WARP_SLOT_BARRIER && core->slots[index].groups.tried))
            core_look(core, now, index);
        if (core_is_detached(&core->slots[index]))
            core_maybe_over(core, now, index);
        EACH_HOOKS (hooks, core, issue, wake)
            hooks->issue->wake(core, hooks->own, now, index);
    }
}

// Ready slots of a word that are blocked: because their unit is busy, or because the load/store
// unit is full.
struct blocked_warps {
    uint64_t all, by_memory;
};

static ALWAYS_INLINE struct blocked_warps find_blocked(struct core *core, uint64_t now,
                                                       uint32_t word)
{
    const uint64_t *wants = core->sets[word].wants;
    uint64_t units = core->kind->divided ? units_blocked(core, now, word) : 0;
    for (uint32_t unit = 0; !core->kind->divided && unit < UNITS; unit++)
        if (wants[unit] && !units_find(core, unit, 0, now))
            units |= wants[unit];
    uint64_t by_memory = lsu_can_accept(core) ? 0 : wants[UNIT_MEMORY] & ~units;
    return (struct blocked_warps){units | by_memory, by_memory};
}

// Selects a slot. Slots that a scheme prefers have priority.
static ALWAYS_INLINE uint32_t choose_one(struct core *core, uint32_t scheduler,
                                         const uint64_t *candidates, uint32_t words)
{
    EACH_HOOKS (hooks, core, lsu, first)
        for (uint32_t i = 0; i < words; i++) {
            uint64_t first = hooks->lsu->first(core, hooks->own, i) & candidates[i];
            if (first)
                return core->schedule.last[scheduler] = i * 64 + (uint32_t)__builtin_ctzll(first);
        }
    return core_choose(core, scheduler, candidates);
}

// Returns the slots of a word that are blocked because others were selected.
static ALWAYS_INLINE uint64_t find_blocked_by(struct core *core, uint64_t now, uint32_t word,
                                              const uint64_t *chosen, uint32_t words)
{
    uint64_t slots = find_blocked(core, now, word).all;
    EACH_HOOKS (hooks, core, lsu, exclusive) {
        uint64_t taken = 0;
        for (uint32_t i = 0; i < words; i++)
            taken |= hooks->lsu->exclusive(core, hooks->own, i) & chosen[i];
        slots |= taken ? hooks->lsu->exclusive(core, hooks->own, word) : 0;
    }
    return slots;
}

// Adds the warps that the schedulers select to `chosen`. The schedulers share the units and select
// one after the other; a unit accepts as many warps per cycle as it is wide. The first scheduler
// whose slots were blocked by an earlier selection of this cycle selects first the next time
// (core.scheduler_order), so that no scheduler starves.
static ALWAYS_INLINE void choose(struct core *core, uint64_t now,
                                 const struct blocked_warps *at_start, uint64_t *chosen,
                                 uint32_t words)
{
    uint32_t schedulers = core->kind->config->schedulers;
    uint32_t start = core->schedule.first_scheduler, loser = schedulers;
    uint64_t blocked[CORE_WORDS];
    for (uint32_t w = 0; w < words; w++)
        blocked[w] = at_start[w].all;
    for (uint32_t n = 0, i = start; n < schedulers; n++, i = i + 1 < schedulers ? i + 1 : 0) {
        uint64_t candidates[CORE_WORDS], any = 0, lost = 0;
        for (uint32_t w = 0; w < words; w++) {
            uint64_t ready =
                core->sets[w].ready & units_slots(core->kind->config->schedulers, i, w);
            any |= candidates[w] = ready & ~blocked[w];
            lost |= ready & blocked[w] & ~at_start[w].all;
        }
        if (lost && loser == schedulers)
            loser = i;
        if (!any)
            continue;
        uint32_t index = choose_one(core, i, candidates, words);
        bits_set(chosen, index);
        units_reserve(core, now, index);
        for (uint32_t w = 0; n + 1 < schedulers && w < words; w++)
            blocked[w] = find_blocked_by(core, now, w, chosen, words);
    }
    if (loser < schedulers && core->kind->config->scheduler_order == SCHEDULERS_TURN)
        core->schedule.first_scheduler = loser;
}

static uint32_t count_slots(uint64_t slots)
{
    return slots & (slots - 1) ? bits_count(slots) : slots != 0;
}

// Counts `cycles` cycles for the ready slots of a word.
static void count_ready(struct core *core, uint32_t word, uint64_t chosen,
                        struct blocked_warps blocked, uint64_t cycles)
{
    struct core_stats *s = &core->stats;
    uint64_t rest = core->sets[word].ready & ~chosen;
    s->issued += count_slots(chosen) * cycles;
    s->stall_memory_queue += count_slots(rest & blocked.by_memory) * cycles;
    s->stall_unit += count_slots(rest & blocked.all & ~blocked.by_memory) * cycles;
    s->stall_not_selected += count_slots(rest & ~blocked.all) * cycles;
}

static ALWAYS_INLINE bool has_ready(const struct core *core, uint32_t words)
{
    uint64_t any = core->sets[0].ready;
    for (uint32_t i = 1; i < words; i++)
        any |= core->sets[i].ready;
    return any;
}

static ALWAYS_INLINE void catch_up(struct core *core, uint64_t now, uint32_t words)
{
    if (now <= core->account.counted)
        return;
    uint64_t passed = now - core->account.counted;
    bool ready = has_ready(core, words);
    for (uint32_t i = 0; ready && i < words; i++) {
        struct blocked_warps blocked = find_blocked(core, now - 1, i);
        count_ready(core, i, 0, blocked, passed);
        if (core->followed)
            core_follow_ready(core, core->account.counted, i, 0, blocked.all, blocked.by_memory);
    }
    core->account.counted = now;
}

void core_catch_up(struct core *core, uint64_t now)
{
    catch_up(core, now, core->words);
}

static void defer(struct core *core, uint32_t slot)
{
    core->sets[slot / 64].deferred |= warp_slot_bit(slot);
    core->results.defers = true;
}

static ALWAYS_INLINE void issue(struct core *core, uint64_t now, uint32_t words)
{
    struct blocked_warps blocked[CORE_WORDS];
    uint64_t chosen[CORE_WORDS], any = 0;
    for (uint32_t i = 0; i < words; i++) {
        blocked[i] = find_blocked(core, now, i);
        any |= core->sets[i].ready & ~blocked[i].all;
        chosen[i] = 0;
    }
    if (any && !core->shared->paused)
        choose(core, now, blocked, chosen, words);
    for (uint32_t i = 0; i < words; i++) {
        count_ready(core, i, chosen[i], blocked[i], 1);
        if (core->followed)
            core_follow_ready(core, now, i, chosen[i], blocked[i].all, blocked[i].by_memory);
    }
    EACH_WARP_SLOT (index, words, chosen[word]) {
        const struct warp_slot *slot = &core->slots[index];
        if (slot->next->shared || slot->clustered)
            defer(core, index);
        else
            core_issue(core, now, index);
    }
}

// Returns the first cycle from `at` on in which slots that are ready are no longer blocked as they
// are now. Slots that only the load/store unit blocks wait for its next cycle.
static ALWAYS_INLINE uint64_t next_issue(const struct core *core, uint64_t at, uint32_t words)
{
    uint64_t next = UINT64_MAX;
    if (core->lsu.refused || core->lsu.freed_count)
        return at;
    if (core->kind->divided)
        return units_next(core, at);
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        uint64_t free = UINT64_MAX, wants = 0;
        for (uint32_t i = 0; i < words; i++)
            wants |= core->sets[i].wants[unit];
        for (uint32_t i = 0; wants && i < core->kind->units[unit]; i++)
            free = smaller(free, core->units.free[unit][i]);
        if (unit == UNIT_MEMORY && free <= at && !lsu_can_accept(core))
            continue;
        next = smaller(next, free);
    }
    return next > at ? next : at;
}

static ALWAYS_INLINE bool has_hungry(const struct core *core, uint32_t words)
{
    uint64_t any = core->sets[0].hungry;
    for (uint32_t i = 1; i < words; i++)
        any |= core->sets[i].hungry;
    return any;
}

static ALWAYS_INLINE uint64_t next_cycle(const struct core *core, uint64_t now, uint32_t words)
{
    if (has_hungry(core, words) || core->results.defers)
        return now + 1;
    uint64_t next = smaller(core_next_wake(core), lsu_next(core, now));
    bool issues = has_ready(core, words) && !core->shared->paused;
    return issues && next > now + 1 ? smaller(next, next_issue(core, now + 1, words)) : next;
}

static ALWAYS_INLINE void tick(struct core *core, uint64_t now, uint32_t words)
{
    catch_up(core, now, words);
    core->account.counted = now + 1;
    core->wheel.at = now;
    lsu_receive(core, now);
    wake(core, now, words);
    lsu_tick(core, now);
    if (has_ready(core, words))
        issue(core, now, words);
    for (uint32_t n = core->kind->config->fetch_width; n && has_hungry(core, words); n--)
        core_fetch(core, now);
    core->next = next_cycle(core, now, words);
}

// The usual case of one word is compiled separately.
void core_tick(struct core *core, uint64_t now)
{
    if (core->words == 1)
        tick(core, now, 1);
    else
        tick(core, now, core->words);
}

void core_move_values(struct core *core, struct entry *entry, uint32_t part)
{
    if (entry->held->served || !entry->parts.v[part].lanes) // or moved with another part
        return;
    held_serve(entry->held, entry->parts.v[part].lanes);
    core->account.progress += entry->parts.v[part].kind == MEMSYS_WRITE || entry->held->changed;
}

static void issue_deferred(struct core *core, uint64_t now)
{
    EACH_WARP_SLOT (index, core->words, core->sets[word].deferred)
        core_issue(core, now, index);
    for (uint32_t i = 0; i < core->words; i++)
        core->sets[i].deferred = 0;
    core->results.defers = false;
}

void core_commit(struct core *core, uint64_t now)
{
    for (uint32_t i = 0; i < core->results.effects.n; i++)
        core_move_values(core, &core->lsu.entries[core->results.effects.v[i].entry],
                         core->results.effects.v[i].part);
    core->results.effects.n = 0;
    if (core->bulk.done.n)
        bulk_commit(core, now);
    if (core->results.defers)
        issue_deferred(core, now);
    core->next = next_cycle(core, now, core->words);
}
