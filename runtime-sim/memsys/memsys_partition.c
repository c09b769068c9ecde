// A partition: what arrives from the request network goes into the slice, what the slice asks for
// to the DRAM, what it has served to the reply network.
#include "runtime-sim/memsys/memsys_state.h"
#include "support/bits.h"

static const uint64_t write_id = UINT64_MAX;

// The slice

static void take_served(void *context, const struct cache_request *request, uint64_t now)
{
    struct memsys_partition *p = context;
    (void)now;
    p->memsys->entries[request->id].request.from = request->from;
    p->served[p->served_count++] = (uint32_t)request->id;
}

static void init_transfers(struct memsys_partition *p, struct arena *arena)
{
    const struct dram_config *dram = &p->memsys->config->dram;
    uint32_t count = (uint32_t)(dram->channels * (dram->queue + dram->answers));
    p->transfers = ARENA_ARRAY(arena, struct memsys_transfer, count);
    for (uint32_t i = 0; i < count; i++)
        p->transfers[i].next = i + 1 < count ? i + 1 : MEMSYS_NONE;
}

void memsys_partition_init(struct memsys_partition *p, struct memsys *m, uint32_t number)
{
    const struct memsys_config *config = m->config;
    *p = (struct memsys_partition){
        .memsys = m, .number = number, .node = m->partition_node[number], .due = UINT64_MAX};
    cache_init(&p->cache, m->arena, &config->llc, MEMSYS_INPUTS);
    for (uint32_t i = 0; i < MEMSYS_INPUTS; i++) {
        p->cache.inputs[i].serve = take_served;
        p->cache.inputs[i].context = p;
    }
    p->channels = ARENA_ARRAY(m->arena, struct dram_channel, config->dram.channels);
    for (uint32_t i = 0; i < config->dram.channels; i++)
        dram_init(&p->channels[i], m->arena, &config->dram);
    init_transfers(p, m->arena);
    p->replies = ARENA_ARRAY(m->arena, uint32_t, config->memory.reply_queue);
    p->own = ARENA_ARRAY(m->arena, uint32_t, config->memory.reply_queue);
    // In a clock each bank has one access, and one request that waited is served.
    p->served = ARENA_ARRAY(m->arena, uint32_t, config->llc.banks + 1);
}

// From the network

static const struct noc_packet *arrival(const struct memsys_partition *p)
{
    const struct memsys_side *side = &p->memsys->side[MEMSYS_REQUESTS];
    return noc_peek(side->noc, p->node, side->class);
}

void memsys_partition_put(struct memsys_partition *p, uint32_t index, uint64_t now, uint32_t input)
{
    static const uint8_t kinds[] = {[MEMSYS_READ] = CACHE_READ,
                                    [MEMSYS_WRITE] = CACHE_WRITE,
                                    [MEMSYS_ATOMIC] = CACHE_ATOMIC,
                                    [MEMSYS_REDUCE] = CACHE_ATOMIC,
                                    [MEMSYS_TOUCH] = CACHE_READ};
    const struct memsys *m = p->memsys;
    const struct memsys_request *request = &m->entries[index].request;
    uint64_t size = m->config->llc.line_bytes;
    struct cache_request to = {.id = index,
                               .line = partition_local(&m->map, request->line * size) / size,
                               .bytes = request->bytes,
                               .kind = kinds[request->kind],
                               .touches = request->kind == MEMSYS_TOUCH,
                               .keep = request->keep,
                               .input = (uint8_t)input};
    cache_put(&p->cache, now, &to);
}

static void take_arrivals(struct memsys_partition *p, const struct memsys_moment *at)
{
    struct memsys *m = p->memsys;
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    const struct noc_packet *packet;
    while (cache_can_put(&p->cache, MEMSYS_FROM_NETWORK) && (packet = arrival(p))) {
        m->entries[packet->payload].arrived = packet->arrived * m->network_period;
        memsys_partition_put(p, (uint32_t)packet->payload, at->llc, MEMSYS_FROM_NETWORK);
        noc_pop(side->noc, p->node, side->class);
        p->moved = true;
    }
}

// To and from the DRAM

static void take_fills(struct memsys_partition *p, const struct memsys_moment *at)
{
    uint64_t channels = p->memsys->config->dram.channels;
    for (uint32_t i = 0; i < channels; i++) {
        const struct dram_answer *answer;
        while ((answer = dram_peek(&p->channels[i], at->dram_done))) {
            if (!answer->write) {
                struct memsys_transfer *transfer = &p->transfers[answer->id];
                cache_fill(&p->cache, at->llc, transfer->line, transfer->bytes);
                transfer->next = p->unused;
                p->unused = (uint32_t)answer->id;
            }
            dram_pop(&p->channels[i], at->dram);
            p->moved = true;
        }
    }
}

static uint64_t new_transfer(struct memsys_partition *p, uint64_t line, struct mask bytes)
{
    uint32_t index = p->unused;
    p->unused = p->transfers[index].next;
    p->transfers[index] = (struct memsys_transfer){line, bytes, MEMSYS_NONE};
    return index;
}

