// Forms chains.
#include "runtime-sim/schemes/llc_omni/offload_groups.h"
#include "support/bits.h"
#include <string.h>

const struct stat_key offload_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/llc_omni/offload_stats.def"
#define STATS_OF struct offload_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t offload_stat_key_count = ARRAY_LENGTH(offload_stat_keys);

struct offload_queue *oq_init(struct core *core, struct offload_shared *shared)
{
    const struct offload_config *config = shared->config;
    uint32_t warps = core_port(core).config->warps;
    size_t bytes = shadow_bytes(core_port(core).timings->program, shared->slots);
    struct offload_queue *oq = ARENA_NEW(core_port(core).arena, struct offload_queue);
    *oq = (struct offload_queue){.core = core,
                                 .shared = shared,
                                 .owner = core_owner(core, &llc_omni),
                                 .scheme = shared->scheme,
                                 .count = config->queue,
                                 .forming = OQ_NONE,
                                 .fetching = OQ_NONE};
    oq->chains = ARENA_ARRAY(core_port(core).arena, struct oq_chain, warps);
    oq->entries = ARENA_ARRAY(core_port(core).arena, struct oqsr, config->queue);
    oq->free_entries = ARENA_ARRAY(core_port(core).arena, uint32_t, config->queue);
    oq->ring = ARENA_ARRAY(core_port(core).arena, uint32_t, config->queue);
    oq->turns = bits_new(core_port(core).arena, shared->llcs * shared->llcs);
    if (config->operands_in_l1)
        oq->written = ARENA_ARRAY(core_port(core).arena, uint64_t, OQ_CLASSES);
    for (uint32_t i = 0; i < config->queue; i++)
        oq->free_entries[oq->free_count++] = config->queue - 1 - i;
    for (uint32_t i = 0; i < warps; i++) {
        char *at = arena_alloc(core_port(core).arena, bytes + 64);
        oq->chains[i].shadow = (struct shadow *)(void *)(at + (-(uintptr_t)at & 63));
    }
    adaptive_init(&oq->adaptive, core_port(core).arena, shared->chains, shared->table->chains.n,
                  core_port(core).l1);
    oq->adaptive.phase = core_port(core).index * 101;
    oq->adaptive.only_measures = config->policy != OFFLOAD_ADAPTIVE;
    if (core_port(core).index < core_port(core).ordinary)
        shared->queues[core_port(core).index] = oq;
    return oq;
}

static const struct offload_chain *chain_of(const struct offload_queue *oq,
                                            const struct oq_chain *c)
{
    return &oq->shared->table->chains.v[c->number];
}

// Roles

enum oq_role oq_role(const struct offload_queue *oq, uint32_t index)
{
    static const enum oq_role roles[] = {
        [SHADOW_LOAD] = OQ_LOADS, [SHADOW_COMPUTES] = OQ_COMPUTES, [SHADOW_STORE] = OQ_STORES};
    const struct timing *timing = warp_slot_port(oq->core, index).next;
    const struct oq_chain *c = &oq->chains[index];
    const struct timing_mark *mark = timing_mark_of(timing, oq->scheme);
    if (!mark || core_keeps(oq->core, index, &llc_omni))
        return OQ_NOTHING;
    if (c->state == OQ_FORMING)
        return mark->plan == c->number && mark->place == c->place ? roles[timing->kind]
                                                                  : OQ_NOTHING;
    bool free = c->state == OQ_IDLE || c->state == OQ_STORING;
    return free && mark->place == 0 ? OQ_BEGINS : OQ_NOTHING;
}

// Returns the lanes that are active in all issued loads of the chain.
static uint32_t loaded(const struct offload_queue *oq, const struct oq_chain *c)
{
    uint32_t lanes = FULL_MASK;
    for (uint32_t i = 0; i < c->load_count; i++)
        lanes &= lsu_held(oq->core, c->load[i])->mask;
    return lanes;
}

static const struct path *path_of(const struct warp *warp)
{
    return &warp->paths.v[warp->current];
}

