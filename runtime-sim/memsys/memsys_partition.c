// A partition moves requests from the request network to the slice, fetches and write-backs from
// the slice to the DRAM, and replies from the slice to the reply network.
#include "runtime-sim/memsys/memsys_link.h"
#include "support/bits.h"
#include <string.h>

// The slice

static void collect_served(void *context, const struct cache_request *request, uint64_t now)
{
    struct memsys_partition *p = context;
    struct memsys_request *of = &p->memsys->pool.entries[request->id].request;
    (void)now;
    of->from = request->from;
    if (p->memsys->tables.sites)
        memsys_count_access(p->memsys, of->site, request->kind, request->from);
    p->served[p->served_count++] = (uint32_t)request->id;
}

// Evaluates the condition of an input. It does not hold if another request to the same line was
// served in this clock, because the owner has not been notified of that yet.
static bool may_be_served(void *context, const struct cache_request *request, uint64_t now)
{
    const struct memsys_partition *p = context;
    const struct memsys *m = p->memsys;
    const struct memsys_request *of = &m->pool.entries[request->id].request;
    const struct memsys_input *input = &m->tables.inputs.v[request->input - MEMSYS_INPUTS];
    (void)now;
    for (uint32_t i = 0; i < p->served_count; i++)
        if (m->pool.entries[p->served[i]].request.line == of->line)
            return false;
    return input->condition(input->context, of);
}

static void init_inputs(struct memsys_partition *p)
{
    const struct memsys_tables *tables = &p->memsys->tables;
    cache_init(&p->cache, p->memsys->arena, &p->memsys->config->llc,
               MEMSYS_INPUTS + tables->inputs.n);
    for (uint32_t i = 0; i < MEMSYS_INPUTS + tables->inputs.n; i++) {
        p->cache.inputs[i].serve = collect_served;
        p->cache.inputs[i].context = p;
    }
    for (uint32_t i = 0; i < tables->inputs.n; i++) {
        struct cache_input *input = &p->cache.inputs[MEMSYS_INPUTS + i];
        input->condition = tables->inputs.v[i].condition ? may_be_served : NULL;
        input->until_served = tables->inputs.v[i].condition != NULL;
        input->one_waits = input->is_passed = tables->inputs.v[i].is_passed;
    }
}

void memsys_partition_init(struct memsys_partition *p, struct memsys *m, uint32_t number)
{
    const struct memsys_config *config = m->config;
    *p = (struct memsys_partition){.memsys = m,
                                   .number = number,
                                   .node = m->topology.partition_node[number],
                                   .due = UINT64_MAX};
    p->delays = ARENA_ARRAY(m->arena, struct memsys_delay, 2 * m->message_count);
    init_inputs(p);
    p->backend = m->backend->create(m->backend->context, m->arena, config, number);
    p->backend_next = m->backend->next(p->backend);
    p->replies = ARENA_ARRAY(m->arena, uint32_t, config->memory.reply_queue);
    p->own = ARENA_ARRAY(m->arena, uint32_t, config->memory.reply_queue);
    // Per clock, each bank has one access, and one waiting request and one of the link are served.
    p->served = ARENA_ARRAY(m->arena, uint32_t, config->llc.banks + 2);
}

// From the network

// Returns true for a request of the partition's own endpoint, which gets its replies without a
// network.
static bool is_own(const struct memsys_partition *p, uint32_t entry)
{
    return p->memsys->pool.entries[entry].request.core == p->memsys->topology.cores + p->number;
}

static uint8_t path_of(const struct memsys_partition *p, uint32_t entry)
{
    return is_own(p, entry) ? PATH_OWN : PATH_NETWORK;
}

static const struct noc_packet *arrival(const struct memsys_partition *p,
                                        const struct memsys_message *message)
{
    return noc_peek(p->memsys->side[MEMSYS_REQUESTS].noc, p->node, message->request_class);
}

// Returns true if the gate or, without a gate, the slice's input has room for a request.
static bool has_room(const struct memsys_partition *p, const struct memsys_message *message,
                     uint64_t entry)
{
    const struct memsys_gate *gate = p->memsys->tables.gate;
    return gate ? gate->has_room(gate->context, p->number, &p->memsys->pool.entries[entry].request)
                : cache_can_put(&p->cache, message->input);
}

