// Sends the parts of an access: to shared memory, to the L1 or past it, or to the caches of
// constants and textures.
#include "runtime-sim/gpu/core/sites.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"

// Returns the cycle in which an access to shared memory of other cores is complete. It occupies the
// port to them, not the core's own banks; the banks of the other cores are not occupied.
static uint64_t send_to_cluster(struct core *core, uint64_t now, const struct part *part)
{
    const struct core_config *config = core->kind->config;
    uint32_t latency = config->cluster_latency ? config->cluster_latency : config->shared_latency;
    uint64_t first = now > core->units.cluster_free ? now : core->units.cluster_free;
    uint32_t cycles = part->cycles > part->cluster_cycles ? part->cycles : part->cluster_cycles;
    core->units.cluster_free = first + (config->cluster_bytes ? cycles : 0);
    core->units.banks_free = first > now ? first : now + 1; // one access waits at the port
    return first - config->access_delay + latency + cycles - 1;
}

// Moves the values of a part, which are there in the cycle `done`, but not in this one: they are
// moved at its end.
static void complete_at(struct core *core, uint64_t now, uint32_t index, const struct part *part,
                        uint64_t done)
{
    struct entry *entry = &core->lsu.entries[index];
    uint64_t first = done > now ? done : now + 1;
    entry->done = first > entry->done ? first : entry->done;
    lsu_move_values(core, index, (uint32_t)(part - entry->parts.v));
}

static bool send_shared(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    struct entry *entry = &core->lsu.entries[index];
    const struct core_config *config = core->kind->config;
    // Without queueing, the latency is counted from the issue.
    uint64_t done = now - config->access_delay + config->shared_latency + part->cycles - 1;
    if (part->cluster_cycles)
        done = send_to_cluster(core, now, part);
    else
        core->units.banks_free = now + part->cycles;
    complete_at(core, now, index, part, done);
    lsu_part_done(core, now, index, (uint32_t)(part - entry->parts.v));
    return true;
}

struct mask lsu_sectors(const struct core *core, struct mask touched)
{
    uint32_t size = core->kind->l1->sector_bytes;
    struct mask all = {{0}};
    for (uint32_t at = 0; at < LINE_BYTES; at += size) {
        struct mask sector = mask_range(at, at + size);
        if (mask_intersects(sector, touched))
            all = mask_or(all, sector);
    }
    return all;
}

static bool send_cached(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    bool write = part->kind == MEMSYS_WRITE;
    struct entry *entry = &core->lsu.entries[index];
    core->lsu.first_waits = core->lsu.l1_full = !cache_can_put(&core->l1, 0);
    if (core->lsu.l1_full)
        return false;
    struct cache_request request = {.id = lsu_part_tag(index, (uint32_t)(part - entry->parts.v)),
                                    .line = part->line,
                                    .bytes = write ? part->bytes : lsu_sectors(core, part->bytes),
                                    .kind = write ? CACHE_WRITE : CACHE_READ,
                                    .keep = part->keep,
                                    .keep_next = part->keep_next};
    cache_put(&core->l1, now, &request);
    if (!write)
        EACH_HOOKS (hooks, core, lsu, l1_load)
            hooks->lsu->l1_load(core, hooks->own, part->line);
    core->lsu.l1_next = now;
    core->slots[entry->slot].cached++;
    return true;
}

static bool send_direct(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    struct entry *entry = &core->lsu.entries[index];
    (void)now;
    if (core->lsu.direct.count == CORE_DIRECT)
        return false;
    uint32_t at = (core->lsu.direct.head + core->lsu.direct.count++) % CORE_DIRECT;
    uint16_t data = (uint16_t)mask_count(part->bytes);
    bool atomic = part->kind != MEMSYS_READ;
    core->lsu_rings.direct[at] =
        (struct memsys_request){.line = part->line,
                                .bytes = atomic ? part->bytes : lsu_sectors(core, part->bytes),
                                .core = core->id.endpoint,
                                .tag = lsu_part_tag(index, (uint32_t)(part - entry->parts.v)),
                                .carries = atomic && !part->mark ? data : 0,
                                .returns = part->kind == MEMSYS_ATOMIC ? data : 0,
                                .kind = part->kind,
                                .keep = part->keep_next,
                                .requester = REQUESTER_DIRECT,
                                .site = entry->site,
                                .mark = part->mark};
    if (atomic)
        cache_drop(&core->l1, part->line);
    core->slots[entry->slot].direct++;
    core->slots[entry->slot].atomics += atomic;
    return true;
}

