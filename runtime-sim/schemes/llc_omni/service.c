#include "runtime-sim/schemes/llc_omni/service.h"
#include <assert.h>

static void init_ring(struct service_ring *ring, struct arena *arena, uint32_t count)
{
    *ring = (struct service_ring){ARENA_ARRAY(arena, uint32_t, count), 0, 0};
}

void service_init(struct service *s, struct arena *arena, const struct offload_config *config,
                  struct memsys *memsys, uint32_t endpoint)
{
    *s = (struct service){.config = config,
                          .memsys = memsys,
                          .endpoint = endpoint,
                          .kind = memsys_kind_of_endpoint(memsys, endpoint),
                          .partition = SERVICE_NONE,
                          .count = config->service_queue,
                          .arena = arena,
                          .unused_stored = SERVICE_NONE,
                          .oldest_ack = SERVICE_NONE,
                          .next = UINT64_MAX};
    if (s->kind == MEMSYS_AT_PARTITION)
        s->partition = memsys_endpoint_number(memsys, endpoint);
    s->entries = ARENA_ARRAY(arena, struct service_entry, s->count);
    s->free_entries = ARENA_ARRAY(arena, uint32_t, s->count);
    while (s->free_count < s->count) {
        s->free_entries[s->free_count] = s->count - 1 - s->free_count;
        s->free_count++;
    }
    s->l1_reads = ARENA_ARRAY(arena, struct service_l1_read, s->count * PACKET_LOADS);
    for (uint32_t i = 0; i < SERVICE_STAGES; i++)
        init_ring(&s->stages[i], arena, s->count);
}

void service_count(struct service *s, uint64_t now)
{
    uint32_t used = s->count - s->free_count;
    if (now > s->counted)
        *s->stats->cycles += used * (now - s->counted);
    s->counted = now > s->counted ? now : s->counted;
    *s->stats->max = used > *s->stats->max ? used : *s->stats->max;
}

void service_count_buffer(struct service *s, uint64_t now)
{
    s->buffer_cycles += s->buffered * (now - s->buffer_counted);
    s->buffer_counted = now;
}

static void report_event(const struct service *s, uint64_t now, enum offload_event event,
                         uint32_t core, uint32_t entry)
{
    offload_report(s->log, now, event, s->endpoint, core, entry);
}

static void report_entry(const struct service *s, uint64_t now, enum offload_event event,
                         const struct service_entry *entry)
{
    report_event(s, now, event, entry->core, entry->packet.entry);
}

// Stages

static bool is_ordered(enum service_stage stage)
{
    return stage != SERVICE_WAITS && stage != SERVICE_FREE;
}

// Returns the oldest entry of a stage, or NULL.
static struct service_entry *first(const struct service *s, enum service_stage stage)
{
    const struct service_ring *ring = &s->stages[stage];
    return ring->count ? &s->entries[ring->list[ring->head]] : NULL;
}

static void enter(struct service *s, struct service_entry *entry, enum service_stage stage)
{
    struct service_ring *ring = &s->stages[stage];
    entry->stage = (uint8_t)stage;
    if (is_ordered(stage))
        ring->list[(ring->head + ring->count++) % s->count] = (uint32_t)(entry - s->entries);
}

// Moves the oldest entry of a stage to another one.
static void advance(struct service *s, enum service_stage from, enum service_stage to)
{
    struct service_ring *ring = &s->stages[from];
    struct service_entry *entry = first(s, from);
    ring->head = (ring->head + 1) % s->count;
    ring->count--;
    enter(s, entry, to);
}

// Operands

static uint8_t all_operands(const struct service_entry *entry)
{
    return (uint8_t)((1u << entry->packet.load_count) - 1);
}

static const struct packet_operand *operand_of(const struct compute_packet *packet, uint32_t which)
{
    return which == SERVICE_STORE ? &packet->store : &packet->load[which];
}