// Returns true if a request has arrived for which there is room; notes which have arrived and have
// none.
static bool can_accept_arrival(struct memsys_partition *p)
{
    const struct memsys *m = p->memsys;
    bool can = false;
    p->blocked = 0;
    for (uint32_t i = 0; i < m->message_count; i++) {
        const struct noc_packet *packet = arrival(p, &m->messages[i]);
        if (packet && has_room(p, &m->messages[i], packet->payload))
            can = true;
        else if (packet)
            p->blocked |= UINT32_C(1) << i;
    }
    return can;
}

static const uint8_t kinds[] = {[MEMSYS_READ] = CACHE_READ,
                                [MEMSYS_WRITE] = CACHE_WRITE,
                                [MEMSYS_ATOMIC] = CACHE_ATOMIC,
                                [MEMSYS_REDUCE] = CACHE_ATOMIC,
                                [MEMSYS_TOUCH] = CACHE_READ};

void memsys_partition_put(struct memsys_partition *p, uint32_t index, uint64_t now, uint32_t input)
{
    struct memsys *m = p->memsys;
    const struct memsys_request *request = &m->pool.entries[index].request;
    uint64_t size = m->config->llc.line_bytes;
    struct cache_request to = {.id = index,
                               .line = partition_local(&m->map, request->line * size) / size,
                               .bytes = request->bytes,
                               .kind = kinds[request->kind],
                               .touches = request->kind == MEMSYS_TOUCH,
                               .keep = request->keep,
                               .input = (uint8_t)input,
                               .path = path_of(p, index)};
    m->pool.entries[index].end[STAGE_DELAY] = now * m->clock.llc_period;
    cache_put(&p->cache, now, &to);
}

// Accepts the oldest request of this message class from the network if its input has room.
static uint32_t accept_arrival(struct memsys_partition *p, const struct memsys_moment *at,
                               const struct memsys_message *message)
{
    struct memsys *m = p->memsys;
    const struct noc_packet *packet = arrival(p, message);
    if (!packet || !has_room(p, message, packet->payload))
        return MEMSYS_NONE;
    uint32_t index = (uint32_t)packet->payload;
    m->pool.entries[index].arrived = packet->arrived * m->clock.network_period;
    m->pool.entries[index].end[STAGE_REQUEST] = at->time;
    noc_pop(m->side[MEMSYS_REQUESTS].noc, p->node, message->request_class);
    p->moved = true;
    return index;
}

static void put_arrival(struct memsys_partition *p, uint32_t index, uint64_t now, uint32_t input)
{
    const struct memsys_gate *gate = p->memsys->tables.gate;
    if (p->memsys->link && memsys_link_accept(p, index))
        return;
    if (gate)
        gate->accept(gate->context, p->number, index, &p->memsys->pool.entries[index].request, now);
    else
        memsys_partition_put(p, index, now, input);
}

// Returns true if a core is at the other side of the LLC.
static bool is_far(const struct memsys_partition *p, uint32_t endpoint)
{
    const struct memsys *m = p->memsys;
    const struct config_list *sides = &m->config->memory.core_sides;
    if (!m->config->memory.far_delay || endpoint >= m->topology.cores)
        return false;
    uint32_t side = sides->n ? sides->v[endpoint] : 2 * endpoint >= m->topology.cores;
    return side != (2 * p->number >= m->partition_count);
}

// Accepts at most one request per clock.
static void delay_arrival(struct memsys_partition *p, const struct memsys_moment *at,
                          uint32_t number)
{
    const struct memsys *m = p->memsys;
    uint32_t index = accept_arrival(p, at, &m->messages[number]);
    if (index == MEMSYS_NONE)
        return;
    bool far = is_far(p, m->pool.entries[index].request.core);
    uint64_t delay = m->config->memory.request_delay + (far ? m->config->memory.far_delay : 0);
    struct memsys_delayed last = {index, at->llc + delay};
    vec_push(m->arena, &p->delays[2 * number + far].all, last);
    p->delayed++;
}