// Returns true if the slot's next instruction continues the chain that it forms.
static bool goes_on(const struct offload_queue *oq, uint32_t index, enum oq_role role)
{
    struct warp_slot_port slot = warp_slot_port(oq->core, index);
    const struct oq_chain *c = &oq->chains[index];
    if (c->path != slot.warp->current || c->path_mask != path_of(slot.warp)->mask)
        return false;
    if (role == OQ_NOTHING) { // part of another chain, or of no chain
        const struct timing_mark *mark = timing_mark_of(slot.next, oq->scheme);
        return !slot.next->ends_capture && (!mark || mark->plan != c->number);
    }
    return slot.mask && (role == OQ_LOADS || !(slot.mask & ~loaded(oq, c)));
}

uint64_t oq_exclusive(const struct core *core, void *own, uint32_t word)
{
    struct offload_queue *oq = own;
    uint64_t slots = 0;
    uint64_t ready = oq->free_count ? core_ready_slots(core, word) : 0;
    for (uint64_t rest = ready; rest; rest &= rest - 1) {
        uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(rest);
        slots |= oq_role(oq, index) == OQ_BEGINS ? rest & -rest : 0;
    }
    return slots;
}

// Returns true if the store of the warp's last chain has lanes left, whose values are only in the
// shadow.
static bool has_to_store(const struct offload_queue *oq, const struct oq_chain *c)
{
    return c->state == OQ_STORING && lsu_held(oq->core, c->store)->left;
}

bool oq_hold(struct core *core, void *own, uint64_t now, uint32_t index, uint32_t *reason)
{
    struct offload_queue *oq = own;
    (void)core;
    struct oq_chain *c = &oq->chains[index];
    enum oq_role role = oq_role(oq, index);
    if (c->state == OQ_FORMING && !goes_on(oq, index, role)) {
        struct offload_stats *stats = oq->shared->stats;
        oq_discard(oq, now, index, role ? &stats->discarded_lanes : &stats->discarded_broken);
    }
    *reason = OQ_STALL_CHAIN;
    bool begins = role == OQ_BEGINS && oq->shared->on;
    if (c->state == OQ_FORMED || c->state == OQ_OUT || (begins && has_to_store(oq, c)))
        return true;
    if (!begins || c->state == OQ_FORMING || oq->forming == OQ_NONE || !oq->free_count)
        return false;
    oq->wanting[index / 64] |= warp_slot_bit(index);
    *reason = OQ_STALL_FORMING;
    return true;
}

void oq_idle(struct core *core, void *own, uint64_t now, uint32_t index)
{
    struct offload_queue *oq = own;
    (void)core;
    if (oq->chains[index].state == OQ_FORMING)
        oq_discard(oq, now, index, &oq->shared->stats->discarded_broken);
}

static uint32_t find_made(const struct oq_chain *c, uint16_t reg)
{
    uint32_t i = 0;
    while (i < c->made_count && c->made[i] != reg)
        i++;
    return i;
}

bool oq_operands(const struct core *core, void *own, uint32_t index, uint64_t *ready, uint8_t *unit)
{
    struct offload_queue *oq = own;
    const struct oq_chain *c = &oq->chains[index];
    const struct timing *timing = warp_slot_port(core, index).next;
    const uint64_t *times = warp_slot_scoreboard(core, index);
    enum oq_role role = c->state == OQ_FORMING ? oq_role(oq, index) : OQ_NOTHING;
    if (!role)
        return false;
    *ready = 0;
    *unit = role == OQ_COMPUTES ? UNIT_CONTROL : timing->unit;
    for (uint32_t i = 0; i < (uint32_t)timing->read_count + timing->write_count; i++) {
        uint16_t reg = timing->registers[i];
        if (find_made(c, reg) < c->made_count)
            continue;
        *ready = times[reg] > *ready ? times[reg] : *ready;
    }
    return true;
}

// Issue

// Holds other slots that are ready to begin a chain until this one is formed.
static void hold_others(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    EACH_WARP_SLOT (other, core_port(oq->core).words, core_ready_slots(oq->core, word))
        if (other != index && oq_role(oq, other) == OQ_BEGINS)
            core_look(oq->core, now + 1, other);
}

// Counts the reason for all chains and for this one. Both have their counters in the same order.
static void count_reason(const struct offload_queue *oq, uint32_t number, uint64_t *reason)
{
    const struct offload_shared *shared = oq->shared;
    uint64_t *of_chain = &shared->chains[number].stats.discarded_hit;
    ++*reason;
    ++of_chain[reason - &shared->stats->discarded_hit];
}

// Returns the chain that the slot's next instruction begins.
static uint32_t plan_of(const struct offload_queue *oq, uint32_t index)
{
    return timing_mark_of(warp_slot_port(oq->core, index).next, oq->scheme)->plan;
}