static struct mask bytes_of(const struct compute_packet *packet,
                            const struct packet_operand *operand)
{
    struct mask bytes = {{0}};
    for (uint32_t rest = packet->mask; rest; rest &= rest - 1) {
        uint64_t at = packet_address(operand, (uint32_t)__builtin_ctz(rest)) % LINE_BYTES;
        bytes = mask_or(bytes, mask_range((uint32_t)at, (uint32_t)at + operand->bytes));
    }
    return bytes;
}

static bool is_here(const struct service *s, uint64_t line)
{
    return s->partition != SERVICE_NONE && memsys_partition_of(s->memsys, line) == s->partition;
}

// Returns true if operands are looked up in the L1 of the core.
static bool passes_l1(const struct service *s)
{
    return s->kind == MEMSYS_AT_CORE && s->config->operands_in_l1;
}

static struct memsys_request request_for(const struct service *s, uint32_t core,
                                         const struct compute_packet *packet, uint32_t which,
                                         uint32_t tag)
{
    const struct packet_operand *operand = operand_of(packet, which);
    bool store = which == SERVICE_STORE;
    return (struct memsys_request){
        .line = packet_line(operand, packet->mask) / LINE_BYTES,
        .bytes = store ? bytes_of(packet, operand) : mask_range(0, LINE_BYTES),
        .core = s->endpoint,
        .tag = tag,
        .kind = store ? MEMSYS_WRITE : MEMSYS_READ,
        .requester = s->requester,
        .site = s->hooks->site(s->hooks->context, core, packet->entry, which)};
}

static uint32_t tag_of(const struct service *s, const struct service_entry *entry, uint32_t which)
{
    return (uint32_t)(entry - s->entries) * SERVICE_TAGS + which;
}

// Sends a request to the slice of the partition through one of its inputs, or through the network.
// Returns false if there is no room.
static bool send_by(struct service *s, const struct memsys_request *request, uint32_t input)
{
    bool here = is_here(s, request->line);
    if (here ? !memsys_can_put(s->memsys, s->partition, input)
             : !memsys_can_send_from(s->memsys, s->endpoint, request))
        return false;
    if (here)
        memsys_put(s->memsys, s->partition, input, request);
    else
        memsys_send_from(s->memsys, s->endpoint, request);
    return true;
}

static bool send(struct service *s, const struct memsys_request *request)
{
    return send_by(s, request, MEMSYS_FROM_OWN);
}

// Operands without a request of their own

static uint64_t line_of(const struct service_entry *entry, uint32_t which)
{
    return packet_line(&entry->packet.load[which], entry->packet.mask) / LINE_BYTES;
}

// Returns true if the operand's own request is in flight through the network.
static bool is_on_its_way(const struct service *s, const struct service_entry *entry,
                          uint32_t which)
{
    return (entry->stage == SERVICE_ASKS || entry->stage == SERVICE_WAITS) &&
           (entry->asked & ~entry->there & ~entry->in_l1) >> which & 1 &&
           entry->merged[which] == SERVICE_NONE && !is_here(s, line_of(entry, which));
}

// Returns the tag of a request in flight whose data an operand of the entry can use: it was sent
// in the operand's cycle `fresh` or later. Returns SERVICE_NONE without such a request.
static uint32_t find_request(const struct service *s, const struct service_entry *entry,
                             uint32_t which, const struct memsys_request *wanted)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const struct service_entry *other = &s->entries[i];
        for (uint32_t k = 0; k < other->packet.load_count; k++)
            if (is_on_its_way(s, other, k) && line_of(other, k) == wanted->line &&
                other->asked_at[k] >= entry->fresh[which] &&
                (!wanted->by_sector ||
                 mask_within(wanted->bytes, bytes_of(&other->packet, &other->packet.load[k]))))
                return tag_of(s, other, k);
    }
    return SERVICE_NONE;
}