// Moves at most one request per clock, after the accesses of the slice. While requests wait after
// their delay, the slice's input stays full and no request is accepted from the network.
static void end_delay(struct memsys_partition *p, const struct memsys_moment *at, uint32_t queue)
{
    struct memsys_delay *delay = &p->delays[queue];
    const struct memsys_message *message = &p->memsys->messages[queue / 2];
    if (delay->first == delay->all.n || delay->all.v[delay->first].ready > at->llc ||
        !has_room(p, message, delay->all.v[delay->first].entry))
        return;
    put_arrival(p, delay->all.v[delay->first++].entry, at->llc, message->input);
    p->delayed--;
    p->moved = true;
    if (delay->first < delay->all.n)
        __builtin_prefetch(&p->memsys->pool.entries[delay->all.v[delay->first].entry]);
    if (delay->first < delay->all.n / 2)
        return;
    delay->all.n -= delay->first;
    memmove(delay->all.v, delay->all.v + delay->first, delay->all.n * sizeof *delay->all.v);
    delay->first = 0;
}

static void accept_arrivals(struct memsys_partition *p, const struct memsys_moment *at,
                            uint32_t number)
{
    const struct memsys_message *message = &p->memsys->messages[number];
    uint32_t index;
    const struct memsys_keys *memory = &p->memsys->config->memory;
    if (memory->request_delay || memory->far_delay) {
        delay_arrival(p, at, number);
        return;
    }
    while ((index = accept_arrival(p, at, message)) != MEMSYS_NONE)
        put_arrival(p, index, at->llc, message->input);
}

// Gates

bool memsys_can_release(const struct memsys *m, uint32_t partition)
{
    return cache_can_put(&m->partitions[partition].cache, MEMSYS_FROM_NETWORK);
}

void memsys_release(struct memsys *m, uint32_t partition, uint32_t entry, uint64_t clock)
{
    m->partitions[partition].moved = true;
    memsys_partition_put(&m->partitions[partition], entry, clock, MEMSYS_FROM_NETWORK);
}

static uint64_t local_line(const struct memsys *m, const struct memsys_request *request)
{
    uint64_t size = m->config->llc.line_bytes;
    return partition_local(&m->map, request->line * size) / size;
}

bool memsys_warm(struct memsys *m, const struct memsys_request *request)
{
    uint32_t partition = memsys_partition_of(m, request->line);
    struct cache_request to = {.line = local_line(m, request),
                               .bytes = request->bytes,
                               .kind = kinds[request->kind],
                               .keep = request->keep};
    return cache_warm(&m->partitions[partition].cache, &to);
}

bool memsys_holds(const struct memsys *m, uint32_t partition, const struct memsys_request *request)
{
    return mask_within(request->bytes,
                       cache_known(&m->partitions[partition].cache, local_line(m, request)));
}

// Sets the words that the reply to a read carries, which the gate determines.
static void name_carried(struct memsys_partition *p, struct memsys_request *request)
{
    const struct memsys_gate *gate = p->memsys->tables.gate;
    if (!gate || request->kind != MEMSYS_READ || !p->memsys->config->named_reads)
        return;
    struct mask known = cache_known(&p->cache, local_line(p->memsys, request));
    request->words = gate->carried(gate->context, request, mask_to_words(known));
}

// Replies

static void append(uint32_t *ring, uint32_t room, uint32_t head, uint32_t *count, uint32_t entry)
{
    uint32_t to = head + (*count)++;
    ring[to < room ? to : to - room] = entry;
}

static bool accept_reply(struct memsys_partition *p, uint32_t index, uint64_t ready)
{
    struct memsys *m = p->memsys;
    if (m->pool.entries[index].waits) {
        m->pool.entries[index].left = true;
        return true;
    }
    bool own = is_own(p, index);
    uint32_t room = m->config->memory.reply_queue;
    if ((own ? p->own_count : p->reply_count) == room)
        return false;
    m->pool.entries[index].ready = ready * m->clock.llc_period;
    bool read = m->pool.entries[index].end[STAGE_DRAM];
    m->pool.entries[index].end[read ? STAGE_FILL : STAGE_SLICE] = m->pool.entries[index].ready;
    if (own) {
        append(p->own, room, p->own_head, &p->own_count, index);
        bits_set(m->wake.answers, m->topology.cores + p->number);
        m->wake.news = true;
    } else {
        append(p->replies, room, p->reply_head, &p->reply_count, index);
    }
    return true;
}

