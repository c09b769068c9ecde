// The load/store unit: it sends one part of a memory instruction in a cycle to shared memory, to
// the L1 or past it, sends requests to the network and takes replies.
//
// Accesses of a warp to one line keep their order: the L1 keeps it for accesses through it; an
// access past it waits for those, and they for it (order.c).
#include "runtime-sim/exec/warp/held.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/gpu/scheme.h"
#include "support/gpu.h"
#include <assert.h>

enum { PART_BITS = 16 };

static uint32_t part_tag(uint32_t entry, uint32_t part)
{
    return entry << PART_BITS | part;
}

// Profiles

static struct profile_memory *profile_of(const struct entry *entry)
{
    struct profile *profile = entry->held->warp->profile;
    const struct timing *timing = entry->timing;
    return profile ? profile_memory(profile, timing->function, timing->inst) : NULL;
}

static void count_cache(struct profile_cache *cache, uint8_t from)
{
    cache->accesses++;
    cache->hits += from == CACHE_HIT;
    cache->merged += from == CACHE_MERGED;
}

// Counts the reply to a load or an atomic, of any requester of the core. The entry waits for it.
static void count_llc(const struct core *core, const struct memsys_request *answer)
{
    if (answer->client == CLIENT_CODE || answer->client >= CLIENTS_OF_CORE ||
        answer->kind == MEMSYS_WRITE || answer->tag == (uint32_t)CACHE_NOBODY)
        return;
    struct profile_memory *memory = profile_of(&core->entries[answer->tag >> PART_BITS]);
    if (memory)
        count_cache(&memory->llc, answer->from);
}

static void count_l1(const struct core *core, const struct cache_request *request)
{
    struct profile_memory *memory = profile_of(&core->entries[request->id >> PART_BITS]);
    if (memory)
        count_cache(&memory->l1, request->from);
}

// Values

static void move_values(struct core *core, uint32_t entry, uint32_t part)
{
    struct core_effect effect = {entry, part};
    vec_push(core->arena, &core->effects, effect);
}

// The L1 serves a request. Stores leave it in this order.
static void served_by_l1(void *context, const struct cache_request *request, uint64_t now)
{
    struct core *core = context;
    uint32_t entry = (uint32_t)(request->id >> PART_BITS);
    (void)now;
    move_values(core, entry, (uint32_t)request->id & ((1u << PART_BITS) - 1));
    if (request->kind != CACHE_WRITE) {
        if (core->shared->profiled)
            count_l1(core, request);
        return;
    }
    uint32_t capacity = (uint32_t)core->kind->l1->out;
    uint32_t at = (core->store_head + core->store_count++) % capacity;
    core->store_tags[at] = core->entries[entry].slot << 1 | core->entries[entry].epoch;
}

void lsu_init(struct core *core)
{
    const struct core_config *config = core->kind->config;
    uint32_t most = (uint32_t)config->memory_most + core->entry_extra;
    assert(most <= TAGS_WAITERS);
    core->entry_count = most;
    core->queue_room = (uint32_t)config->memory_queue + core->entry_extra;
    size_t bytes = held_bytes(core->shared->timings.program);
    core->entries = ARENA_ARRAY(core->arena, struct entry, most);
    core->free_entries = ARENA_ARRAY(core->arena, uint32_t, most);
    core->freed = ARENA_ARRAY(core->arena, uint32_t, most);
    core->queue = ARENA_ARRAY(core->arena, uint32_t, core->queue_room);
    core->store_tags = ARENA_ARRAY(core->arena, uint32_t, core->kind->l1->out);
    for (uint32_t i = 0; i < most; i++) {
        char *at = arena_alloc(core->arena, bytes + 64);
        core->entries[i].held = (struct held *)(void *)(at + (-(uintptr_t)at & 63));
        core->free_entries[core->free_count++] = most - 1 - i;
    }
    cache_init(&core->l1, core->arena, core->kind->l1, 1);
    cache_answers_in(&core->l1, core->kind->l1_unit);
    core->l1.inputs[0].serve = served_by_l1;
    core->l1.inputs[0].context = core;
    core->l1_next = UINT64_MAX;
    tags_init(&core->code, core->arena, core->kind->code);
    tags_init(&core->constant, core->arena, core->kind->constant);
    tags_init(&core->texture, core->arena, core->kind->texture);
}

// Keeps one entry free: an instruction of another unit may turn out to access memory.
bool lsu_can_take(const struct core *core)
{
    return core->free_count + core->parked > 1 + core->entry_extra &&
           core->queue_count < core->kind->config->memory_queue;
}