// Calls the function for each operand that gets the data of the request with this tag.
typedef void merged_function(struct service *s, struct service_entry *entry, uint32_t which,
                             void *context);
static void each_merged(struct service *s, uint32_t tag, merged_function *function, void *context)
{
    for (uint32_t i = 0; s->config->merge_operands && i < s->count; i++) {
        struct service_entry *entry = &s->entries[i];
        for (uint32_t k = 0; entry->stage != SERVICE_FREE && k < entry->packet.load_count; k++)
            if (entry->asked >> k & 1 && entry->merged[k] == tag)
                function(s, entry, k, context);
    }
}

static void bind(struct service *s, struct service_entry *entry, uint32_t which, void *context)
{
    (void)context;
    s->hooks->read(s->hooks->context, s->endpoint, entry, which);
}

void service_was_served(struct service *s, uint32_t tag)
{
    service_entry_of(s, tag)->served |= (uint8_t)(1u << tag % SERVICE_TAGS);
    each_merged(s, tag, bind, NULL);
}

// Lets an operand use the data of another request. A request that was served has read its data.
static void merge(struct service *s, struct service_entry *entry, uint32_t which, uint32_t tag)
{
    entry->merged[which] = tag;
    ++*s->stats->merged;
    if (service_entry_of(s, tag)->served >> tag % SERVICE_TAGS & 1)
        bind(s, entry, which, NULL);
}

static void accept_operand(struct service *s, uint64_t now, struct service_entry *entry,
                           uint32_t which, const struct memsys_request *answer)
{
    uint8_t bit = (uint8_t)(1u << which);
    if (entry->stage == SERVICE_READS) {
        entry->read |= bit;
        return;
    }
    report_entry(s, now, OFFLOAD_THERE, entry);
    entry->there |= bit;
    ++*s->energy->entry_write;
    if (answer->kind == MEMSYS_READ) {
        entry->kept |= bit;
        ++*s->energy->line_write;
    }
    if (entry->stage == SERVICE_WAITS && entry->there == all_operands(entry))
        enter(s, entry, SERVICE_READY);
}

static void accept_ack(struct service *s, uint64_t now, uint32_t tag)
{
    uint32_t index = tag / SERVICE_TAGS;
    struct service_stored *stored = service_stored_of(s, tag);
    report_event(s, now, OFFLOAD_STORED, stored->core, stored->entry);
    stored->next = SERVICE_NONE;
    if (s->oldest_ack == SERVICE_NONE)
        s->oldest_ack = index;
    else
        s->stored.v[s->newest_ack].next = index;
    s->newest_ack = index;
}

struct arrival {
    uint64_t now;
    const struct memsys_request *answer;
};

static void accept_merged(struct service *s, struct service_entry *entry, uint32_t which,
                          void *context)
{
    const struct arrival *arrival = context;
    entry->merged[which] = SERVICE_NONE;
    accept_operand(s, arrival->now, entry, which, arrival->answer);
}

void service_accept_reply(struct service *s, uint64_t now, const struct memsys_request *answer)
{
    uint32_t tag = answer->tag;
    struct arrival arrival = {now, answer};
    if (service_is_store(answer)) {
        accept_ack(s, now, tag);
    } else {
        struct service_entry *entry = service_entry_of(s, tag);
        uint32_t which = tag % SERVICE_TAGS;
        if (passes_l1(s))
            s->hooks->bring_to_l1(s->hooks->context, s->endpoint, now, line_of(entry, which),
                                  entry->asked_at[which]);
        accept_operand(s, now, entry, which, answer);
        each_merged(s, tag, accept_merged, &arrival);
    }
    s->next = s->next < now + 1 ? s->next : now + 1;
}

// L1