bool memsys_can_return(const struct memsys *m, uint32_t partition)
{
    const struct memsys_partition *p = &m->partitions[partition];
    uint32_t room = m->config->memory.reply_queue;
    return p->reply_count < room && p->own_count < room;
}

void memsys_return(struct memsys *m, uint32_t partition, uint32_t entry, uint64_t clock)
{
    m->partitions[partition].moved = true;
    m->pool.entries[entry].end[STAGE_DELAY] = clock * m->clock.llc_period;
    accept_reply(&m->partitions[partition], entry, clock);
}

// To and from the DRAM

static void note_read(struct memsys *m, const struct memsys_piece *piece)
{
    if (piece->entry == MEMSYS_NONE)
        return;
    uint64_t *end = m->pool.entries[piece->entry].end;
    end[STAGE_DRAM_DELAY] = piece->queued * m->clock.dram_period;
    end[STAGE_DRAM] = piece->done * m->clock.dram_period;
}

// Returns false if the piece must wait for the slice's port or for room for an acknowledgement.
static bool accept_piece(struct memsys_partition *p, const struct memsys_moment *at,
                         const struct memsys_piece *piece)
{
    if (piece->write)
        return piece->entry == MEMSYS_NONE || accept_reply(p, piece->entry, at->llc);
    if (!cache_can_fill(&p->cache, at->llc))
        return false;
    note_read(p->memsys, piece);
    cache_fill(&p->cache, at->llc, piece->line, piece->bytes);
    return true;
}

static void accept_fills(struct memsys_partition *p, const struct memsys_moment *at)
{
    const struct memsys_backend *backend = p->memsys->backend;
    const struct memsys_piece *piece;
    while ((piece = backend->peek(p->backend, at->dram_done))) {
        if (!accept_piece(p, at, piece))
            return;
        backend->pop(p->backend, at->dram);
        p->moved = true;
    }
}

// Sends a piece of the slice's oldest request to the backend. Returns false if the backend has no
// room.
static bool ask_for_piece(struct memsys_partition *p, const struct cache_out *out,
                          const struct memsys_moment *at)
{
    struct memsys *m = p->memsys;
    struct mask rest = mask_without(m->masks.line, m->masks.piece[p->piece]);
    struct mask bytes = mask_without(out->bytes, rest);
    if (!mask_any(bytes))
        return true;
    const struct memsys_piece piece = {.line = out->line,
                                       .number = p->piece,
                                       .bytes = bytes,
                                       .write = out->write,
                                       .entry = (uint32_t)out->id};
    if (!m->backend->can_accept(p->backend, &piece))
        return false;
    if (piece.entry != MEMSYS_NONE) {
        m->pool.entries[piece.entry].end[STAGE_SLICE] = out->since * m->clock.llc_period;
        m->pool.entries[piece.entry].end[STAGE_OUT] = at->time;
    }
    m->backend->accept(p->backend, at->dram, &piece);
    if (m->tables.sites)
        memsys_count_piece(m, &piece);
    p->moved = true;
    return true;
}

static void ask_dram(struct memsys_partition *p, const struct memsys_moment *at)
{
    const struct cache_out *out;
    while ((out = cache_out_peek(&p->cache))) {
        for (; p->piece < p->memsys->masks.pieces; p->piece++)
            if (!ask_for_piece(p, out, at))
                return;
        p->piece = 0;
        cache_out_pop(&p->cache, at->llc);
    }
}

// To the network

// Handles requests that the owner answered with MEMSYS_WAIT and has served since.
static void accept_late_replies(struct memsys_partition *p, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->waiting.n; i++) {
        uint32_t index = p->waiting.v[i];
        const struct memsys_entry *entry = &p->memsys->pool.entries[index];
        if (entry->waits || (entry->left && !accept_reply(p, index, now)))
            p->waiting.v[kept++] = index;
    }
    p->moved |= kept < p->waiting.n;
    p->waiting.n = kept;
}