static void count_issue(struct core *core, const struct entry *entry)
{
    struct core_stats *s = &core->stats;
    s->memory_instructions++;
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
        s->atomics += part->kind == MEMSYS_ATOMIC || part->kind == MEMSYS_REDUCE;
    }
}

// Returns true for a load or atomic that has accessed global or local memory with some lanes.
static bool is_load(const struct entry *entry)
{
    for (uint32_t i = 0; entry->timing->write_count && i < entry->parts.n; i++)
        if (entry->parts.v[i].route == ROUTE_L1 || entry->parts.v[i].route == ROUTE_DIRECT)
            return true;
    return false;
}

static void finish(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->entries[index];
    struct slot *slot = &core->slots[entry->slot];
    const struct timing *timing = entry->timing;
    uint64_t done = entry->done > now ? entry->done : now;
    for (uint32_t i = 0; i < timing->write_count; i++)
        slot->ready[timing->registers[timing->read_count + i]] = done;
    if (is_load(entry)) {
        core->stats.loads_done++;
        core->stats.load_latency_sum += done - entry->issued;
    }
    lsu_free(core, now, index);
    if (slot->state == SLOT_LOAD || slot->state == SLOT_FENCE)
        core_look(core, now, entry->slot);
    core_maybe_over(core, now, entry->slot);
}

static void part_done(struct core *core, uint64_t now, uint32_t index, uint32_t part)
{
    struct entry *entry = &core->entries[index];
    entry->parts.v[part].answered = true;
    if (--entry->left)
        return;
    if (entry->owner)
        core->watchers[entry->owner - 1].ops->entry_done(core, now, index);
    else
        finish(core, now, index);
}

static void enqueue(struct core *core, uint32_t index)
{
    struct entry *entry = &core->entries[index];
    entry->sent = 0;
    entry->left = entry->parts.n;
    if (entry->queued)
        return;
    entry->queued = true;
    core->queue[(core->queue_head + core->queue_count++) % core->queue_room] = index;
}

static void count_stores(struct core *core, uint32_t index)
{
    const struct entry *entry = &core->entries[index];
    for (uint32_t i = 0; i < entry->parts.n; i++) {
        const struct part *part = &entry->parts.v[i];
        if (part->route != ROUTE_L1 || part->kind != MEMSYS_WRITE)
            continue;
        core->slots[entry->slot].stores++;
        core->store_lines[core_line(part->line)]++;
        epoch_store(core, index);
    }
}

static void take(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->entries[index];
    lsu_split(core, entry);
    entry->sent = 0;
    entry->left = entry->parts.n;
    entry->issued = entry->done = now;
    entry->owner = 0;
    entry->queued = false;
    count_issue(core, entry);
}

void lsu_take(struct core *core, uint64_t now, uint32_t index)
{
    struct entry *entry = &core->entries[index];
    take(core, now, index);
    count_stores(core, index);
    if (entry->left) {
        enqueue(core, index);
        return;
    }
    entry->left = 1;
    entry->parts.n = 0;
    finish(core, now, index);
}

void lsu_keep(struct core *core, uint64_t now, uint32_t index)
{
    take(core, now, index);
}

void lsu_send_lanes(struct core *core, uint64_t now, uint32_t index, uint32_t lanes)
{
    struct entry *entry = &core->entries[index];
    uint32_t all = entry->held->global;
    (void)now;
    entry->held->global = lanes;
    lsu_split(core, entry);
    entry->held->global = all;
    count_stores(core, index);
    enqueue(core, index);
}

void lsu_free(struct core *core, uint64_t now, uint32_t index)
{
    struct slot *slot = &core->slots[core->entries[index].slot];
    if (!--slot->entries)
        slot->acquires = false;
    core->freed[core->freed_count++] = index;
    epoch_free(core, now, index);
}

// Parts

static bool send_shared(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    struct entry *entry = &core->entries[index];
    const struct core_config *config = core->kind->config;
    // The latency counts from the issue, if nothing was in front.
    uint64_t done = now - config->access_delay + config->shared_latency + part->cycles - 1;
    core->banks_free = now + part->cycles;
    entry->done = done > entry->done ? done : entry->done;
    move_values(core, index, (uint32_t)(part - entry->parts.v));
    part_done(core, now, index, (uint32_t)(part - entry->parts.v));
    return true;
}

