#include "runtime-sim/gpu/core.h"
#include "runtime-sim/gpu/core_trace.h"
#include "runtime-sim/gpu/scheme.h"
#include "runtime-sim/exec/warp/cta.h"
#include <string.h>

const struct config_key core_keys[] = {
#define CONFIG_DEF "runtime-sim/gpu/core.def"
#define CONFIG_OF struct core_config
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t core_key_count = sizeof core_keys / sizeof *core_keys;

static const struct stat_key own_stat_keys[] = {
#define STATS_DEF "runtime-sim/gpu/core_stats.def"
#define STATS_OF struct core_stats
#include "runtime-sim/base/stats_keys.inc"
};
enum { OWN_STAT_KEYS = sizeof own_stat_keys / sizeof *own_stat_keys };

static struct stat_key stall_key(struct arena *arena, const struct scheme_stall *stall,
                                 uint32_t number)
{
    return (struct stat_key){.name = arena_printf(arena, "stall_%s", stall->name),
                             .kind = STAT_COUNT,
                             .unit = "slot cycles",
                             .text = stall->text,
                             .offset = offsetof(struct core_stats, scheme_stalls) +
                                       number * sizeof(uint64_t)};
}

// Schemes' stalls follow those of the core that are no ends.
void core_stat_keys(struct core_shared *shared, struct arena *arena)
{
    struct stat_key *keys = ARENA_ARRAY(arena, struct stat_key, OWN_STAT_KEYS + STALLS_MOST);
    uint32_t count = 0;
    for (uint32_t i = 0; i < OWN_STAT_KEYS; i++) {
        bool here = own_stat_keys[i].offset == offsetof(struct core_stats, stall_ended) &&
                    own_stat_keys[i].kind == STAT_COUNT;
        for (uint32_t k = 0; here && k < shared->stall_count; k++)
            keys[count++] = stall_key(arena, shared->stalls[k], k);
        keys[count++] = own_stat_keys[i];
    }
    shared->stat_keys = keys;
    shared->stat_key_count = count;
}

void core_init(struct core *core, struct arena *arena, const struct core_shared *shared,
               uint32_t index)
{
    *core = (struct core){.shared = shared, .arena = arena, .index = index, .next = UINT64_MAX};
    for (uint32_t i = 0; i < shared->config->warps; i++)
        core->slots[i].ready = ARENA_ARRAY(arena, uint64_t, shared->timings.most_registers + 1);
    core->entry_extra = shared->entries_of_slot * (uint32_t)shared->config->warps;
    lsu_init(core);
    for (uint32_t i = 0; i < shared->watcher_count; i++) {
        struct core_watcher *watcher = &core->watchers[core->watcher_count++];
        watcher->ops = shared->watchers[i];
        watcher->own = watcher->ops->init ? watcher->ops->init(core, shared->watcher_states[i])
                                          : shared->watcher_states[i];
    }
}

// CTAs

static uint32_t round_up(uint64_t value, uint64_t granule)
{
    return (uint32_t)((value + granule - 1) / granule * granule);
}

struct core_needs core_needs(const struct core_config *config, const struct launch *launch,
                             uint32_t registers)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = (threads + LANES - 1) / LANES;
    return (struct core_needs){
        .warps = warps,
        .registers = warps * round_up((uint64_t)registers * LANES, config->register_granule),
        .shared_bytes = round_up(launch->shared_bytes, config->shared_granule),
    };
}

// That are free.
static uint32_t count_slots(const struct core *core)
{
    uint64_t all = core->shared->config->warps == 64
                       ? ~UINT64_C(0)
                       : (UINT64_C(1) << core->shared->config->warps) - 1;
    return (uint32_t)__builtin_popcountll(all & ~core->used);
}

bool core_has_room(const struct core *core, const struct launch *launch, uint32_t registers)
{
    const struct core_config *config = core->shared->config;
    struct core_needs needs = core_needs(config, launch, registers);
    return core->cta_count < config->ctas && needs.warps <= count_slots(core) &&
           core->threads + needs.warps * LANES <= config->threads &&
           core->registers + needs.registers <= config->registers &&
           core->shared_bytes + needs.shared_bytes <= config->shared_bytes;
}

static void start_warp(struct core *core, uint64_t now, uint32_t index, struct warp *warp,
                       uint32_t cta)
{
    struct slot *slot = &core->slots[index];
    uint64_t *ready = slot->ready;
    memset(ready, 0, core->shared->timings.most_registers * sizeof *ready);
    core_set_state(core, now, index, SLOT_FETCH);
    *slot = (struct slot){.warp = warp,
                          .cta = cta,
                          .state = SLOT_FETCH,
                          .since = now,
                          .age = core->ages++,
                          .ready = ready,
                          .buffer_at = UINT32_MAX};
    core->used |= UINT64_C(1) << index;
    core_look(core, now, index);
}