// Reads an operand from the L1 of the core.
static enum service_l1 read_l1(struct service *s, struct service_entry *entry, uint32_t which)
{
    uint64_t ready;
    enum service_l1 found = s->hooks->read_l1(s->hooks->context, s->endpoint, line_of(entry, which),
                                              entry->fresh[which], &ready);
    if (found != SERVICE_L1_READ)
        return found;
    uint32_t size = s->count * PACKET_LOADS;
    s->l1_reads[(s->l1_first + s->l1_count++) % size] =
        (struct service_l1_read){tag_of(s, entry, which), ready};
    entry->in_l1 |= (uint8_t)(1u << which);
    ++*s->stats->l1_hits;
    bind(s, entry, which, NULL);
    return found;
}

static void end_l1_reads(struct service *s, uint64_t now)
{
    const struct memsys_request line = {.kind = MEMSYS_READ};
    for (; s->l1_count && s->l1_reads[s->l1_first].ready <= now; s->l1_count--) {
        uint32_t tag = s->l1_reads[s->l1_first].tag;
        s->l1_first = (s->l1_first + 1) % (s->count * PACKET_LOADS);
        accept_operand(s, now, service_entry_of(s, tag), tag % SERVICE_TAGS, &line);
    }
}

// Requests an operand, or lets it use a line of the L1 or a request in flight. Returns false if
// there is no room.
static bool ask_operand(struct service *s, uint64_t now, struct service_entry *entry,
                        uint32_t which)
{
    struct memsys_request request =
        request_for(s, entry->core, &entry->packet, which, tag_of(s, entry, which));
    bool here = is_here(s, request.line);
    enum service_l1 found = passes_l1(s) ? read_l1(s, entry, which) : SERVICE_L1_ABSENT;
    entry->asked_at[which] = now;
    if (found <= SERVICE_L1_BUSY)
        return found == SERVICE_L1_READ;
    if (here)
        request.kind = MEMSYS_TOUCH;
    if (!here && s->config->operand_sectors && !passes_l1(s)) {
        request.by_sector = true;
        request.bytes = bytes_of(&entry->packet, &entry->packet.load[which]);
    }
    uint32_t tag =
        here || !s->config->merge_operands ? SERVICE_NONE : find_request(s, entry, which, &request);
    if (tag != SERVICE_NONE)
        merge(s, entry, which, tag);
    else if (!send(s, &request))
        return false;
    *s->stats->l1_old += found == SERVICE_L1_OLD;
    return true;
}

static void ask(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_ASKS);
    if (!entry)
        return;
    uint32_t which = (uint32_t)__builtin_ctz(~entry->asked);
    if (!ask_operand(s, now, entry, which))
        return;
    report_entry(s, now, OFFLOAD_ASKED, entry);
    ++*s->energy->entry_read;
    entry->asked |= (uint8_t)(1u << which);
    if (entry->asked == all_operands(entry))
        advance(s, SERVICE_ASKS, entry->there == entry->asked ? SERVICE_READY : SERVICE_WAITS);
}

// Buffer

static void give_buffer(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_READY);
    if (!entry)
        return;
    if (s->buffered == s->config->buffer) {
        ++*s->stats->buffer_full;
        return;
    }
    service_count_buffer(s, now);
    s->buffered++;
    s->chains_buffered++;
    entry->read = entry->kept;
    entry->until = entry->kept ? now + s->read_latency : now;
    entry->asked = entry->kept;
    *s->energy->line_read += (uint32_t)__builtin_popcount(entry->kept);
    report_entry(s, now, OFFLOAD_READS, entry);
    advance(s, SERVICE_READY, SERVICE_READS);
}