// Gives the DRAM a piece of what the slice asks for. False if it has no room.
static bool ask_for_piece(struct memsys_partition *p, const struct cache_out *out, uint64_t now)
{
    const struct memsys *m = p->memsys;
    const struct memsys_config *config = m->config;
    struct mask rest = mask_without(m->line, m->piece[p->piece]);
    struct mask bytes = mask_without(out->bytes, rest);
    if (!mask_any(bytes))
        return true;
    uint64_t address = out->line * config->llc.line_bytes + p->piece * config->dram.request_bytes;
    struct dram_place place = dram_map_find(&m->dram_map, address);
    struct dram_channel *channel = &p->channels[place.channel];
    if (!dram_can_take(channel, out->write))
        return false;
    struct dram_request request = {.id = out->write ? write_id : new_transfer(p, out->line, bytes),
                                   .bank = place.bank,
                                   .row = place.row,
                                   .write = out->write};
    dram_take(channel, now, now, &request);
    p->moved = true;
    return true;
}

static void ask_dram(struct memsys_partition *p, const struct memsys_moment *at)
{
    const struct cache_out *out;
    while ((out = cache_out_peek(&p->cache))) {
        for (; p->piece < p->memsys->pieces; p->piece++)
            if (!ask_for_piece(p, out, at->dram))
                return;
        p->piece = 0;
        cache_out_pop(&p->cache, at->llc);
    }
}

// To the network

// The partition's own end gets its answers without a network.
static bool is_own(const struct memsys_partition *p, uint32_t entry)
{
    return p->memsys->entries[entry].request.core == p->memsys->cores + p->number;
}

static void append(uint32_t *ring, uint32_t room, uint32_t head, uint32_t *count, uint32_t entry)
{
    uint32_t to = head + (*count)++;
    ring[to < room ? to : to - room] = entry;
}

static bool take_answer(struct memsys_partition *p, uint32_t index, uint64_t ready)
{
    struct memsys *m = p->memsys;
    bool own = is_own(p, index);
    uint32_t room = (uint32_t)m->config->memory.reply_queue;
    if ((own ? p->own_count : p->reply_count) == room)
        return false;
    m->entries[index].ready = ready * m->llc_period;
    if (own) {
        append(p->own, room, p->own_head, &p->own_count, index);
        bits_set(m->answers, m->cores + p->number);
        m->news = true;
    } else {
        append(p->replies, room, p->reply_head, &p->reply_count, index);
    }
    return true;
}

static void take_answers(struct memsys_partition *p, const struct memsys_moment *at)
{
    const struct cache_answer *answer;
    while ((answer = cache_answer_peek(&p->cache, at->llc)) &&
           take_answer(p, (uint32_t)answer->id, answer->ready)) {
        cache_answer_pop(&p->cache, at->llc);
        p->moved = true;
    }
}

static void send_replies(struct memsys_partition *p)
{
    struct memsys *m = p->memsys;
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    while (p->reply_count) {
        uint32_t index = p->replies[p->reply_head];
        const struct memsys_request *request = &m->entries[index].request;
        uint32_t flits = memsys_reply_flits(m, request);
        if (!noc_can_send(side->noc, p->node, side->class, flits))
            return;
        struct noc_packet packet = {.payload = index,
                                    .created = noc_cycle(side->noc),
                                    .source = p->node,
                                    .target = m->end_node[request->core],
                                    .flits = (uint16_t)flits,
                                    .class = (uint8_t)side->class};
        noc_send(side->noc, &packet);
        p->reply_head = p->reply_head + 1 < m->config->memory.reply_queue ? p->reply_head + 1 : 0;
        p->reply_count--;
        p->moved = true;
    }
}

// Time

static void wake(struct memsys_partition *p, uint64_t clock)
{
    if (clock < p->due)
        p->due = clock;
}

// The clock of the LLC at which the channel's oldest answer is there.
static uint64_t answer_clock(const struct memsys *m, const struct dram_channel *channel)
{
    if (!channel->answer_count)
        return UINT64_MAX;
    return memsys_later(channel->answers[channel->answer_head].ready * m->dram_period,
                        m->llc_period);
}

static void set_due(struct memsys_partition *p, uint64_t now)
{
    const struct memsys *m = p->memsys;
    p->due = p->cache.next;
    if (p->reply_count || (cache_can_put(&p->cache, MEMSYS_FROM_NETWORK) && arrival(p)))
        wake(p, now + 1);
    // A full queue of its own is emptied by its end, which does not say when.
    if (p->reply_count < m->config->memory.reply_queue)
        wake(p, cache_answer_next(&p->cache));
    for (uint32_t i = 0; i < m->config->dram.channels; i++)
        wake(p, answer_clock(m, &p->channels[i]));
    if (p->due <= now)
        p->due = now + 1;
}

void memsys_partition_tick(struct memsys_partition *p, const struct memsys_moment *at)
{
    p->moved = false;
    take_fills(p, at);
    take_arrivals(p, at);
    cache_tick(&p->cache, at->llc);
    p->moved |= p->served_count > 0;
    ask_dram(p, at);
    take_answers(p, at);
    send_replies(p);
    set_due(p, at->llc);
    if (p->moved)
        p->memsys->moved = at->time;
}

void memsys_partition_tell(struct memsys_partition *p)
{
    struct memsys *m = p->memsys;
    for (uint32_t i = 0; i < p->served_count && m->serve; i++)
        m->serve(m->context, &m->entries[p->served[i]].request);
    p->served_count = 0;
}

void memsys_partition_dram(struct memsys_partition *p, uint64_t clock, uint64_t next)
{
    const struct memsys *m = p->memsys;
    for (uint32_t i = 0; i < m->config->dram.channels; i++) {
        struct dram_channel *channel = &p->channels[i];
        if (channel->next > clock)
            continue;
        dram_tick(channel, clock);
        uint64_t ready = answer_clock(m, channel);
        wake(p, ready > next ? ready : next);
    }
    if (cache_out_peek(&p->cache))
        wake(p, next);
}