static bool refuse(const struct offload_queue *oq, uint64_t now, uint32_t index, uint64_t *reason,
                   enum offload_event event)
{
    count_reason(oq, plan_of(oq, index), reason);
    oq->chains[index].why = reason;
    oq_report(oq, now, event, index);
    return false;
}

// Returns whether an instance is timed: times matter only if no port limits the program.
static enum adaptive_turn turn_of(struct offload_queue *oq, uint32_t number)
{
    const struct prices *prices = oq->shared->prices;
    return prices && !prices_limit(prices) ? adaptive_turn(&oq->adaptive, number)
                                           : ADAPTIVE_UNTIMED;
}

static bool begin_chain(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    const struct offload_shared *shared = oq->shared;
    struct oq_chain *c = &oq->chains[index];
    struct warp_slot_port slot = warp_slot_port(oq->core, index);
    uint32_t number = plan_of(oq, index);
    if (!slot.mask || !shared->on)
        return false;
    const struct offload_chain *chain = &shared->table->chains.v[number];
    shared->stats->chains_tagged++;
    shared->chains[number].stats.tagged++;
    shared->stats->tagged_instructions += chain->count;
    shared->stats->tagged_accesses += chain->loads + chain->stores;
    bool probes = false;
    enum adaptive_turn turn = turn_of(oq, number);
    if (!adaptive_begins(&oq->adaptive, number, &probes) && !turn)
        return refuse(oq, now, index, &shared->stats->discarded_off, OFFLOAD_REFUSED);
    if (!shared->templates[number].sound)
        return refuse(oq, now, index, &shared->stats->discarded_unit, OFFLOAD_REFUSED);
    if (!oq->free_count)
        return refuse(oq, now, index, &shared->stats->discarded_full, OFFLOAD_FULL);
    struct shadow *shadow = c->shadow;
    if (c->state == OQ_STORING)
        lsu_disown(oq->core, c->store);
    *c = (struct oq_chain){.state = OQ_FORMING,
                           .number = number,
                           .shadow = shadow,
                           .store = OQ_NONE,
                           .path = slot.warp->current,
                           .path_mask = path_of(slot.warp)->mask,
                           .probes =
                               probes || (turn == ADAPTIVE_AWAY && shared->chains[number].slow),
                           .turn = (uint8_t)turn,
                           .begun = now};
    oq_count(oq, now);
    c->entry = oq->free_entries[--oq->free_count];
    oq->entries[c->entry] = (struct oqsr){.used = true, .slot = (uint8_t)index};
    oq->forming = index;
    oq_report(oq, now, OFFLOAD_BEGINS, index);
    hold_others(oq, now, index);
    return true;
}

// Notes that accesses of other cores may now precede those of this one: at the first instruction
// after an acquire that waits for it, since the acquire is complete then.
static void note_order(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    const struct timing *timing = warp_slot_port(oq->core, index).next;
    uint64_t *word = &oq->acquired[index / 64], bit = warp_slot_bit(index);
    bool waits = timing->unit == UNIT_MEMORY || timing->orders || timing->shared || timing->waits;
    if (*word & bit && waits) {
        oq->ordered = now;
        *word &= ~bit;
    }
    if (bits_test(oq->shared->acquires, (uint32_t)(timing - core_port(oq->core).timings->list)))
        *word |= bit;
}

enum issue_as oq_issue_as(struct core *core, void *own, uint64_t now, uint32_t index)
{
    struct offload_queue *oq = own;
    (void)core;
    if (oq->written)
        note_order(oq, now, index);
    enum oq_role role = oq_role(oq, index);
    if (role == OQ_BEGINS && !begin_chain(oq, now, index))
        role = OQ_NOTHING;
    oq->role = (uint8_t)role;
    return role >= OQ_COMPUTES ? ISSUE_AS_CAPTURED : role ? ISSUE_AS_FOLLOWED : ISSUE_AS_NORMAL;
}