// Reads an operand from the slice. If its line was evicted, it is requested again.
static void read_here(struct service *s, uint64_t now, struct service_entry *entry, uint32_t which)
{
    struct memsys_request request =
        request_for(s, entry->core, &entry->packet, which, tag_of(s, entry, which));
    uint8_t bit = (uint8_t)(1u << which);
    uint64_t ready;
    enum cache_direct result = memsys_read_here(s->memsys, s->partition, &request, &ready);
    if (result == CACHE_DIRECT_BUSY || (result == CACHE_DIRECT_ABSENT && !send(s, &request)))
        return;
    entry->asked |= bit;
    ++*s->energy->entry_read;
    if (result == CACHE_DIRECT_ABSENT) {
        ++*s->stats->lost;
        report_entry(s, now, OFFLOAD_LOST, entry);
        return;
    }
    s->hooks->read(s->hooks->context, s->endpoint, entry, which);
    entry->read |= bit;
    entry->until = ready > entry->until ? ready : entry->until;
}

// Reads one operand from the slice, for the oldest chain that has an operand left to read.
static void read_operand(struct service *s, uint64_t now)
{
    const struct service_ring *ring = &s->stages[SERVICE_READS];
    for (uint32_t i = 0; i < ring->count; i++) {
        struct service_entry *entry = &s->entries[ring->list[(ring->head + i) % s->count]];
        uint8_t left = (uint8_t)(all_operands(entry) & ~entry->asked);
        if (!left)
            continue;
        read_here(s, now, entry, (uint32_t)__builtin_ctz(left));
        return;
    }
}

static void end_reads(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_READS);
    if (!entry || entry->read != all_operands(entry) || entry->until > now)
        return;
    report_entry(s, now, OFFLOAD_BUFFERED, entry);
    advance(s, SERVICE_READS, SERVICE_BUFFERED);
}

// ALU

static bool is_shared(const struct service *s)
{
    return s->kind == MEMSYS_AT_CORE && s->config->core_alu == OFFLOAD_ALU_SHARED;
}

static uint64_t alu_width(const struct service *s)
{
    return s->kind != MEMSYS_AT_CORE                      ? s->config->alu_width
           : s->config->core_alu == OFFLOAD_ALU_DEDICATED ? s->config->core_alu_width
                                                          : LANES;
}

static void count_operations(struct service *s, uint32_t operations, uint64_t busy, uint32_t mask)
{
    const struct service_stats *stats = s->stats;
    *stats->operations += operations;
    *stats->lanes += operations * (uint32_t)__builtin_popcount(mask);
    if (stats->at[s->kind])
        *stats->at[s->kind] += operations;
    if (stats->busy[s->kind])
        *stats->busy[s->kind] += busy;
}

static void count_energy(const struct service *s, const struct compute_packet *packet)
{
    const struct service_energy *energy = s->energy;
    ++*energy->entry_read;
    if (energy->buffer_write) {
        *energy->buffer_write += packet->load_count;
        *energy->buffer_read += packet->load_count;
    }
    for (uint32_t i = 0; i < packet->op_count; i++)
        *(packet_is_float(packet->op[i].function) ? energy->alu_fp32 : energy->alu_int) +=
            (uint32_t)__builtin_popcount(packet->mask);
}

static void begin(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_BUFFERED);
    if (!entry || s->alu_free > now)
        return;
    uint32_t operations = entry->packet.op_count;
    if (operations && is_shared(s) && !s->hooks->is_idle(s->hooks->context, s->endpoint)) {
        ++*s->stats->contended;
        report_entry(s, now, OFFLOAD_STALLED, entry);
        return;
    }
    uint64_t passes = (LANES + alu_width(s) - 1) / alu_width(s);
    uint64_t busy = operations * passes;
    uint32_t latency = s->hooks->latency(s->hooks->context, entry->core, entry->packet.entry);
    s->alu_free = now + (busy ? busy : 1);
    entry->until = now + latency + (busy > operations ? busy - operations : 0);
    service_count_buffer(s, now);
    s->buffered--;
    count_operations(s, operations, busy, entry->packet.mask);
    count_energy(s, &entry->packet);
    report_entry(s, now, OFFLOAD_COMPUTES, entry);
    advance(s, SERVICE_BUFFERED, SERVICE_COMPUTES);
}