static void request_line(struct core *core, uint64_t line, uint32_t tag, uint32_t site,
                         enum requester requester)
{
    uint32_t at = (core->lsu.missed.head + core->lsu.missed.count++) % CORE_MISSED;
    core->lsu_rings.missed[at] = (struct memsys_request){.line = line,
                                                         .bytes = mask_range(0, LINE_BYTES),
                                                         .core = core->id.endpoint,
                                                         .tag = tag,
                                                         .kind = MEMSYS_READ,
                                                         .requester = (uint8_t)requester,
                                                         .site = site};
}

// Reads a line of constants or textures.
static bool send_tags(struct core *core, uint64_t now, uint32_t index, struct part *part,
                      struct tag_cache *tags, enum requester requester)
{
    struct entry *entry = &core->lsu.entries[index];
    if (core->lsu.missed.count == CORE_MISSED)
        return false;
    uint64_t ready;
    enum tags_result result = tag_cache_read(tags, now, part->line, index, &ready);
    if (result == TAGS_FULL)
        return false;
    uint64_t done = (result == TAGS_HIT ? ready : now + tags->config->latency) + part->cycles - 1;
    core->units.banks_free = now + part->cycles;
    complete_at(core, now, index, part, done);
    if (core->sites)
        sites_read_only(core, entry, result == TAGS_HIT);
    if (result == TAGS_MISS)
        request_line(core, part->line, lsu_part_tag(index, (uint32_t)(part - entry->parts.v)),
                     entry->site, requester);
    if (result == TAGS_HIT)
        lsu_part_done(core, now, index, (uint32_t)(part - entry->parts.v));
    return true;
}

static bool send_line(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    if (lsu_must_wait(core, index, part))
        return false;
    bool sent = part->route == ROUTE_L1 ? send_cached(core, now, index, part)
                                        : send_direct(core, now, index, part);
    if (sent && lsu_is_local(part->line))
        lsu_move_values(core, index, (uint32_t)(part - core->lsu.entries[index].parts.v));
    return sent;
}

static bool send_part(struct core *core, uint64_t now, uint32_t index, struct part *part)
{
    switch (part->route) {
    case ROUTE_SHARED: return send_shared(core, now, index, part);
    case ROUTE_L1:
    case ROUTE_DIRECT: return send_line(core, now, index, part);
    case ROUTE_CONSTANT:
        return send_tags(core, now, index, part, &core->tags.constant, REQUESTER_CONSTANT);
    case ROUTE_LOOKUP:
    case ROUTE_LOOKUP_THERE:
    case ROUTE_PASS: return true;
    default: return send_tags(core, now, index, part, &core->tags.texture, REQUESTER_TEXTURE);
    }
}

// Returns true if the next part belongs to a load that a scheme holds back, which is not sent.
static bool is_lookup(const struct entry *entry)
{
    return entry->parts.v[entry->sent].route >= ROUTE_LOOKUP;
}

// Returns true if the next part is a look-up that finds its line.
static bool finds_line(const struct core *core, const struct entry *entry)
{
    const struct part *part = &entry->parts.v[entry->sent];
    return part->route == ROUTE_LOOKUP
               ? cache_has(&core->l1, part->line)
               : part->route == ROUTE_LOOKUP_THERE && cache_holds(&core->l1, part->line);
}

static void notify_lookup(struct core *core, uint64_t now, uint32_t entry, bool hit, bool last)
{
    const struct core_hooks *owner = &core->hooks[core->lsu.entries[entry].owner - 1];
    owner->lsu->looked_up(core, owner->own, now, entry, hit, last);
}

void lsu_send_next(struct core *core, uint64_t now)
{

    uint32_t index = core->lsu.queue[core->lsu.queue_head];
    struct entry *entry = &core->lsu.entries[index];
    // A look-up that finds its line continues as an ordinary load.
    if (finds_line(core, entry))
        notify_lookup(core, now, index, true, false);
    bool looks = is_lookup(entry), last = entry->sent + 1 == entry->parts.n;
    uint32_t part = entry->sent++; // the entry may end with its last part
    core->lsu.first_waits = core->lsu.l1_full = false;
    entry->queued = !last;
    if (!send_part(core, now, index, &entry->parts.v[part])) {
        entry->sent--;
        entry->queued = true;
        return;
    }
    if (last) {
        core->lsu.queue_head = (core->lsu.queue_head + 1) % core->lsu.queue_room;
        core->lsu.queue_count--;
    }
    if (looks)
        notify_lookup(core, now, index, false, last);
}
