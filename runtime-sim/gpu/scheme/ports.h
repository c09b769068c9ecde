// The interface through which schemes access a machine and its cores: some constant properties, the
// state of warp slots, the L1, and entries of the load/store unit. No scheme includes another
// header of this room or accesses a member of struct machine or struct core (tests/schemes.sh).
#pragma once
#include "runtime-sim/gpu/machine/machine_state.h"

// The machine

struct machine_port {
    struct arena *arena;
    const struct machine_config *config; // after the changes of all schemes
    const struct program *program;
    const struct timings *timings; // issue info of the program's instructions
    struct memsys *memsys;         // valid from `connect` on
    uint32_t ordinary, cores;      // number of ordinary cores, which come first, and of all cores
    uint64_t now;
};

// Returns the properties of a machine.
static inline struct machine_port machine_port(const struct machine *machine)
{
    return (struct machine_port){.arena = machine->arena,
                                 .config = machine->config,
                                 .program = machine->program,
                                 .timings = &machine->shared.timings,
                                 .memsys = machine->shared.memsys,
                                 .ordinary = machine->ordinary,
                                 .cores = machine->count,
                                 .now = machine->now};
}

// Returns the issue info of all instructions, which `create` may mark.
static inline struct timings *machine_timings(struct machine *machine)
{
    return &machine->shared.timings;
}

// Returns the core with this number.
static inline struct core *machine_core(const struct machine *machine, uint32_t index)
{
    return &machine->cores[index];
}

// Returns the number of the core at an endpoint.
static inline uint32_t machine_core_at(const struct machine *machine, uint32_t endpoint)
{
    return machine->core_at[endpoint];
}

// Returns the number of the first core of a kind.
static inline uint32_t machine_first_core(const struct machine *machine, uint32_t kind)
{
    return machine->kinds[kind].first;
}

// Schedules a tick of a core, after its state was changed outside its tick.
static inline void machine_wake_core(struct machine *machine, uint32_t core, uint64_t cycle)
{
    machine_set_due(machine, core, cycle);
}

// Removes all lines of the L1s of all cores.
static inline void machine_forget_l1(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->count; i++)
        cache_forget(&machine->cores[i].l1);
}

// Counts progress outside cores, for the watchdog.
static inline void machine_note_progress(struct machine *machine)
{
    machine->watchdog.progress++;
}

// Returns the fault of this run. Setting it ends the run.
static inline struct fault *machine_fault(const struct machine *machine)
{
    return machine->shared.fault;
}

// Stops the cores from issuing until machine_resume_cores.
static inline void machine_pause_cores(struct machine *machine)
{
    machine->shared.paused = true;
}

// Returns true between the two calls.
static inline bool machine_is_paused(const struct machine *machine)
{
    return machine->shared.paused;
}

// A core

struct core_port {
    struct arena *arena;
    struct memsys *memsys;
    const struct timings *timings;
    const struct core_config *config;
    const struct cache_config *l1;
    uint32_t index, endpoint; // number in the machine, number in the memory system
    uint32_t words;           // words of a set of slots
    uint32_t kind;            // 0: an ordinary core
    uint32_t ordinary;        // number of ordinary cores in the machine
};

// Returns the properties of a core.
static inline struct core_port core_port(const struct core *core)
{
    return (struct core_port){.arena = core->arena,
                              .memsys = core->shared->memsys,
                              .timings = &core->shared->timings,
                              .config = core->kind->config,
                              .l1 = core->kind->l1,
                              .index = core->id.index,
                              .endpoint = core->id.endpoint,
                              .words = core->words,
                              .kind = core->kind->number,
                              .ordinary = core->shared->cores};
}

// Returns the L1. A scheme may look up, add and remove lines.
static inline struct cache *core_l1(struct core *core)
{
    return &core->l1;
}

// Announces a packet of the scheme: `send` is called once for each.
static inline void core_has_packet(struct core *core)
{
    core->lsu.to_send++;
}

// Counts progress of the core, for the watchdog.
static inline void core_note_progress(struct core *core)
{
    core->account.progress++;
}

// Counts thread operations that the core's ALUs execute for the scheme.
static inline void core_count_alu(struct core *core, uint64_t ints, uint64_t floats)
{
    core->stats.alu_int += ints;
    core->stats.alu_fp32 += floats;
}

// Returns the number of issued warp instructions.
static inline uint64_t core_issued(const struct core *core)
{
    return core->stats.warp_instructions;
}

// Returns the mean latency of the loads so far, or 0.
static inline uint64_t core_load_latency(const struct core *core)
{
    const struct core_stats *stats = &core->stats;
    return stats->loads_done ? stats->load_latency_sum / stats->loads_done : 0;
}

// Returns true if an ALU accepts a warp in a cycle before this one.
static inline bool core_has_free_alu(const struct core *core, uint64_t now)
{
    for (uint32_t i = 0; i < core->kind->units[UNIT_ALU]; i++)
        if (core->units.free[UNIT_ALU][i] < now)
            return true;
    return false;
}

// Returns the core state of an active scheme.
static inline void *core_own(const struct core *core, const struct scheme_ops *ops)
{
    uint32_t i = 0;
    while (core->hooks[i].ops != ops)
        i++;
    return core->hooks[i].own;
}

// Returns the value of `entry->owner` for an active scheme.
static inline uint8_t core_owner(const struct core *core, const struct scheme_ops *ops)
{
    uint8_t i = 0;
    while (core->shared->hooks[i].ops != ops)
        i++;
    return (uint8_t)(i + 1);
}