static void end_operations(struct service *s, uint64_t now)
{
    struct service_entry *entry;
    while ((entry = first(s, SERVICE_COMPUTES)) && entry->until <= now) {
        report_entry(s, now, OFFLOAD_COMPUTED, entry);
        s->hooks->computed(s->hooks->context, s->endpoint, entry);
        advance(s, SERVICE_COMPUTES, entry->packet.has_store ? SERVICE_STORES : SERVICE_REPLIES);
    }
}

// Frees the oldest entry of a stage.
static void leave(struct service *s, uint64_t now, enum service_stage from)
{
    struct service_entry *entry = first(s, from);
    service_count(s, now);
    advance(s, from, SERVICE_FREE);
    s->free_entries[s->free_count++] = (uint32_t)(entry - s->entries);
}

// Returns the index that the next store gets.
static uint32_t next_stored(const struct service *s)
{
    return s->unused_stored == SERVICE_NONE ? s->stored.n : s->unused_stored;
}

static void keep_stored(struct service *s, const struct service_entry *entry)
{
    uint32_t index = next_stored(s);
    struct service_stored stored = {entry->core, entry->packet.entry, entry->reply, SERVICE_NONE};
    if (index == s->stored.n) {
        vec_push(s->arena, &s->stored, stored);
    } else {
        s->unused_stored = s->stored.v[index].next;
        s->stored.v[index] = stored;
    }
}

static void store(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_STORES);
    if (!entry)
        return;
    uint32_t tag = next_stored(s) * SERVICE_TAGS + SERVICE_STORE;
    struct memsys_request request = request_for(s, entry->core, &entry->packet, SERVICE_STORE, tag);
    if (!send(s, &request))
        return;
    ++*s->stats->stores;
    ++*s->energy->entry_read;
    *s->stats->forwarded += !is_here(s, request.line);
    report_entry(s, now, OFFLOAD_STORES, entry);
    keep_stored(s, entry);
    leave(s, now, SERVICE_STORES);
}

// Returns false if the network has no room.
static bool send_reply(struct service *s, uint32_t answer, uint32_t packet_flits)
{
    uint32_t flits = memsys_reply_packet_flits(s->memsys, packet_flits * PACKET_FLIT);
    if (!memsys_can_reply(s->memsys, s->endpoint, flits))
        return false;
    memsys_reply(s->memsys, s->endpoint, answer, flits);
    return true;
}

static bool send_entry_reply(struct service *s, uint64_t now)
{
    struct service_entry *entry = first(s, SERVICE_REPLIES);
    if (!send_reply(s, entry->reply, packet_response_flits(&entry->packet)))
        return false;
    ++*s->energy->entry_read;
    report_entry(s, now, OFFLOAD_ANSWERS, entry);
    leave(s, now, SERVICE_REPLIES);
    return true;
}

static bool send_ack(struct service *s, uint64_t now)
{
    uint32_t index = s->oldest_ack;
    struct service_stored *stored = &s->stored.v[index];
    if (!send_reply(s, stored->reply, 1))
        return false;
    report_event(s, now, OFFLOAD_ANSWERS, stored->core, stored->entry);
    s->oldest_ack = stored->next;
    stored->next = s->unused_stored;
    s->unused_stored = index;
    return true;
}

// Sends one reply. Chains with a store and those without alternate.
static void send_reply_or_ack(struct service *s, uint64_t now)
{
    bool entries = s->stages[SERVICE_REPLIES].count, acks = s->oldest_ack != SERVICE_NONE;
    bool ack = acks && (s->acks_turn || !entries);
    if (ack ? send_ack(s, now) : entries && send_entry_reply(s, now))
        s->acks_turn = !ack;
}

// Packets