// Returns true if no reply of the slice to the network can be accepted.
static bool is_network_full(const struct memsys_partition *p)
{
    return p->reply_count == p->memsys->config->memory.reply_queue && !p->waiting.n;
}

// Accepts the replies that were served in earlier clocks, and serves one request.
static void accept_crossed(struct memsys_partition *p, uint64_t now)
{
    uint32_t entry;
    while ((entry = memsys_link_reply(p)) != MEMSYS_NONE && accept_reply(p, entry, now)) {
        memsys_link_pop(p);
        p->moved = true;
    }
    entry = memsys_link_serve(p, now);
    if (entry != MEMSYS_NONE)
        p->served[p->served_count++] = entry;
    p->moved |= entry != MEMSYS_NONE;
}

static void accept_replies(struct memsys_partition *p, const struct memsys_moment *at)
{
    const struct cache_reply *answer;
    if (p->waiting.n)
        accept_late_replies(p, at->llc);
    if (p->far.n)
        accept_crossed(p, at->llc);
    for (uint32_t path = is_network_full(p) ? PATH_OWN : 0; path < CACHE_PATHS; path++)
        while ((answer = cache_reply_peek(&p->cache, path, at->llc)) &&
               accept_reply(p, (uint32_t)answer->id, answer->ready)) {
            cache_reply_pop(&p->cache, path, at->llc);
            p->moved = true;
        }
}

// Returns true if the network still refuses the oldest reply. If each refusal is offered to the
// owner, this is not known.
static bool is_refused(const struct memsys_partition *p)
{
    const struct noc *noc = p->memsys->side[MEMSYS_REPLIES].noc;
    return p->refused_flits && !noc_can_send(noc, p->node, p->refused_class, p->refused_flits);
}

static uint32_t part_flits(const struct memsys *m)
{
    const struct memsys_keys *memory = &m->config->memory;
    return noc_flits(&m->config->reply_network,
                     memory->header_bytes + memory->reply_sectors * memory->sector_bytes);
}

static void send_replies(struct memsys_partition *p)
{
    struct memsys *m = p->memsys;
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    if (is_refused(p))
        return;
    p->refused_flits = 0;
    for (bool is_first = true; p->reply_count; is_first = false) {
        uint32_t index = p->replies[p->reply_head];
        const struct memsys_request *request = &m->pool.entries[index].request;
        const struct memsys_message *message = &m->messages[request->message];
        bool in_parts = memsys_in_parts(m, request);
        uint32_t flits = in_parts ? part_flits(m) : memsys_reply_flits(m, request);
        struct memsys_offer offer = {.network = side->noc,
                                     .cycle = noc_cycle(side->noc),
                                     .node = p->node,
                                     .flits = flits,
                                     .waiting = p->reply_count,
                                     .reply = request};
        offer.taken = noc_can_send(side->noc, p->node, message->reply_class, flits);
        if (is_first || offer.taken)
            memsys_show_offer(m, &offer);
        if (!offer.taken) {
            p->refused_flits = m->tables.replies.offered ? 0 : flits;
            p->refused_class = message->reply_class;
            return;
        }
        uint32_t sent = in_parts ? memsys_split_reply(m, index) : index;
        request = &m->pool.entries[sent].request;
        struct noc_packet packet = {
            .payload = sent,
            .created = noc_cycle(side->noc),
            .source = p->node,
            .target = m->topology.endpoint_node[request->core],
            .flits = (uint16_t)flits,
            .class = message->reply_class,
            .priority = memsys_reply_priority(m, p->node, request, message->reply_priority)};
        noc_send(side->noc, &packet);
        m->pool.entries[sent].end[STAGE_REPLY_QUEUE] = packet.created * m->clock.network_period;
        p->moved = true;
        if (in_parts)
            continue;
        p->reply_head = p->reply_head + 1 < m->config->memory.reply_queue ? p->reply_head + 1 : 0;
        p->reply_count--;
    }
}

// Time

static void wake(struct memsys_partition *p, uint64_t clock)
{
    if (clock < p->due)
        p->due = clock;
}

// Returns the clock of the LLC in which the backend's oldest piece is ready.
static uint64_t reply_clock(const struct memsys_partition *p)
{
    const struct memsys *m = p->memsys;
    uint64_t ready = m->backend->ready(p->backend);
    return ready == UINT64_MAX ? ready
                               : divide_up(ready * m->clock.dram_period, m->clock.llc_period);
}