static struct mask wanted_bytes(const struct core *core, struct mask touched)
{
    uint32_t size = (uint32_t)core->kind->l1->sector_bytes;
    struct mask all = {{0}};
    for (uint32_t at = 0; at < LINE_BYTES; at += size) {
        struct mask sector = mask_range(at, at + size);
        if (mask_meet(sector, touched))
            all = mask_or(all, sector);
    }
    return all;
}

static bool send_cached(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    bool write = part->kind == MEMSYS_WRITE;
    struct entry *entry = &core->entries[index];
    core->l1_full = !cache_can_put(&core->l1, 0);
    if (core->l1_full)
        return false;
    struct cache_request request = {.id = part_tag(index, (uint32_t)(part - entry->parts.v)),
                                    .line = part->line,
                                    .bytes = write ? part->bytes : wanted_bytes(core, part->bytes),
                                    .kind = write ? CACHE_WRITE : CACHE_READ,
                                    .keep = part->keep,
                                    .keep_next = part->keep_next};
    cache_put(&core->l1, now, &request);
    if (!write)
        EACH_WATCHER (ops, core, l1_load)
            ops->l1_load(core, part->line);
    core->l1_next = now;
    core->slots[entry->slot].cached++;
    return true;
}

static bool send_direct(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    struct entry *entry = &core->entries[index];
    (void)now;
    if (core->direct_count == CORE_DIRECT)
        return false;
    uint32_t at = (core->direct_head + core->direct_count++) % CORE_DIRECT;
    uint16_t data = (uint16_t)mask_count(part->bytes);
    bool atomic = part->kind != MEMSYS_READ;
    core->direct[at] =
        (struct memsys_request){.line = part->line,
                                .bytes = atomic ? part->bytes : wanted_bytes(core, part->bytes),
                                .core = core->endpoint,
                                .tag = part_tag(index, (uint32_t)(part - entry->parts.v)),
                                .carries = atomic ? data : 0,
                                .returns = part->kind == MEMSYS_ATOMIC ? data : 0,
                                .kind = part->kind,
                                .keep = part->keep_next,
                                .client = CLIENT_DIRECT};
    if (atomic)
        cache_drop(&core->l1, part->line);
    core->slots[entry->slot].direct++;
    core->slots[entry->slot].atomics += atomic;
    return true;
}

static void ask_for(struct core *core, uint64_t line, uint32_t tag, enum client client)
{
    uint32_t at = (core->missed_head + core->missed_count++) % CORE_MISSED;
    core->missed[at] = (struct memsys_request){.line = line,
                                               .bytes = mask_range(0, LINE_BYTES),
                                               .core = core->endpoint,
                                               .tag = tag,
                                               .kind = MEMSYS_READ,
                                               .client = (uint8_t)client};
}

// Constants and textures.
static bool send_tags(struct core *core, uint64_t now, uint32_t index, struct part *part,
                      struct tag_cache *tags, enum client client)
{
    struct entry *entry = &core->entries[index];
    if (core->missed_count == CORE_MISSED)
        return false;
    enum tags_result result = tag_cache_read(tags, part->line, index);
    if (result == TAGS_FULL)
        return false;
    uint64_t done = now + tags->config->latency + part->cycles - 1;
    core->banks_free = now + part->cycles;
    entry->done = done > entry->done ? done : entry->done;
    move_values(core, index, (uint32_t)(part - entry->parts.v));
    if (result == TAGS_MISS)
        ask_for(core, part->line, part_tag(index, (uint32_t)(part - entry->parts.v)), client);
    if (result == TAGS_HIT)
        part_done(core, now, index, (uint32_t)(part - entry->parts.v));
    return true;
}

static bool send_part(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    bool ordered = part->route == ROUTE_L1 || part->route == ROUTE_DIRECT;
    if (ordered && lsu_is_behind(core, index, part)) {
        core->stats.order_waits++;
        return false;
    }
    switch (part->route) {
    case ROUTE_SHARED: return send_shared(core, now, index, part);
    case ROUTE_L1: return send_cached(core, now, index, part);
    case ROUTE_DIRECT: return send_direct(core, now, index, part);
    case ROUTE_CONSTANT: return send_tags(core, now, index, part, &core->constant, CLIENT_CONSTANT);
    case ROUTE_LOOKUP:
    case ROUTE_LOOKUP_THERE:
    case ROUTE_PASS: return true;
    default: return send_tags(core, now, index, part, &core->texture, CLIENT_TEXTURE);
    }
}

// The next part belongs to a load that a scheme holds back: it is not sent.
static bool next_looks(const struct entry *entry)
{
    return entry->parts.v[entry->sent].route >= ROUTE_LOOKUP;
}