void core_start(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                uint32_t registers)
{
    struct core_needs needs = core_needs(core->shared->config, cta->launch, registers);
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
        uint32_t index = (uint32_t)__builtin_ctzll(~core->used);
        to->slots |= UINT64_C(1) << index;
        start_warp(core, now, index, &cta->warps[i], at);
    }
    core_count_idle(core, now);
    core->cta_count++;
    if (core->trace)
        core_trace_cta_begins(core, now, at);
    core->threads += needs.warps * LANES;
    core->registers += to->registers;
    core->shared_bytes += to->shared_bytes;
    core->next = core->next < now ? core->next : now;
}

void core_count_idle(struct core *core, uint64_t now)
{
    if (!core->cta_count)
        core->stats.core_idle += now - core->idle_since;
    core->idle_since = now;
}

static void end_cta(struct core *core, uint64_t now, uint32_t at)
{
    struct core_cta *cta = &core->ctas[at];
    for (uint64_t rest = cta->slots; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        core_set_state(core, now, index, SLOT_EMPTY);
        core->slots[index].warp = NULL;
    }
    core->used &= ~cta->slots;
    core->cta_count--;
    core->idle_since = now;
    if (core->trace)
        core_trace_cta_ends(core, now, at);
    core->threads -= (uint32_t)__builtin_popcountll(cta->slots) * LANES;
    core->registers -= cta->registers;
    core->shared_bytes -= cta->shared_bytes;
    core->ended |= UINT64_C(1) << at;
    core->stats.ctas++;
}

// The warp has ended, and with it all that it has begun.
void core_maybe_over(struct core *core, uint64_t now, uint32_t index)
{
    struct slot *slot = &core->slots[index];
    if (!slot->warp || slot->warp->live || slot->entries || slot->stores || slot->over)
        return;
    slot->over = true;
    if (!--core->ctas[slot->cta].left)
        end_cta(core, now, slot->cta);
}

uint64_t core_take_ended(struct core *core)
{
    uint64_t ended = core->ended;
    core->ended = 0;
    return ended;
}

const struct ir_inst *core_inst(const struct core *core, const struct timing *timing)
{
    const struct program *program = core->shared->timings.program;
    uint32_t function = program->functions.v[timing->function].function;
    return &program->module->functions.v[function].insts.v[timing->inst];
}

void core_flush(struct core *core)
{
    memset(core->unit_free, 0, sizeof core->unit_free); // no launch waits for the one before
    core->banks_free = 0;
    if (core->shared->flush_l1)
        cache_forget(&core->l1);
    EACH_WATCHER (ops, core, flush)
        ops->flush(core);
    tags_flush(&core->constant);
    tags_flush(&core->texture);
}

// Issue

static uint64_t *free_unit(struct core *core, uint32_t unit, uint64_t now)
{
    for (uint32_t i = 0; i < core->shared->units[unit]; i++)
        if (core->unit_free[unit][i] <= now)
            return &core->unit_free[unit][i];
    return NULL;
}