// Stores the scalar of the packet if this instruction reads it.
static void store_scalar(struct offload_queue *oq, struct oq_chain *c,
                         const struct warp_slot_port *slot)
{
    const struct packet_scalar *scalar = &oq->shared->templates[c->number].scalar;
    uint32_t mask, first = (uint32_t)__builtin_ctz(slot->mask);
    if (scalar->inst != slot->next->inst)
        return;
    const struct code *code = issue_next(slot->warp, &mask);
    while (!code->counted)
        code++;
    const union lanes *value = warp_register_lanes(slot->warp, code->s[scalar->use]);
    if (scalar->predicate) {
        uint32_t set = value->mask & slot->mask;
        c->scalar = set != 0;
        c->differs |= set && set != slot->mask;
        return;
    }
    c->scalar = packet_scalar_value(scalar, value, first);
    for (uint32_t rest = slot->mask; rest; rest &= rest - 1)
        c->differs |=
            packet_scalar_value(scalar, value, (uint32_t)__builtin_ctz(rest)) != c->scalar;
}

static void capture_loads(struct offload_queue *oq, struct oq_chain *c, struct warp *warp)
{
    const struct offload_shared *shared = oq->shared;
    if (!c->captured)
        shadow_begin(c->shadow, warp, shared->slots);
    for (uint32_t i = c->taken; i < c->load_count; i++)
        shadow_capture_load(c->shadow, lsu_held(oq->core, c->load[i]));
    c->taken = (uint8_t)c->load_count;
    c->captured = true;
}

enum issue_result oq_execute(struct core *core, void *own, uint32_t index, struct held *held)
{
    struct offload_queue *oq = own;
    struct warp_slot_port slot = warp_slot_port(core, index);
    struct oq_chain *c = &oq->chains[index];
    capture_loads(oq, c, slot.warp);
    store_scalar(oq, c, &slot);
    c->mask = slot.mask;
    return oq->role == OQ_COMPUTES ? issue_capture(slot.warp, c->shadow)
                                   : issue_capture_store(slot.warp, c->shadow, held);
}

// Makes registers of the chain that this instruction reads ready: other instructions may write them
// without waiting for the chain.
static void use_up(uint64_t now, struct oq_chain *c, uint64_t *ready, const struct timing *timing)
{
    for (uint32_t i = 0; i < timing->read_count; i++) {
        uint32_t at = find_made(c, timing->registers[i]);
        if (at == c->made_count)
            continue;
        if (c->made_by[at] < PACKET_LOADS)
            c->consumed |= (uint8_t)(1u << c->made_by[at]);
        ready[c->made[at]] = now;
        c->made_count--;
        c->made[at] = c->made[c->made_count];
        c->made_by[at] = c->made_by[c->made_count];
    }
}

static void make(struct oq_chain *c, uint64_t *ready, const struct timing *timing, uint32_t by)
{
    for (uint32_t i = 0; i < timing->write_count; i++) {
        uint16_t reg = timing->registers[timing->read_count + i];
        ready[reg] = UINT64_MAX;
        if (find_made(c, reg) < c->made_count || c->made_count == OQ_MADE)
            continue;
        c->made[c->made_count] = reg;
        c->made_by[c->made_count++] = (uint8_t)by;
    }
}

static void leave_forming(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    if (oq->forming != index)
        return;
    oq->forming = OQ_NONE;
    uint64_t wanting[CORE_WORDS];
    memcpy(wanting, oq->wanting, sizeof wanting);
    memset(oq->wanting, 0, sizeof oq->wanting);
    EACH_WARP_SLOT (slot, core_port(oq->core).words, wanting[word])
        core_look(oq->core, now, slot);
}

// Returns true for an ordinary load or store whose lines are all in global memory.
static bool is_plain(const struct offload_queue *oq, uint32_t entry)
{
    const struct held *held = lsu_held(oq->core, entry);
    return lsu_is_global(oq->core, entry) && !held->shared && !held->local && held->order == W_weak;
}

// Returns how lines of a chain's load are looked up in the L1.
static enum part_route route_of(const struct offload_queue *oq, const struct oq_chain *c)
{
    const struct offload_config *config = oq->shared->config;
    bool looks = config->lookups == OFFLOAD_LOOK_ALL || c->load_count == 1;
    return !looks                                         ? ROUTE_PASS
           : config->pending_miss == OFFLOAD_PENDING_HITS ? ROUTE_LOOKUP
                                                          : ROUTE_LOOKUP_THERE;
}