static bool next_hits(const struct core *core, const struct entry *entry)
{
    const struct part *part = &entry->parts.v[entry->sent];
    return part->route == ROUTE_LOOKUP
               ? cache_has(&core->l1, part->line)
               : part->route == ROUTE_LOOKUP_THERE && cache_holds(&core->l1, part->line);
}

// The first cycle in which the oldest entry of the queue may have an access.
static uint64_t first_access(const struct core *core)
{
    uint64_t issued = core->entries[core->queue[core->queue_head]].issued;
    uint64_t first = issued + core->kind->config->access_delay;
    return first > core->banks_free ? first : core->banks_free;
}

static void send_next(struct core *core, uint64_t now)
{
    if (!core->queue_count || first_access(core) > now)
        return;
    uint32_t index = core->queue[core->queue_head];
    struct entry *entry = &core->entries[index];
    // A look-up that finds its line goes on with it as any other load.
    if (next_hits(core, entry))
        core->watchers[entry->owner - 1].ops->looked_up(core, now, index, true, false);
    bool looks = next_looks(entry), last = entry->sent + 1 == entry->parts.n;
    uint32_t part = entry->sent++; // it may be over with its last part
    core->l1_full = false;
    entry->queued = !last;
    if (!send_part(core, now, index, &entry->parts.v[part])) {
        entry->sent--;
        entry->queued = true;
        return;
    }
    if (last) {
        core->queue_head = (core->queue_head + 1) % core->queue_room;
        core->queue_count--;
    }
    if (looks)
        core->watchers[entry->owner - 1].ops->looked_up(core, now, index, false, last);
}

// To the network: one request in a cycle, of the L1, past it, or of the other caches.

static bool send_l1_out(struct core *core, uint64_t now)
{
    const struct cache_out *out = cache_out_peek(&core->l1);
    if (!out)
        return false;
    struct memsys_request request = {.line = out->line,
                                     .bytes = out->bytes,
                                     .core = core->endpoint,
                                     .tag = out->write ? core->store_tags[core->store_head]
                                                       : (uint32_t)out->id,
                                     .kind = out->write ? MEMSYS_WRITE : MEMSYS_READ,
                                     .keep = out->keep,
                                     .client = CLIENT_L1,
                                     .since = out->since};
    if (!memsys_can_send(core->shared->memsys, &request))
        return false;
    memsys_send(core->shared->memsys, &request);
    if (out->write) {
        core->store_head = (core->store_head + 1) % (uint32_t)core->kind->l1->out;
        core->store_count--;
    }
    cache_out_pop(&core->l1, now);
    core->l1_next = now; // what waited for this room
    return true;
}

static bool send_from(struct core *core, struct memsys_request *ring, uint32_t size, uint32_t *head,
                      uint32_t *count)
{
    if (!*count || !memsys_can_send(core->shared->memsys, &ring[*head]))
        return false;
    memsys_send(core->shared->memsys, &ring[*head]);
    *head = (*head + 1) % size;
    --*count;
    return true;
}

static bool send_of_schemes(struct core *core, uint64_t now)
{
    EACH_WATCHER (ops, core, send)
        if (ops->send(core, now))
            return true;
    return false;
}

// A core that is refused is woken when there is room.
static void send_out(struct core *core, uint64_t now)
{
    enum { SOURCES = 4 };
    core->refused = core->direct_count || core->missed_count || cache_out_peek(&core->l1);
    for (uint32_t i = 0; i < SOURCES; i++) {
        uint32_t source = (core->send_turn + i) % SOURCES;
        bool sent = source == 0   ? send_l1_out(core, now)
                    : source == 1 ? send_from(core, core->direct, CORE_DIRECT, &core->direct_head,
                                              &core->direct_count)
                    : source == 2 ? core->to_send && send_of_schemes(core, now)
                                  : send_from(core, core->missed, CORE_MISSED, &core->missed_head,
                                              &core->missed_count);
        if (!sent)
            continue;
        core->send_turn = (source + 1) % SOURCES;
        core->refused = false;
        return;
    }
}

// From the network

static void take_tags(struct core *core, uint64_t now, uint64_t line, struct tag_cache *tags,
                      enum part_route route)
{
    struct tags_waiters waiters = tags_fill(tags, line);
    for (uint32_t w = 0; w < TAGS_WORDS; w++)
        for (uint64_t rest = waiters.w[w]; rest; rest &= rest - 1) {
            uint32_t index = w * 64 + (uint32_t)__builtin_ctzll(rest), part = 0;
            const struct entry *entry = &core->entries[index];
            while (entry->parts.v[part].route != route || entry->parts.v[part].line != line)
                part++;
            part_done(core, now, index, part);
        }
}