// Returns the clock in which the first delay of a request ends.
static uint64_t delay_end(const struct memsys_partition *p)
{
    uint64_t end = UINT64_MAX;
    for (uint32_t i = 0; i < 2 * p->memsys->message_count; i++) {
        const struct memsys_delay *delay = &p->delays[i];
        if (delay->first < delay->all.n)
            end = smaller(end, delay->all.v[delay->first].ready);
    }
    return end;
}

static void set_due(struct memsys_partition *p, uint64_t now)
{
    const struct memsys *m = p->memsys;
    p->due = p->cache.next;
    const struct memsys_gate *gate = m->tables.gate;
    if (p->delayed)
        wake(p, delay_end(p));
    if (p->reply_count || p->waiting.n || can_accept_arrival(p) ||
        (gate && gate->is_due(gate->context, p->number)))
        wake(p, now + 1);
    if (p->reply_count < m->config->memory.reply_queue)
        wake(p, cache_reply_next(&p->cache, PATH_NETWORK));
    wake(p, cache_reply_next(&p->cache, PATH_OWN));
    wake(p, reply_clock(p));
    if (p->far.n)
        wake(p, memsys_link_due(p, now));
    p->backend_next = m->backend->next(p->backend);
    if (p->due <= now)
        p->due = now + 1;
}

void memsys_partition_tick(struct memsys_partition *p, const struct memsys_moment *at)
{
    p->moved = false;
    if (p->reply_count && !p->refused_flits) // used by send_replies
        __builtin_prefetch(&p->memsys->pool.entries[p->replies[p->reply_head]]);
    accept_fills(p, at);
    for (uint32_t i = 0; i < p->memsys->message_count; i++)
        accept_arrivals(p, at, i);
    const struct memsys_gate *gate = p->memsys->tables.gate;
    if (gate)
        gate->tick(gate->context, p->number, at->llc);
    cache_tick(&p->cache, at->llc);
    for (uint32_t i = 0; p->delayed && i < 2 * p->memsys->message_count; i++)
        end_delay(p, at, i);
    p->moved |= p->served_count > 0;
    ask_dram(p, at);
    accept_replies(p, at);
    send_replies(p);
    set_due(p, at->llc);
    if (p->moved)
        p->memsys->clock.moved = at->time;
}

void memsys_partition_notify(struct memsys_partition *p, uint64_t next)
{
    struct memsys *m = p->memsys;
    if (p->far_sent < p->far.n) {
        memsys_link_send(p, m->clock.time);
        wake(p, memsys_link_due(p, next - 1));
    }
    for (uint32_t i = 0; i < p->waiting.n; i++) {
        struct memsys_entry *entry = &m->pool.entries[p->waiting.v[i]];
        if (entry->waits)
            entry->waits = m->serve(m->context, &entry->request) == MEMSYS_WAIT;
    }
    for (uint32_t i = 0; i < p->served_count && m->serve; i++) {
        struct memsys_entry *entry = &m->pool.entries[p->served[i]];
        entry->waits = m->serve(m->context, &entry->request) == MEMSYS_WAIT;
        if (entry->waits) {
            vec_push(m->arena, &p->waiting, p->served[i]);
            wake(p, next);
        }
        name_carried(p, &entry->request);
    }
    p->served_count = 0;
}

void memsys_partition_dram(struct memsys_partition *p, uint64_t clock, uint64_t next, bool due)
{
    const struct memsys *m = p->memsys;
    if (due) {
        m->backend->tick(p->backend, clock);
        p->backend_next = m->backend->next(p->backend);
        uint64_t ready = reply_clock(p);
        wake(p, ready > next ? ready : next);
    }
    if (cache_out_peek(&p->cache))
        wake(p, next);
}

void memsys_look_at_gates(struct memsys *m)
{
    for (uint32_t i = 0; i < m->partition_count; i++)
        wake(&m->partitions[i],
             divide_up(m->clock.cycle * m->clock.core_period, m->clock.llc_period));
    m->schedule.next = 0;
}