static void add_load(struct offload_queue *oq, uint64_t now, uint32_t index, uint32_t entry)
{
    struct oq_chain *c = &oq->chains[index];
    bool good = is_plain(oq, entry);
    c->load[c->load_count++] = entry;
    c->looking++;
    lsu_claim(oq->core, entry, oq->owner);
    c->parked++;
    c->bypasses |= (uint8_t)(lsu_passes_l1(oq->core, entry) << (c->load_count - 1));
    if (good)
        lsu_look_up(oq->core, entry, route_of(oq, c));
    else // other slots are evaluated in the next cycle
        oq_discard(oq, now + 1, index, &oq->shared->stats->discarded_unit);
}

void oq_issued(struct core *core, void *own, uint64_t now, uint32_t index,
               const struct timing *timing, uint32_t entry)
{
    struct offload_queue *oq = own;
    enum oq_role role = (enum oq_role)oq->role;
    struct oq_chain *c = &oq->chains[index];
    uint64_t *ready = warp_slot_scoreboard(core, index);
    oq->shared->stats->queue_write++;
    c->ints += timing->unit == UNIT_ALU && !timing->is_float;
    c->floats += timing->unit == UNIT_ALU && timing->is_float;
    if (role >= OQ_COMPUTES) {
        use_up(now, c, ready, timing);
        oq_report(oq, now, OFFLOAD_CAPTURED, index);
    }
    make(c, ready, timing, role >= OQ_COMPUTES ? PACKET_LOADS : c->load_count);
    c->place++;
    if (role == OQ_STORES) {
        c->store = entry;
        lsu_claim(core, entry, oq->owner);
        c->parked++;
        if (!is_plain(oq, entry))
            c->differs = true;
    }
    if (role <= OQ_LOADS)
        add_load(oq, now, index, entry);
    if (c->state != OQ_FORMING || c->place < chain_of(oq, c)->count)
        return;
    c->state = OQ_FORMED;
    oq_report(oq, now, OFFLOAD_FORMED, index);
    leave_forming(oq, now + 1, index);
    if (!c->looking)
        oq_form(oq, now + 1, index);
}

// Fetch priority, from the first instruction of a chain to the last

// A slot that forms a chain comes first, then the slot whose chain is being fetched.
uint32_t oq_fetch_first(const struct core *core, void *own, uint32_t slot)
{
    struct offload_queue *oq = own;
    const uint32_t first[] = {oq->forming, oq->fetching};
    for (uint32_t i = 0; i < 2; i++)
        if (first[i] != OQ_NONE && warp_slot_needs_fetch(core, first[i]))
            return first[i];
    return slot;
}

void oq_fetched(struct core *core, void *own, uint32_t slot, uint32_t first, uint32_t count)
{
    struct offload_queue *oq = own;
    const struct timings *timings = core_port(core).timings;
    bool member = false;
    for (uint32_t i = first; i < first + count && i < timings->count; i++) {
        const struct timing *timing = &timings->list[i];
        const struct timing_mark *mark = timing_mark_of(timing, oq->scheme);
        if (!mark)
            continue;
        uint32_t last = oq->shared->table->chains.v[mark->plan].count - 1U;
        if (adaptive_is_off(&oq->adaptive, mark->plan))
            continue;
        if (mark->place == 0 && oq->fetching == OQ_NONE)
            oq->fetching = slot;
        member = mark->place < last;
    }
    if (oq->fetching == slot && !member)
        oq->fetching = OQ_NONE;
}

// Lookups

void oq_looked_up(struct core *core, void *own, uint64_t now, uint32_t entry, bool hit, bool last)
{
    struct offload_queue *oq = own;
    uint32_t index = lsu_warp_slot(core, entry);
    struct oq_chain *c = &oq->chains[index];
    struct offload_stats *stats = oq->shared->stats;
    stats->lookups++;
    stats->lookup_hits += hit;
    oq_report(oq, now, hit ? OFFLOAD_HIT : OFFLOAD_MISS, index);
    if (hit) {
        oq_note_discard(oq, c, NULL);
        oq_discard(oq, now, index, &stats->discarded_hit);
        core_look(core, now, index); // its next instruction may belong to the chain
        return;
    }
    c->looking -= last;
    if (c->state == OQ_FORMED && !c->looking)
        oq_form(oq, now, index);
}

// Ordinary loads

// Sends a load as an ordinary one. If all its lines were looked up and missed, they need not enter
// the L1 (offload.flushed_loads).
static void send_flushed(struct offload_queue *oq, uint64_t now, uint32_t entry, uint32_t lanes)
{
    bool direct =
        oq->shared->config->flushed_loads == OFFLOAD_FLUSHED_DIRECT && lsu_is_sent(oq->core, entry);
    lsu_send_lanes(oq->core, now, entry, lanes);
    if (direct)
        lsu_pass_l1(oq->core, entry);
}

