// Requests of a core to the network, and replies. A core sends one request per cycle: of the L1,
// past the L1, of the other caches, of a scheme, or of bulk copies.
#include "runtime-sim/gpu/lsu/bulk.h"
#include "runtime-sim/gpu/lsu/lsu_internal.h"

// Returns the instruction of a request of the L1; 0 for a fetch that no request waits for.
static uint32_t site_of_out(const struct core *core, const struct cache_out *out)
{
    if (out->write)
        return core->lsu_rings.store_sites[core->lsu.stores.head];
    return out->id == CACHE_NOBODY ? 0 : core->lsu.entries[lsu_entry_of(out->id)].site;
}

static bool send_l1_out(struct core *core, uint64_t now)
{
    const struct cache_out *out = cache_out_peek(&core->l1);
    if (!out)
        return false;
    struct memsys_request request = {
        .line = out->line,
        .bytes = out->bytes,
        .core = core->id.endpoint,
        .tag = out->write ? core->lsu_rings.store_tags[core->lsu.stores.head] : (uint32_t)out->id,
        .kind = out->write ? MEMSYS_WRITE : MEMSYS_READ,
        .keep = out->keep,
        .requester = REQUESTER_L1,
        .site = core->sites ? site_of_out(core, out) : 0,
        .since = out->since};
    if (!memsys_can_send(core->shared->memsys, &request))
        return false;
    memsys_send(core->shared->memsys, &request);
    if (out->write) {
        core->lsu.stores.head = (core->lsu.stores.head + 1) % core->kind->l1->out;
        core->lsu.stores.count--;
    }
    cache_out_pop(&core->l1, now);
    core->lsu.l1_next = now; // a request may wait for this room
    return true;
}

static bool send_from(struct memsys *memsys, struct lsu_ring *ring,
                      const struct memsys_request *requests, uint32_t size)
{
    if (!ring->count || !memsys_can_send(memsys, &requests[ring->head]))
        return false;
    memsys_send(memsys, &requests[ring->head]);
    ring->head = (ring->head + 1) % size;
    ring->count--;
    return true;
}

static bool send_packet(struct core *core, uint64_t now)
{
    EACH_HOOKS (hooks, core, memory, send)
        if (hooks->memory->send(core, hooks->own, now)) {
            core->lsu.to_send--;
            return true;
        }
    return false;
}

// If requests of a core are refused, the network wakes the core when it has room.
void lsu_send_out(struct core *core, uint64_t now)
{
    enum { SOURCES = 5 };
    core->lsu.refused = lsu_has_requests(core) || bulk_is_due(core, now);
    for (uint32_t i = 0; i < SOURCES; i++) {
        uint32_t source = (core->lsu.send_turn + i) % SOURCES;
        bool sent = source == 0   ? send_l1_out(core, now)
                    : source == 1 ? send_from(core->shared->memsys, &core->lsu.direct,
                                              core->lsu_rings.direct, CORE_DIRECT)
                    : source == 2 ? core->lsu.to_send && send_packet(core, now)
                    : source == 3 ? send_from(core->shared->memsys, &core->lsu.missed,
                                              core->lsu_rings.missed, CORE_MISSED)
                                  : bulk_send(core, now);
        if (!sent)
            continue;
        core->lsu.send_turn = (source + 1) % SOURCES;
        core->lsu.refused = false;
        return;
    }
}

// Replies

// Ends all parts of an entry that wait for this line. Rows of texels share lines.
static void end_parts(struct core *core, uint64_t now, uint32_t index, uint64_t line,
                      enum part_route route)
{
    const struct entry *entry = &core->lsu.entries[index];
    bool last = false; // after the last part the entry is free
    for (uint32_t i = 0; !last && i < entry->sent; i++) {
        const struct part *part = &entry->parts.v[i];
        if (part->route != route || part->line != line || part->answered)
            continue;
        last = entry->left == 1;
        lsu_part_done(core, now, index, i);
    }
}

static void fill_tags(struct core *core, uint64_t now, uint64_t line, struct tag_cache *tags,
                      enum part_route route)
{
    struct tags_waiters waiters = tags_fill(tags, now, line);
    for (uint32_t w = 0; w < TAGS_WORDS; w++)
        for (uint64_t rest = waiters.w[w]; rest; rest &= rest - 1)
            end_parts(core, now, w * 64 + (uint32_t)__builtin_ctzll(rest), line, route);
}

static void notify_written(struct core *core, uint64_t now, uint64_t line)
{
    EACH_HOOKS (hooks, core, lsu, written)
        hooks->lsu->written(core, hooks->own, now, line);
}

// The tag of a store: the age of its warp, its slot, and the parity of its epoch. The slot may have
// another warp when the store is acknowledged (core.posted_stores).
enum { TAG_SLOTS = 2 * CORE_WARPS, TAG_AGES = 1 << 20 };

