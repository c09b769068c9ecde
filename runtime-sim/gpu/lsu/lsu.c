// The load/store unit handles memory instructions from issue to their last reply. Per cycle it
// sends one part of an instruction to shared memory, to the L1 or past it (lsu_send.c) and one
// request to the network, and processes replies (lsu_network.c).
//
// Accesses of a warp to one line are kept in order. The L1 does so for accesses through it. An
// access that bypasses it waits for those, and they wait for it (order.c).
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/lsu/bulk.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"
#include "support/gpu.h"
#include <assert.h>

// Called when the L1 serves a request. Stores leave the L1 in the order of these calls.
static void note_served(void *context, const struct cache_request *request, uint64_t now)
{
    struct core *core = context;
    uint32_t entry = lsu_entry_of(request->id);
    (void)now;
    if (!lsu_is_local(request->line))
        lsu_move_values(core, entry, lsu_part_of(request->id));
    if (core->sites)
        sites_l1(core, &core->lsu.entries[entry], request);
    if (request->kind != CACHE_WRITE) {
        if (core->shared->profiled)
            lsu_count_l1(core, request);
        return;
    }
    uint32_t capacity = core->kind->l1->out;
    uint32_t at = (core->lsu.stores.head + core->lsu.stores.count++) % capacity;
    core->lsu_rings.store_tags[at] = lsu_store_tag(core, &core->lsu.entries[entry]);
    core->lsu_rings.store_sites[at] = core->lsu.entries[entry].site;
}

void lsu_init(struct core *core)
{
    struct core_lsu *lsu = &core->lsu;
    const struct core_config *config = core->kind->config;
    uint32_t max = config->memory_most + lsu->entry_extra;
    assert(max <= TAGS_WAITERS);
    lsu->entry_count = max;
    lsu->held_bytes = held_bytes(core->shared->timings.program);
    lsu->queue_room = config->memory_queue + lsu->entry_extra;
    lsu->entries = ARENA_ARRAY(core->arena, struct entry, max);
    lsu->free_entries = ARENA_ARRAY(core->arena, uint32_t, max);
    lsu->freed = ARENA_ARRAY(core->arena, uint32_t, max);
    lsu->queue = ARENA_ARRAY(core->arena, uint32_t, lsu->queue_room);
    core->lsu_rings.store_tags = ARENA_ARRAY(core->arena, uint32_t, core->kind->l1->out);
    core->lsu_rings.store_sites = ARENA_ARRAY(core->arena, uint32_t, core->kind->l1->out);
    for (uint32_t i = 0; i < max; i++)
        lsu->free_entries[lsu->free_count++] = max - 1 - i;
    cache_init(&core->l1, core->arena, core->kind->l1, 1);
    cache_replies_in(&core->l1, core->kind->l1_unit);
    core->l1.inputs[0].serve = note_served;
    core->l1.inputs[0].context = core;
    lsu->l1_next = UINT64_MAX;
    tags_init(&core->tags.code, core->arena, core->kind->code);
    tags_init(&core->tags.constant, core->arena, core->kind->constant);
    tags_init(&core->tags.texture, core->arena, core->kind->texture);
    for (uint32_t i = 0; i < CORE_SCHEDULERS; i++)
        level_init(&core->tags.l0[i], core->arena, core->kind->code_l0);
    level_init(&core->tags.l15, core->arena, core->kind->read_only_l15);
    if (core->kind->read_only_l15->sets)
        core->tags.code.next = core->tags.constant.next = &core->tags.l15;
}

// An entry gets its `held` when it is first used: a short run uses few of the entries, and all of
// them are a third of the machine's memory, which the system would have to clear.
uint32_t lsu_next_entry(struct core *core)
{
    uint32_t index = core->lsu.free_entries[core->lsu.free_count - 1];
    struct entry *entry = &core->lsu.entries[index];
    if (!entry->held)
        entry->held = arena_lines(core->arena, core->lsu.held_bytes);
    return index;
}

// Reserves one entry, because an instruction of another unit may access memory.
bool lsu_can_accept(const struct core *core)
{
    return core->lsu.free_count + core->lsu.parked > 1 + core->lsu.entry_extra &&
           core->lsu.queue_count < core->kind->config->memory_queue;
}

static void count_issue(struct core_stats *s, const struct entry *entry)
{
    for (uint32_t i = 0; i < entry->parts.n; i++) {
        const struct part *part = &entry->parts.v[i];
        if (part->route == ROUTE_SHARED) {
            s->shared_accesses++;
            s->shared_cycles += part->cycles;
            s->shared_memory += (uint32_t)__builtin_popcount(part->lanes);
            continue;
        }
        bool cached = part->route == ROUTE_L1 || part->route == ROUTE_DIRECT;
        s->global_loads += cached && part->kind == MEMSYS_READ;
        s->global_stores += cached && part->kind == MEMSYS_WRITE;
        s->direct_loads += part->route == ROUTE_DIRECT && part->kind == MEMSYS_READ;
        s->atomics += part->kind == MEMSYS_ATOMIC || (part->kind == MEMSYS_REDUCE && !part->mark);
    }
}

// Returns true if the entry is a load or an atomic that accessed global or local memory.
static bool is_load(const struct entry *entry)
{
    for (uint32_t i = 0; entry->timing->write_count && i < entry->parts.n; i++)
        if (entry->parts.v[i].route == ROUTE_L1 || entry->parts.v[i].route == ROUTE_DIRECT)
            return true;
    return false;
}