static void send_back(struct service *s)
{
    struct service_bounce *bounce = &s->bounce;
    uint32_t tag = (uint32_t)bounce->packet.entry * PACKET_LOADS + bounce->next;
    struct memsys_request request =
        request_for(s, bounce->core, &bounce->packet, bounce->next, tag);
    request.core = bounce->core;
    request.requester = s->back_requester;
    if (!send_by(s, &request, s->back_input) || ++bounce->next < bounce->packet.load_count)
        return;
    memsys_drop_packet(s->memsys, bounce->reply);
    bounce->active = false;
}

static void accept_packet(struct service *s, uint64_t now)
{
    const struct memsys_request *request = memsys_peek_packet(s->memsys, s->endpoint);
    if (!request || s->bounce.active)
        return;
    if (!s->free_count && s->config->full_queue == OFFLOAD_FULL_WAIT)
        return;
    s->promised -= s->config->full_queue == OFFLOAD_FULL_CREDITS;
    uint32_t flits, core = request->core, request_entry = request->tag;
    const uint8_t *bits = s->hooks->bits(s->hooks->context, core, request_entry, &flits);
    struct service_entry fresh = {.core = core};
    bool sound = packet_is_compute(bits) && packet_decode(&fresh.packet, bits, flits);
    assert(sound);
    (void)sound;
    fresh.reply = memsys_pop_packet(s->memsys, s->endpoint);
    for (uint32_t i = 0; i < PACKET_LOADS; i++) {
        if (s->config->merge_operands || passes_l1(s))
            fresh.fresh[i] = s->hooks->fresh(s->hooks->context, core, request_entry, i);
        fresh.merged[i] = SERVICE_NONE;
    }
    if (!s->free_count) {
        s->bounce = (struct service_bounce){true, fresh.reply, 0, core, fresh.packet};
        ++*s->stats->bounced;
        report_entry(s, now, OFFLOAD_BOUNCED, &fresh);
        return;
    }
    service_count(s, now);
    struct service_entry *entry = &s->entries[s->free_entries[--s->free_count]];
    *entry = fresh;
    service_count(s, now);
    enter(s, entry, SERVICE_ASKS);
    *s->energy->entry_write += flits;
    report_entry(s, now, OFFLOAD_ARRIVED, entry);
}

// Time

static void accept_replies(struct service *s, uint64_t now)
{
    const struct memsys_request *request;
    // A core handles the replies at its endpoint (oq_accept_reply).
    while (s->kind != MEMSYS_AT_CORE && (request = memsys_peek(s->memsys, s->endpoint))) {
        service_accept_reply(s, now, request);
        memsys_pop(s->memsys, s->endpoint);
    }
}

// Returns the cycle of the next evaluation. Some stages advance on their own, others with a reply.
static uint64_t next_tick(const struct service *s, uint64_t now)
{
    static const uint8_t busy[] = {SERVICE_ASKS, SERVICE_READY, SERVICE_BUFFERED, SERVICE_STORES,
                                   SERVICE_REPLIES};
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < sizeof busy; i++)
        if (s->stages[busy[i]].count)
            return now + 1;
    if (s->bounce.active || s->stages[SERVICE_READS].count || s->oldest_ack != SERVICE_NONE ||
        memsys_peek_packet(s->memsys, s->endpoint))
        return now + 1;
    const struct service_entry *entry = first(s, SERVICE_COMPUTES);
    next = entry ? entry->until : next;
    uint64_t ready = s->l1_count ? s->l1_reads[s->l1_first].ready : UINT64_MAX;
    return ready < next ? ready : next;
}

// Evaluates the stages from last to first, so that a chain advances one stage per cycle.
void service_tick(struct service *s, uint64_t now)
{
    accept_replies(s, now);
    end_l1_reads(s, now);
    end_operations(s, now);
    send_reply_or_ack(s, now);
    store(s, now);
    begin(s, now);
    end_reads(s, now);
    read_operand(s, now);
    give_buffer(s, now);
    if (s->bounce.active)
        send_back(s);
    ask(s, now);
    accept_packet(s, now);
    s->next = next_tick(s, now);
}