// Returns true if another scheme than `own` reserves the slot's next instruction.
static inline bool core_keeps(const struct core *core, uint32_t slot, const struct scheme_ops *own)
{
    EACH_HOOKS (hooks, core, issue, keeps)
        if (hooks->ops != own && hooks->issue->keeps(core, hooks->own, slot))
            return true;
    return false;
}

// CTAs. `place` is the place of a CTA on the core.

// Returns the CTA at a place.
static inline struct cta *core_cta(const struct core *core, uint32_t place)
{
    return core->ctas[place].cta;
}

// Returns the set of slots of the CTA's warps.
static inline const uint64_t *core_cta_slots(const struct core *core, uint32_t place)
{
    return core->ctas[place].slots;
}

// Warp slots

struct warp_slot_port {
    struct warp *warp;
    const struct timing *next; // next instruction to issue
    uint32_t mask;             // lanes that will execute it
    uint32_t place;            // place of the CTA
    uint64_t age;              // age of the warp, unique among the warps of the core
    uint32_t state;            // enum warp_slot_state, or the state of a scheme's stall
    bool is_detached;
};

// Returns the state of a slot.
static inline struct warp_slot_port warp_slot_port(const struct core *core, uint32_t index)
{
    const struct warp_slot *slot = &core->slots[index];
    return (struct warp_slot_port){.warp = slot->warp,
                                   .next = slot->next,
                                   .mask = slot->mask,
                                   .place = slot->cta,
                                   .age = core->schedule.age[index],
                                   .state = slot->state,
                                   .is_detached = core_is_detached(slot)};
}

// Return a word of the set of slots that have a warp, of those with stores of CTAs that have ended
// (core.posted_stores), and of those that can issue.
static inline uint64_t core_used_slots(const struct core *core, uint32_t word)
{
    return core->sets[word].used;
}

static inline uint64_t core_posted_slots(const struct core *core, uint32_t word)
{
    return core->sets[word].posted;
}

static inline uint64_t core_ready_slots(const struct core *core, uint32_t word)
{
    return core->sets[word].ready;
}

// Returns true if the slot needs a fetch.
static inline bool warp_slot_needs_fetch(const struct core *core, uint32_t slot)
{
    return core->sets[slot / 64].hungry & warp_slot_bit(slot);
}

// Returns the cycle in which each register of the slot gets its value; UINT64_MAX: not known. The
// scheme sets those of the instructions that it captures.
static inline uint64_t *warp_slot_scoreboard(const struct core *core, uint32_t slot)
{
    return core->slots[slot].ready;
}

// Makes the core determine the slot's next instruction again.
static inline void warp_slot_find_next(struct core *core, uint32_t slot)
{
    core->slots[slot].settled = false;
}

// Returns the number of entries of the slot in the load/store unit.
static inline uint32_t warp_slot_entries(const struct core *core, uint32_t slot)
{
    return core->slots[slot].entries;
}

// Returns true if all stores of the slot's warps, and all accesses of its warp that bypass the L1,
// have their replies.
static inline bool warp_slot_is_drained(const struct core *core, uint32_t slot)
{
    return !core->slots[slot].stores && !core->slots[slot].posted && !core->slots[slot].direct &&
           !lsu_has_direct(core, slot);
}

// Returns the number of registers per thread of the slot's CTA.
static inline uint32_t warp_slot_registers(const struct core *core, uint32_t slot)
{
    const struct core_cta *place = &core->ctas[core->slots[slot].cta];
    return place->registers / (place->cta->warp_count * LANES);
}

// Returns the kernel of the slot's CTA, for core_start_warp.
static inline uint32_t warp_slot_kernel(const struct core *core, uint32_t slot)
{
    return core->ctas[core->slots[slot].cta].kernel;
}

// Entries of the load/store unit. An entry that the scheme has claimed exists until lsu_free or
// lsu_disown; its events are reported by `looked_up` and `entry_done`.

// Returns the held instruction of an entry.
static inline struct held *lsu_held(const struct core *core, uint32_t entry)
{
    return core->lsu.entries[entry].held;
}

// Returns the slot of an entry.
static inline uint32_t lsu_warp_slot(const struct core *core, uint32_t entry)
{
    return core->lsu.entries[entry].slot;
}

// Returns the instruction of an entry, for requests that the scheme sends for it.
static inline uint32_t lsu_site(const struct core *core, uint32_t entry)
{
    return core->lsu.entries[entry].site;
}

// Claims an entry; `owner` is the result of core_owner. The entry does not count as one of the
// core's until lsu_unpark.
static inline void lsu_claim(struct core *core, uint32_t entry, uint8_t owner)
{
    core->lsu.entries[entry].owner = owner;
    core->lsu.parked++;
}

// Makes the core end a claimed entry like its own ones.
static inline void lsu_disown(struct core *core, uint32_t entry)
{
    core->lsu.entries[entry].owner = 0;
}

// Makes `count` claimed entries count as the core's again.
static inline void lsu_unpark(struct core *core, uint32_t count)
{
    core->lsu.parked -= count;
}

// Returns true if all parts of the entry were sent.
static inline bool lsu_is_sent(const struct core *core, uint32_t entry)
{
    return core->lsu.entries[entry].sent == core->lsu.entries[entry].parts.n;
}

// Returns true if a store of any slot to this line has no acknowledgement. May also be true because
// of a store to another line with the same hash.
static inline bool lsu_awaits_store(const struct core *core, uint64_t line)
{
    return core->lsu_rings.store_lines[core_line(line)];
}