static void finish(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->lsu.entries[index];
    struct warp_slot *slot = &core->slots[entry->slot];
    const struct timing *timing = entry->timing;
    uint64_t done = entry->done > now ? entry->done : now;
    for (uint32_t i = 0; i < timing->write_count; i++)
        slot->ready[timing->registers[timing->read_count + i]] = done;
    if (is_load(entry)) {
        core->stats.loads_done++;
        core->stats.load_latency_sum += done - entry->issued;
        if (core->sites)
            sites_loaded(core, entry, done - entry->issued);
    }
    lsu_free(core, now, index);
    if (slot->state == WARP_SLOT_LOAD || slot->state == WARP_SLOT_FENCE)
        core_look(core, now, entry->slot);
    core_maybe_over(core, now, entry->slot);
}

void lsu_part_done(struct core *core, uint64_t now, uint32_t index, uint32_t part)
{
    struct entry *entry = &core->lsu.entries[index];
    entry->parts.v[part].answered = true;
    if (--entry->left)
        return;
    if (!entry->owner) {
        finish(core, now, index);
        return;
    }
    const struct core_hooks *owner = &core->hooks[entry->owner - 1];
    owner->lsu->entry_done(core, owner->own, now, index);
}

static void enqueue(struct core_lsu *lsu, uint32_t index)
{
    struct entry *entry = &lsu->entries[index];
    entry->sent = 0;
    entry->left = entry->parts.n;
    lsu->first_waits = false; // its parts may be new
    if (entry->queued)
        return;
    entry->queued = true;
    lsu->queue[(lsu->queue_head + lsu->queue_count++) % lsu->queue_room] = index;
}

static void count_stores(struct core *core, uint32_t index)
{
    const struct entry *entry = &core->lsu.entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++) {
        const struct part *part = &entry->parts.v[i];
        if (part->route != ROUTE_L1 || part->kind != MEMSYS_WRITE)
            continue;
        core->slots[entry->slot].stores++;
        core->lsu_rings.store_lines[core_line(part->line)]++;
        epoch_store(core, index);
    }
}

static void start_access(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->lsu.entries[index];
    lsu_split(core, entry);
    entry->sent = 0;
    entry->left = entry->parts.n;
    entry->issued = entry->done = now;
    entry->dispatched = core->slots[entry->slot].dispatched;
    entry->owner = 0;
    entry->queued = false;
    count_issue(&core->stats, entry);
    if (core->sites)
        sites_access(core, entry);
}

void lsu_accept(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->lsu.entries[index];
    start_access(core, now, index);
    count_stores(core, index);
    if (entry->left) {
        enqueue(&core->lsu, index);
        return;
    }
    entry->left = 1;
    entry->parts.n = 0;
    finish(core, now, index);
}

void lsu_keep(struct core *core, uint64_t now, uint32_t index)
{
    start_access(core, now, index);
}

void lsu_send_lanes(struct core *core, uint64_t now, uint32_t index, uint32_t lanes)
{
    struct entry *entry = &core->lsu.entries[index];
    uint32_t all = entry->held->global;
    (void)now;
    entry->held->global = lanes;
    lsu_split(core, entry);
    entry->held->global = all;
    count_stores(core, index);
    enqueue(&core->lsu, index);
}

void lsu_free(struct core *core, uint64_t now, uint32_t index)
{
    struct warp_slot *slot = &core->slots[core->lsu.entries[index].slot];
    if (!--slot->entries)
        slot->acquires = false;
    core->lsu.freed[core->lsu.freed_count++] = index;
    epoch_free(core, now, index);
}

void lsu_tick(struct core *core, uint64_t now)
{
    // A part that found the L1 full waits for nothing else.
    bool finds_full = core->lsu.first_waits && !cache_can_put(&core->l1, 0);
    if (core->lsu.queue_count && !finds_full && lsu_first_access(core) <= now)
        lsu_send_next(core, now);
    for (uint32_t n = 1; n < core->kind->config->accesses && core->lsu.queue_count &&
                         !core->lsu.l1_full && lsu_first_access(core) <= now;
         n++)
        lsu_send_next(core, now);
    if (core->lsu.l1_next <= now)
        core->lsu.l1_next = cache_tick(&core->l1, now);
    if (core->bulk.waiting.n)
        bulk_tick(core, now);
    if (lsu_has_requests(core) || core->lsu.to_send || bulk_is_due(core, now))
        lsu_send_out(core, now);
    else
        core->lsu.refused = false;
}

uint64_t lsu_next(const struct core *core, uint64_t now)
{
    uint64_t next = core->lsu.l1_next, reply = cache_reply_next(&core->l1, 0);
    bool requests = lsu_has_requests(core) || bulk_is_due(core, now);
    if (core->lsu.to_send || (requests && !core->lsu.refused))
        return now + 1;
    // A part that waits for room in the L1 can be sent only after a tick of the L1.
    if (core->lsu.queue_count &&
        (!core->lsu.l1_full || core->lsu.refused || cache_can_put(&core->l1, 0)))
        next = lsu_first_access(core) > now + 1 ? lsu_first_access(core) : now + 1;
    next = core->lsu.l1_next < next ? core->lsu.l1_next : next;
    next = reply < next ? reply : next;
    if (core->bulk.queue.n || core->bulk.waiting.n) {
        uint64_t bulk = bulk_next(core, now);
        next = bulk < next ? bulk : next;
    }
    return next > now ? next : now + 1;
}

void core_served(struct core *core, const struct memsys_request *request)
{
    if (request->requester != REQUESTER_DIRECT || lsu_is_local(request->line) ||
        request->tag & BULK_TAG)
        return;
    core_move_values(core, &core->lsu.entries[lsu_entry_of(request->tag)],
                     lsu_part_of(request->tag));
}