void oq_send_plain(struct offload_queue *oq, uint64_t now, uint32_t index, uint32_t lanes)
{
    struct oq_chain *c = &oq->chains[index];
    c->plain = lanes;
    for (uint32_t i = 0; i < c->load_count; i++) {
        if (!(c->consumed >> i & 1) || c->given >> i & 1)
            continue;
        send_flushed(oq, now, c->load[i], lanes & lsu_held(oq->core, c->load[i])->mask);
        c->loading++;
    }
}

// Turns loads that no captured operation reads into ordinary loads.
static void give_loads(struct offload_queue *oq, uint64_t now, struct oq_chain *c)
{
    for (uint32_t i = 0; i < c->load_count; i++) {
        struct held *held = lsu_held(oq->core, c->load[i]);
        if (c->consumed >> i & 1)
            continue;
        if (i < c->taken && !shadow_give_load(c->shadow, held)) {
            c->consumed |= (uint8_t)(1u << i);
            continue;
        }
        lsu_disown(oq->core, c->load[i]);
        c->given |= (uint8_t)(1u << i);
        send_flushed(oq, now, c->load[i], held->mask);
    }
}

// Forgets the registers of loads that left the chain; they become ready with the loads' replies.
static void forget_made(struct oq_chain *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->made_count; i++)
        if (c->made_by[i] == PACKET_LOADS || c->consumed >> c->made_by[i] & 1) {
            c->made[kept] = c->made[i];
            c->made_by[kept++] = c->made_by[i];
        }
    c->made_count = kept;
}

void oq_discard(struct offload_queue *oq, uint64_t now, uint32_t index, uint64_t *reason)
{
    struct oq_chain *c = &oq->chains[index];
    uint32_t lanes = c->state == OQ_FORMED ? c->mask : FULL_MASK;
    count_reason(oq, c->number, reason);
    c->why = reason;
    oq_report(oq, now, OFFLOAD_DISCARDED, index);
    oq->shared->stats->chain_lanes +=
        (uint32_t)__builtin_popcount(lsu_held(oq->core, c->load[0])->mask);
    oq_free(oq, now, c->entry);
    lsu_unpark(oq->core, c->parked);
    c->parked = 0;
    give_loads(oq, now, c);
    forget_made(c);
    c->state = c->captured ? OQ_OUT : OQ_IDLE;
    leave_forming(oq, now, index);
    if (c->captured)
        oq_send_plain(oq, now, index, lanes);
}

// Order

// Returns the class of a line in `written`, by a hash.
static uint32_t class_of(uint64_t line)
{
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) % OQ_CLASSES;
}

void oq_written(struct core *core, void *own, uint64_t now, uint64_t line)
{
    struct offload_queue *oq = own;
    (void)core;
    if (oq->written)
        oq->written[class_of(line)] = now;
}

uint64_t oq_fresh(const struct offload_queue *oq, uint64_t line)
{
    uint64_t fresh = oq->written[class_of(line)];
    fresh = oq->ordered > fresh ? oq->ordered : fresh;
    return oq->shared->launched > fresh ? oq->shared->launched : fresh;
}

static bool loads_from(const struct offload_queue *oq, const struct oq_chain *c, uint64_t line)
{
    for (uint32_t i = 0; i < c->load_count; i++)
        if (lsu_has_line(oq->core, c->load[i], line))
            return true;
    return false;
}

void oq_accessed(struct core *core, void *own, uint64_t now, uint32_t index,
                 const struct held *held)
{
    struct offload_queue *oq = own;
    (void)core;
    const struct oq_chain *c = &oq->chains[index];
    bool meets = false;
    if (c->state != OQ_FORMING || held->kind == HELD_LOAD || held->served)
        return;
    for (uint32_t rest = held->global; rest && !meets; rest &= rest - 1) {
        uint64_t at = held->address[__builtin_ctz(rest)];
        meets = loads_from(oq, c, at / LINE_BYTES) ||
                loads_from(oq, c, (at + held->bytes - 1) / LINE_BYTES);
    }
    if (meets)
        oq_discard(oq, now + 1, index, &oq->shared->stats->discarded_conflict);
}