static uint32_t age_in_tag(const struct core *core, uint32_t slot)
{
    return (uint32_t)(core->schedule.age[slot] % TAG_AGES);
}

uint32_t lsu_store_tag(const struct core *core, const struct entry *entry)
{
    return age_in_tag(core, entry->slot) * TAG_SLOTS + 2 * entry->slot + entry->epoch;
}

static void end_store(struct core *core, uint64_t now, uint32_t tag, uint64_t line)
{
    uint32_t index = tag % TAG_SLOTS / 2;
    struct warp_slot *slot = &core->slots[index];
    core->lsu_rings.store_lines[core_line(line)]--;
    notify_written(core, now, line);
    if (!slot->warp || age_in_tag(core, index) != tag / TAG_SLOTS) {
        core->account.settled++;
        if (!--slot->posted)
            core->sets[index / 64].posted &= ~warp_slot_bit(index);
        core->results.settles |= core->shared->ending;
        return;
    }
    slot->stores--;
    epoch_stored(core, now, index, tag & 1);
    if (slot->state == WARP_SLOT_FENCE)
        core_look(core, now, index);
    core_maybe_over(core, now, index);
}

static void end_direct(struct core *core, uint64_t now, uint32_t tag)
{
    if (tag & BULK_TAG) {
        bulk_reply(core, now, tag);
        return;
    }
    uint32_t index = lsu_entry_of(tag);
    struct warp_slot *slot = &core->slots[core->lsu.entries[index].slot];
    uint32_t part = lsu_part_of(tag);
    const struct part *at = &core->lsu.entries[index].parts.v[part];
    slot->direct--;
    slot->atomics -= at->kind != MEMSYS_READ;
    if (at->kind != MEMSYS_READ)
        notify_written(core, now, at->line);
    lsu_part_done(core, now, index, part);
    if (slot->warp && slot->state == WARP_SLOT_FENCE)
        core_look(core, now, (uint32_t)(slot - core->slots));
}

static void give_reply(struct core *core, uint64_t now, const struct memsys_request *reply)
{
    const struct core_hooks *hooks = &core->hooks[core->shared->hooks_of[reply->requester] - 1];
    hooks->memory->accept_reply(core, hooks->own, now, reply);
}

static void fill_l1(struct core *core, uint64_t now, const struct memsys_request *reply)
{
    if (reply->words)
        cache_fill_more(&core->l1, reply->line, mask_of_words(reply->words));
    cache_fill(&core->l1, now, reply->line, reply->bytes);
    core->lsu.l1_next = now;
}

static void accept_reply(struct core *core, uint64_t now, const struct memsys_request *reply)
{
    if (reply->more) {
        if (reply->requester == REQUESTER_L1)
            fill_l1(core, now, reply);
        return;
    }
    if (core->shared->profiled)
        lsu_count_llc(core, reply);
    switch (reply->requester) {
    case REQUESTER_L1:
        if (reply->kind == MEMSYS_WRITE) {
            end_store(core, now, reply->tag, reply->line);
        } else {
            fill_l1(core, now, reply);
        }
        break;
    case REQUESTER_DIRECT: end_direct(core, now, reply->tag); break;
    case REQUESTER_CODE: core_fetched(core, now, reply->line); break;
    case REQUESTER_CONSTANT:
        fill_tags(core, now, reply->line, &core->tags.constant, ROUTE_CONSTANT);
        break;
    case REQUESTER_TEXTURE:
        fill_tags(core, now, reply->line, &core->tags.texture, ROUTE_TEXTURE);
        break;
    default: give_reply(core, now, reply);
    }
}

// Frees the entries that were in use until the end of the previous cycle.
static void reuse_entries(struct core_lsu *lsu)
{
    while (lsu->freed_count)
        lsu->free_entries[lsu->free_count++] = lsu->freed[--lsu->freed_count];
}

void lsu_receive(struct core *core, uint64_t now)
{
    reuse_entries(&core->lsu);
    const struct memsys_request *reply = memsys_peek(core->shared->memsys, core->id.endpoint);
    if (reply) {
        struct memsys_request copy = *reply;
        memsys_pop(core->shared->memsys, core->id.endpoint);
        accept_reply(core, now, &copy);
    }
    for (const struct cache_reply *a; (a = cache_reply_peek(&core->l1, 0, now));) {
        uint32_t index = lsu_entry_of(a->id);
        uint32_t part = lsu_part_of(a->id);
        cache_reply_pop(&core->l1, 0, now);
        core->lsu.l1_next = core->l1.next < core->lsu.l1_next ? core->l1.next : core->lsu.l1_next;
        core->slots[core->lsu.entries[index].slot].cached--;
        lsu_part_done(core, now, index, part);
    }
}