static void store_done(struct core *core, uint64_t now, uint32_t tag, uint64_t line)
{
    uint32_t index = tag >> 1;
    struct slot *slot = &core->slots[index];
    slot->stores--;
    core->store_lines[core_line(line)]--;
    epoch_stored(core, now, index, tag & 1);
    if (slot->state == SLOT_FENCE)
        core_look(core, now, index);
    core_maybe_over(core, now, index);
}

static void direct_done(struct core *core, uint64_t now, uint32_t tag)
{
    uint32_t index = tag >> PART_BITS;
    struct slot *slot = &core->slots[core->entries[index].slot];
    uint32_t part = tag & ((1u << PART_BITS) - 1);
    slot->direct--;
    slot->atomics -= core->entries[index].parts.v[part].kind != MEMSYS_READ;
    part_done(core, now, index, part);
    if (slot->warp && slot->state == SLOT_FENCE)
        core_look(core, now, (uint32_t)(slot - core->slots));
}

static void take_answer(struct core *core, uint64_t now, const struct memsys_request *answer)
{
    if (core->shared->profiled)
        count_llc(core, answer);
    switch (answer->client) {
    case CLIENT_L1:
        if (answer->kind == MEMSYS_WRITE) {
            store_done(core, now, answer->tag, answer->line);
        } else {
            cache_fill(&core->l1, now, answer->line, answer->bytes);
            core->l1_next = now;
        }
        break;
    case CLIENT_DIRECT: direct_done(core, now, answer->tag); break;
    case CLIENT_CODE: core_fetched(core, now, answer->line); break;
    case CLIENT_CONSTANT:
        take_tags(core, now, answer->line, &core->constant, ROUTE_CONSTANT);
        break;
    case CLIENT_TEXTURE: take_tags(core, now, answer->line, &core->texture, ROUTE_TEXTURE); break;
    default:
        core->watchers[core->shared->watcher_of[answer->client] - 1].ops->answer(core, now, answer);
    }
}

// Entries that were freed in the last cycle were in use up to its end.
static void reuse_entries(struct core *core)
{
    while (core->freed_count)
        core->free_entries[core->free_count++] = core->freed[--core->freed_count];
}

void lsu_receive(struct core *core, uint64_t now)
{
    reuse_entries(core);
    const struct memsys_request *answer = memsys_peek(core->shared->memsys, core->endpoint);
    if (answer) {
        struct memsys_request copy = *answer;
        memsys_pop(core->shared->memsys, core->endpoint);
        take_answer(core, now, &copy);
    }
    for (const struct cache_answer *a; (a = cache_answer_peek(&core->l1, 0, now));) {
        uint32_t index = (uint32_t)(a->id >> PART_BITS);
        uint32_t part = (uint32_t)a->id & ((1u << PART_BITS) - 1);
        cache_answer_pop(&core->l1, 0, now);
        core->l1_next = core->l1.next < core->l1_next ? core->l1.next : core->l1_next;
        core->slots[core->entries[index].slot].cached--;
        part_done(core, now, index, part);
    }
}

void lsu_tick(struct core *core, uint64_t now)
{
    send_next(core, now);
    if (core->l1_next <= now)
        core->l1_next = cache_tick(&core->l1, now);
    send_out(core, now);
}

uint64_t lsu_next(const struct core *core, uint64_t now)
{
    uint64_t next = core->l1_next, answer = cache_answer_next(&core->l1, 0);
    bool sends = core->direct_count || core->missed_count || cache_out_peek(&core->l1);
    if ((sends && !core->refused) || core->to_send)
        return now + 1;
    // A part that waits for room in the L1 can only be sent after a tick of the L1.
    if (core->queue_count && (!core->l1_full || core->refused || cache_can_put(&core->l1, 0)))
        next = first_access(core) > now + 1 ? first_access(core) : now + 1;
    next = core->l1_next < next ? core->l1_next : next;
    next = answer < next ? answer : next;
    return next > now ? next : now + 1;
}

void core_served(struct core *core, const struct memsys_request *request)
{
    if (request->client != CLIENT_DIRECT)
        return;
    core_move_values(core, &core->entries[request->tag >> PART_BITS],
                     request->tag & ((1u << PART_BITS) - 1));
}