static void count_issue(struct core *core, const struct timing *timing, uint64_t threads)
{
    struct core_stats *s = &core->stats;
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

static void set_results(struct slot *slot, const struct timing *timing, uint64_t ready)
{
    for (uint32_t i = 0; i < timing->write_count; i++)
        slot->ready[timing->registers[timing->read_count + i]] = ready;
}

// The instruction's accesses become an entry of the load/store unit.
static void hold(struct core *core, uint64_t now, uint32_t index, uint32_t entry, enum issue_as as)
{
    struct slot *slot = &core->slots[index];
    core->free_count--;
    slot->entries++;
    slot->acquires |= slot->next->acquires;
    set_results(slot, slot->next, UINT64_MAX);
    core->entries[entry].slot = index;
    core->entries[entry].timing = slot->next;
    epoch_take(core, entry);
    if (as == ISSUE_AS_NORMAL)
        EACH_WATCHER (ops, core, accessed)
            ops->accessed(core, now, index, core->entries[entry].held);
    (as == ISSUE_AS_CAPTURED ? lsu_keep : lsu_take)(core, now, entry);
}

// The scheme that has the instruction, if it is not issued as normal.
static enum issue_as claim(struct core *core, uint64_t now, uint32_t index,
                           const struct core_ops **owner)
{
    EACH_WATCHER (ops, core, issue_as) {
        enum issue_as as = ops->issue_as(core, now, index);
        *owner = ops;
        if (as != ISSUE_AS_NORMAL)
            return as;
    }
    return ISSUE_AS_NORMAL;
}

static enum issue_result execute(struct core *core, uint32_t index, enum issue_as as,
                                 const struct core_ops *owner, struct held *held)
{
    if (as < ISSUE_AS_CAPTURED)
        return issue_execute(core->slots[index].warp, held);
    return as == ISSUE_AS_CAPTURED ? owner->execute(core, index, held) : ISSUE_DONE;
}

void core_issue(struct core *core, uint64_t now, uint32_t index)
{
    struct slot *slot = &core->slots[index];
    struct warp *warp = slot->warp;
    const struct timing *timing = slot->next;
    uint32_t entry = core->free_entries[core->free_count - 1];
    uint64_t events = warp->cta->events, threads = warp->thread_instructions,
             instructions = warp->warp_instructions;
    const struct core_ops *owner = NULL;
    enum issue_as as = claim(core, now, index, &owner);
    enum issue_result result = execute(core, index, as, owner, core->entries[entry].held);
    threads = warp->thread_instructions - threads;
    instructions = warp->warp_instructions - instructions;
    core->stats.warp_instructions += instructions;
    core->stats.issued_again += 1 - instructions; // what comes again was taken off, if for several
    core->stats.thread_instructions += threads;
    bool elsewhere = as >= ISSUE_AS_CAPTURED && result != ISSUE_HELD;
    if (elsewhere)
        core->stats.scheduler++; // the scheme counts what computes it
    else
        count_issue(core, timing, threads);
    slot->settled = false;
    slot->behind = 0;
    slot->buffered--;
    slot->buffer_at = (uint32_t)(timing - core->shared->timings.list) + 1;
    if (result == ISSUE_HELD)
        hold(core, now, index, entry, as);
    else if (!elsewhere)
        set_results(slot, timing, now + core->shared->latency[timing->class]);
    if (as != ISSUE_AS_NORMAL && owner->issued)
        owner->issued(core, now, index, timing, entry);
    if (timing->orders && as != ISSUE_AS_MIGRATED)
        epoch_mark(core, index);
    core_look(core, now + 1, index);
    core_maybe_over(core, now + 1, index);
    if (warp->cta->events == events)
        return;
    core_look_at_cta(core, now + 1, slot->cta);
    core->stirred |= (uint64_t)(warp->cta->cluster.count > 1) << slot->cta;
}

// A cycle

// A core ticks in every cycle that it has noted: none is left behind.
static void wake(struct core *core, uint64_t now)
{
    uint32_t place = (uint32_t)(now % CORE_WHEEL);
    uint64_t slots = core->wheel[place];
    core->wheel_at = now + 1;
    if (!slots)
        return;
    core->wheel[place] = 0;
    if (!(core->wheel_used[place / 64] &= ~(UINT64_C(1) << place % 64)))
        core->wheel_words &= ~(UINT64_C(1) << place / 64);
    for (uint64_t rest = slots; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        uint8_t state = core->slots[index].state;
        if (state == SLOT_RESULT || state == SLOT_FETCH)
            core_look(core, now, index);
        EACH_WATCHER (ops, core, wake)
            ops->wake(core, now, index);
    }
}

// Slots that could issue but for what they need.
static uint64_t blocked(struct core *core, uint64_t now, uint64_t *by_memory)
{
    uint64_t units = 0;
    for (uint32_t unit = 0; unit < UNITS; unit++)
        if (core->wants[unit] && !free_unit(core, unit, now))
            units |= core->wants[unit];
    *by_memory = lsu_can_take(core) ? 0 : core->wants[UNIT_MEMORY] & ~units;
    return units | *by_memory;
}

static void reserve(struct core *core, uint64_t now, const struct slot *slot)
{
    const struct timing *timing = slot->next;
    uint64_t *unit = free_unit(core, slot->unit, now);
    if (slot->unit != UNIT_CONTROL)
        *unit = now + core->shared->interval[timing->class];
}

// Slots that a scheme wants first come first.
static uint32_t choose_one(struct core *core, uint32_t scheduler, uint64_t candidates)
{
    EACH_WATCHER (ops, core, first) {
        uint64_t first = ops->first(core) & candidates;
        if (first)
            return core->last[scheduler] = (uint32_t)__builtin_ctzll(first);
    }
    return core_choose(core, scheduler, candidates);
}

// What the schedulers choose, as a set. Each has its own warps; a unit takes as many as it is wide.
// `blocked_slots` is what is blocked before.
static uint64_t choose(struct core *core, uint64_t now, uint64_t blocked_slots)
{
    static const uint64_t every[] = {0, UINT64_MAX, 0x5555555555555555, 0x9249249249249249,
                                     0x1111111111111111};
    uint32_t schedulers = (uint32_t)core->shared->config->schedulers;
    uint64_t chosen = 0, by_memory;
    for (uint32_t i = 0; i < schedulers; i++) {
        uint64_t own = every[schedulers] << i;
        uint64_t candidates = core->ready & own & ~blocked_slots;
        if (!candidates)
            continue;
        uint32_t index = choose_one(core, i, candidates);
        chosen |= UINT64_C(1) << index;
        reserve(core, now, &core->slots[index]);
        if (i + 1 == schedulers)
            break;
        blocked_slots = blocked(core, now, &by_memory);
        EACH_WATCHER (ops, core, exclusive) {
            uint64_t exclusive = ops->exclusive(core);
            blocked_slots |= exclusive & chosen ? exclusive : 0;
        }
    }
    return chosen;
}

static uint32_t count_slots_of(uint64_t slots)
{
    return slots ? (uint32_t)__builtin_popcountll(slots) : 0;
}

// In so many cycles.
static void count_ready(struct core *core, uint64_t chosen, uint64_t units, uint64_t by_memory,
                        uint64_t cycles)
{
    struct core_stats *s = &core->stats;
    uint64_t rest = core->ready & ~chosen;
    s->issued += count_slots_of(chosen) * cycles;
    s->stall_memory_queue += count_slots_of(rest & by_memory) * cycles;
    s->stall_unit += count_slots_of(rest & units & ~by_memory) * cycles;
    s->stall_not_selected += count_slots_of(rest & ~units & ~by_memory) * cycles;
}

void core_catch_up(struct core *core, uint64_t now)
{
    if (now <= core->counted)
        return;
    uint64_t passed = now - core->counted;
    if (core->ready) {
        uint64_t by_memory, units = blocked(core, now - 1, &by_memory);
        count_ready(core, 0, units, by_memory, passed);
        if (core->trace)
            core_trace_ready(core, core->counted, 0, units, by_memory);
    }
    core->busy += core->ready || (core->queue_count && core->l1_full) ? passed : 0;
    core->counted = now;
}

static void issue(struct core *core, uint64_t now)
{
    uint64_t by_memory, units = blocked(core, now, &by_memory);
    uint64_t chosen = core->ready & ~units ? choose(core, now, units) : 0;
    count_ready(core, chosen, units, by_memory, 1);
    if (core->trace)
        core_trace_ready(core, now, chosen, units, by_memory);
    for (uint64_t rest = chosen; rest; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        const struct slot *slot = &core->slots[index];
        if (slot->next->shared || slot->warp->cta->cluster.count > 1)
            core->deferred |= UINT64_C(1) << index;
        else
            core_issue(core, now, index);
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// The first cycle from `at` on in which slots that are ready are no longer blocked as they are now.
// What only the load/store unit blocks goes on when that does.
static uint64_t next_issue(const struct core *core, uint64_t at)
{
    uint64_t next = UINT64_MAX;
    if (core->refused || core->freed_count)
        return at;
    for (uint32_t unit = 0; unit < UNITS; unit++) {
        uint64_t free = UINT64_MAX;
        for (uint32_t i = 0; core->wants[unit] && i < core->shared->units[unit]; i++)
            free = least(free, core->unit_free[unit][i]);
        if (unit == UNIT_MEMORY && free <= at && !lsu_can_take(core))
            continue;
        next = least(next, free);
    }
    return next > at ? next : at;
}

static uint64_t next_cycle(const struct core *core, uint64_t now)
{
    if (core->hungry || core->deferred)
        return now + 1;
    uint64_t next = least(core_next_wake(core), lsu_next(core, now));
    return core->ready && next > now + 1 ? least(next, next_issue(core, now + 1)) : next;
}

void core_tick(struct core *core, uint64_t now)
{
    core_catch_up(core, now);
    core->counted = now + 1;
    core->busy++;
    core->wheel_at = now;
    lsu_receive(core, now);
    wake(core, now);
    lsu_tick(core, now);
    if (core->ready)
        issue(core, now);
    if (core->hungry)
        core_fetch(core, now);
    core->next = next_cycle(core, now);
}

void core_move_values(struct core *core, struct entry *entry, uint32_t part)
{
    if (entry->held->served || !entry->parts.v[part].lanes) // or moved with another part
        return;
    held_serve(entry->held, entry->parts.v[part].lanes);
    core->progress += entry->parts.v[part].kind == MEMSYS_WRITE || entry->held->changed;
}

void core_commit(struct core *core, uint64_t now)
{
    for (uint32_t i = 0; i < core->effects.n; i++)
        core_move_values(core, &core->entries[core->effects.v[i].entry], core->effects.v[i].part);
    core->effects.n = 0;
    for (; core->deferred; core->deferred &= core->deferred - 1)
        core_issue(core, now, (uint32_t)__builtin_ctzll(core->deferred));
    core->next = next_cycle(core, now);
}
