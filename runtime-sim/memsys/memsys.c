#include "runtime-sim/memsys/memsys.h"
#include "runtime-sim/memsys/memsys_state.h"
#include "support/bits.h"
#include "support/random.h"
#include <assert.h>

// Sizes of packets

static uint32_t sector_data(const struct memsys *m, struct mask bytes)
{
    return mask_count(memsys_sectors_of(m, bytes));
}

static bool carries_sectors(const struct memsys *m, const struct memsys_request *request)
{
    return m->config->memory.sectors || request->by_sector;
}

// A store carries the sectors that it touches, and a bit for each byte of the line if it does not
// cover them.
static uint32_t store_data(const struct memsys *m, struct mask bytes)
{
    uint32_t data = sector_data(m, bytes);
    return data + (data > mask_count(bytes) ? divide_up(m->config->llc.line_bytes, 8) : 0);
}

uint32_t memsys_request_flits(const struct memsys *m, const struct memsys_request *request)
{
    if (request->kind == MEMSYS_PACKET)
        return request->flits;
    uint32_t data = request->kind == MEMSYS_READ    ? 0
                    : request->kind == MEMSYS_WRITE ? store_data(m, request->bytes)
                                                    : request->carries;
    return noc_flits(&m->config->request_network, m->config->memory.header_bytes + data);
}

uint32_t memsys_reply_flits(const struct memsys *m, const struct memsys_request *request)
{
    if (request->kind == MEMSYS_PACKET)
        return request->flits;
    uint32_t data = request->kind == MEMSYS_ATOMIC ? request->returns
                    : request->kind != MEMSYS_READ ? 0
                    : carries_sectors(m, request)  ? sector_data(m, request->bytes)
                                                   : m->config->llc.line_bytes;
    return noc_flits(&m->config->reply_network, m->config->memory.header_bytes + data);
}

// Cores

static const struct memsys_message *message_of(const struct memsys *m,
                                               const struct memsys_request *request)
{
    const struct memsys_gate *gate = m->tables.gate;
    return &m->messages[gate ? gate->message_of(gate->context, request) : request->message];
}

static bool can_send_past(struct memsys *m, struct memsys_path *path,
                          const struct memsys_request *request)
{
    path->refused = !path->past->can_send(path->past->context, request);
    m->stats.refused += path->refused;
    return !path->refused;
}

bool memsys_can_send(struct memsys *m, const struct memsys_request *request)
{
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    uint32_t core = request->core, flits = memsys_request_flits(m, request);
    struct memsys_path *path = memsys_path_of(m, core);
    bits_clear(m->wake.may_send, core);
    if (path)
        return can_send_past(m, path, request);
    if (m->sharing.ports && core < m->topology.cores)
        return memsys_port_can_send(m, core);
    uint8_t class = message_of(m, request)->request_class;
    if (noc_can_send(side->noc, m->topology.endpoint_node[core], class, flits))
        return true;
    m->stats.refused++;
    m->wake.refused_count += !bits_test(m->wake.refused, core);
    bits_set(m->wake.refused, core);
    m->wake.wanted[core] = flits;
    m->wake.wanted_class[core] = class;
    return false;
}

static void grow_entries(struct memsys_pool *pool, struct arena *arena)
{
    uint32_t old = pool->count, count = old ? 2 * old : 256;
    pool->entries = arena_grow(arena, pool->entries, old * sizeof *pool->entries,
                               count * sizeof *pool->entries);
    for (uint32_t i = old; i < count; i++)
        pool->entries[i].next = i + 1 < count ? i + 1 : MEMSYS_NONE;
    pool->unused = old;
    pool->count = count;
}

static void count_sent(struct memsys *m, const struct memsys_request *request)
{
    uint64_t *const kinds[] = {
        [MEMSYS_READ] = &m->stats.reads,     [MEMSYS_WRITE] = &m->stats.writes,
        [MEMSYS_ATOMIC] = &m->stats.atomics, [MEMSYS_REDUCE] = &m->stats.reductions,
        [MEMSYS_TOUCH] = &m->stats.touches,  [MEMSYS_PACKET] = &m->stats.packets};
    ++*kinds[request->kind];
    m->sums.requester[request->requester].requests++;
    m->pool.inside++;
}

static uint32_t allocate_entry(struct memsys *m)
{
    if (m->pool.unused == MEMSYS_NONE)
        grow_entries(&m->pool, m->arena);
    uint32_t index = m->pool.unused;
    m->pool.unused = m->pool.entries[index].next;
    return index;
}

// Returns the lowest sectors of a set of sectors, as many as a packet carries.
static struct mask lowest_sectors(const struct memsys *m, struct mask sectors)
{
    struct mask lowest = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->masks.sectors && count < m->config->memory.reply_sectors; i++)
        if (mask_intersects(m->masks.sector[i], sectors)) {
            lowest = mask_or(lowest, m->masks.sector[i]);
            count++;
        }
    return lowest;
}

bool memsys_in_parts(const struct memsys *m, const struct memsys_request *reply)
{
    return m->config->memory.sector_replies && reply->kind == MEMSYS_READ &&
           reply->requester < m->tables.in_sectors &&
           mask_any(mask_without(reply->bytes, lowest_sectors(m, reply->bytes)));
}

uint32_t memsys_split_reply(struct memsys *m, uint32_t index)
{
    uint32_t part = allocate_entry(m);
    struct memsys_request *whole = &m->pool.entries[index].request;
    struct mask sectors = lowest_sectors(m, whole->bytes);
    m->pool.entries[part] = m->pool.entries[index];
    m->pool.entries[part].request.bytes = sectors;
    m->pool.entries[part].request.more = true;
    whole->bytes = mask_without(whole->bytes, sectors);
    m->pool.inside++;
    return part;
}

uint32_t memsys_new_entry(struct memsys *m, const struct memsys_request *request)
{
    uint32_t index = allocate_entry(m);
    struct memsys_entry *entry = &m->pool.entries[index];
    *entry =
        (struct memsys_entry){.request = *request, .sent = m->clock.cycle * m->clock.core_period};
    entry->created = request->since ? request->since * m->clock.core_period : entry->sent;
    entry->request.message = (uint8_t)(message_of(m, request) - m->messages);
    if (request->kind == MEMSYS_READ && !m->config->named_reads)
        entry->request.bytes =
            carries_sectors(m, request) ? memsys_sectors_of(m, request->bytes) : m->masks.line;
    entry->partition = memsys_partition_of(m, request->line);
    count_sent(m, request);
    m->schedule.next = 0;
    return index;
}

void memsys_send_from(struct memsys *m, uint32_t from, const struct memsys_request *request)
{
    assert(request->requester < m->tables.requester_count && mask_any(request->bytes));
    memsys_send_entry(m, from, memsys_new_entry(m, request));
}

void memsys_send_entry(struct memsys *m, uint32_t from, uint32_t index)
{
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    const struct memsys_request *request = &m->pool.entries[index].request;
    const struct memsys_message *message = &m->messages[request->message];
    struct noc_packet packet = {.payload = index,
                                .created = noc_cycle(side->noc),
                                .source = m->topology.endpoint_node[from],
                                .target =
                                    m->topology.partition_node[m->pool.entries[index].partition],
                                .flits = (uint16_t)memsys_request_flits(m, request),
                                .class = message->request_class,
                                .priority = message->request_priority};
    noc_send(side->noc, &packet);
}

void memsys_send(struct memsys *m, const struct memsys_request *request)
{
    const struct memsys_path *path = memsys_path_of(m, request->core);
    if (m->sharing.ports && request->core < m->topology.cores)
        memsys_port_send(m, request->core, memsys_new_entry(m, request));
    else if (!path)
        memsys_send_from(m, request->core, request);
    else
        path->past->send(path->past->context, memsys_new_entry(m, request), request);
}

// Returns the oldest packet of the first message class that has one.
static const struct noc_packet *reply_packet(const struct memsys *m, uint32_t end)
{
    const struct noc *noc = m->side[MEMSYS_REPLIES].noc;
    for (uint32_t i = 0; i < m->message_count; i++) {
        const struct noc_packet *packet =
            noc_peek(noc, m->topology.endpoint_node[end], m->messages[i].reply_class);
        if (packet && (!m->sharing.any || m->pool.entries[packet->payload].request.core == end))
            return packet;
    }
    return NULL;
}

// Returns the partition whose own endpoint this is if it has replies for the endpoint, or NULL.
static struct memsys_partition *own_replies(const struct memsys *m, uint32_t end)
{
    if (memsys_kind_of_endpoint(m, end) != MEMSYS_AT_PARTITION)
        return NULL;
    struct memsys_partition *p = &m->partitions[end - m->topology.cores];
    return p->own_count ? p : NULL;
}

const struct memsys_request *memsys_peek(const struct memsys *m, uint32_t end)
{
    if (!bits_test(m->wake.answers, end))
        return NULL;
    const struct memsys_partition *own = own_replies(m, end);
    const struct memsys_path *path = memsys_path_of(m, end);
    if (own)
        return &m->pool.entries[own->own[own->own_head]].request;
    if (path)
        return path->first == MEMSYS_NONE ? NULL : &m->pool.entries[path->first].request;
    const struct noc_packet *packet = reply_packet(m, end);
    return packet ? &m->pool.entries[packet->payload].request : NULL;
}

// Counts the latencies of a reply whose head left the slice at `entered` and whose tail arrived at
// `arrived`.
static void count_latency(struct memsys_requester_stats *stats, const struct memsys_entry *entry,
                          uint64_t entered, uint64_t arrived)
{
    uint64_t latency = arrived - entry->sent;
    uint64_t injection = entered - entry->ready;
    uint64_t service = entry->ready - entry->arrived;
    stats->latency_sum += latency;
    stats->injection_sum += injection;
    stats->service_sum += service;
    stats->noc_sum += latency - injection - service;
}

// Counts the time in each stage. A read that skipped a stage left it at the time at which it left
// the previous one.
static void count_stages(struct memsys *m, const struct memsys_entry *entry, uint64_t arrived)
{
    uint64_t last = entry->created;
    for (uint32_t i = 0; i < MEMSYS_STAGES; i++) {
        uint64_t end = entry->end[i] > last ? entry->end[i] : last;
        m->sums.stage[i] += end - last;
        last = end;
    }
    m->sums.stage[MEMSYS_STAGES] += arrived - last;
    m->stats.reads_answered++;
}

static void count_reply(struct memsys *m, const struct memsys_entry *entry, uint64_t entered,
                        uint64_t arrived)
{
    struct memsys_requester_stats *stats = &m->sums.requester[entry->request.requester];
    if (entry->request.more)
        return;
    uint64_t *const from[] = {[CACHE_HIT] = &stats->from_llc,
                              [CACHE_MERGED] = &stats->from_merge,
                              [CACHE_FETCHED] = &stats->from_dram};
    stats->answers++;
    if (!memsys_has_data(&entry->request))
        return;
    stats->data_answers++;
    if (entry->request.kind != MEMSYS_PACKET)
        ++*from[entry->request.from];
    count_latency(stats, entry, entered, arrived);
    if (entry->request.kind == MEMSYS_READ && !m->tables.requesters[entry->request.requester].apart)
        count_stages(m, entry, arrived);
}

void memsys_free_entry(struct memsys *m, uint32_t index)
{
    m->pool.inside--;
    m->pool.entries[index].next = m->pool.unused;
    m->pool.unused = index;
    m->schedule.next = 0;
}

static void pop_own(struct memsys *m, struct memsys_partition *p)
{
    uint32_t index = p->own[p->own_head];
    uint64_t ready = m->pool.entries[index].ready;
    count_reply(m, &m->pool.entries[index], ready, ready);
    memsys_free_entry(m, index);
    p->own_head = p->own_head + 1 < m->config->memory.reply_queue ? p->own_head + 1 : 0;
    p->own_count--;
}

static void pop_past(struct memsys *m, struct memsys_path *path)
{
    uint32_t index = path->first;
    path->first = m->pool.entries[index].next;
    count_reply(m, &m->pool.entries[index], m->pool.entries[index].ready,
                m->pool.entries[index].ready);
    memsys_free_entry(m, index);
}

// Records that a node has a new oldest reply. Its endpoint is notified after all cores have been
// evaluated, so that their order does not matter.
static void note_shown(struct memsys *m, uint32_t node, uint32_t class)
{
    struct memsys_shown shown = {node, class};
    vec_push(m->arena, &m->wake.shown, shown);
}

void memsys_pop(struct memsys *m, uint32_t end)
{
    struct memsys_path *path = memsys_path_of(m, end);
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    struct memsys_partition *own = own_replies(m, end);
    if (own) {
        pop_own(m, own);
    } else if (path) {
        pop_past(m, path);
    } else {
        const struct noc_packet *packet = reply_packet(m, end);
        uint32_t index = (uint32_t)packet->payload;
        count_reply(m, &m->pool.entries[index], packet->entered * m->clock.network_period,
                    packet->arrived * m->clock.network_period);
        uint8_t class = packet->class;
        memsys_free_entry(m, index);
        noc_pop(side->noc, m->topology.endpoint_node[end], class);
        if (m->sharing.any)
            note_shown(m, m->topology.endpoint_node[end], class);
    }
    if (!memsys_peek(m, end))
        bits_clear(m->wake.answers, end);
}

uint64_t memsys_reply_endpoints(const struct memsys *m, uint32_t word)
{
    return m->wake.answers[word];
}

uint64_t memsys_may_send(const struct memsys *m, uint32_t word)
{
    return m->wake.may_send[word];
}

// Time

static uint64_t times(uint64_t clock, uint64_t period)
{
    return clock == UINT64_MAX ? UINT64_MAX : clock * period;
}

static uint64_t partitions_due(const struct memsys *m)
{
    uint64_t due = UINT64_MAX;
    for (uint32_t i = 0; i < m->partition_count; i++)
        if (m->partitions[i].due < due)
            due = m->partitions[i].due;
    return due;
}

static uint64_t backends_due(const struct memsys *m)
{
    uint64_t due = UINT64_MAX;
    if (m->backend->is_shared)
        return m->backend->next(m->partitions[0].backend);
    for (uint32_t i = 0; i < m->partition_count; i++)
        if (m->partitions[i].backend_next < due)
            due = m->partitions[i].backend_next;
    return due;
}

// Returns the next point of time at which a component has something to do.
static uint64_t next_time(const struct memsys *m)
{
    uint64_t networks =
        smaller(noc_next(m->side[MEMSYS_REQUESTS].noc), noc_next(m->side[MEMSYS_REPLIES].noc));
    uint64_t others = smaller(times(partitions_due(m), m->clock.llc_period),
                              times(backends_due(m), m->clock.dram_period));
    return smaller(times(networks, m->clock.network_period), others);
}

// Finds the partitions that are due at this clock. Returns their number.
static uint32_t order_partitions(struct memsys *m, uint64_t clock)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->partition_count; i++)
        if (m->partitions[i].due <= clock)
            m->schedule.order[count++] = i;
    for (uint32_t n = count; m->schedule.shuffle && n > 1; n--) {
        uint32_t at = (uint32_t)(xorshift64(&m->schedule.shuffle) % n),
                 chosen = m->schedule.order[at];
        m->schedule.order[at] = m->schedule.order[n - 1];
        m->schedule.order[n - 1] = chosen;
    }
    return count;
}

static void tick_partitions(struct memsys *m, uint64_t time)
{
    struct memsys_moment at = {.time = time, .llc = time / m->clock.llc_period};
    if (at.llc * m->clock.llc_period != time)
        return;
    uint32_t count = order_partitions(m, at.llc);
    if (!count)
        return;
    at.dram_done = time / m->clock.dram_period;
    at.dram = divide_up(time, m->clock.dram_period);
    for (uint32_t i = 0; i < count; i++)
        memsys_partition_tick(&m->partitions[m->schedule.order[i]], &at);
    for (uint32_t i = 0; i < m->partition_count; i++)
        if (m->partitions[i].served_count || m->partitions[i].waiting.n ||
            m->partitions[i].far_sent < m->partitions[i].far.n)
            memsys_partition_notify(&m->partitions[i], at.llc + 1);
}

static void tick_backends(struct memsys *m, uint64_t time)
{
    uint64_t clock = time / m->clock.dram_period, next = time / m->clock.llc_period + 1;
    if (clock * m->clock.dram_period != time || backends_due(m) > clock)
        return;
    uint32_t share = m->config->memory.channel_slices;
    for (uint32_t first = 0; first < m->partition_count; first += share) {
        bool due = m->backend->is_shared;
        for (uint32_t i = first; i < first + share; i++)
            due |= m->partitions[i].backend_next <= clock;
        for (uint32_t i = first; i < first + share; i++)
            memsys_partition_dram(&m->partitions[i], clock, next, due);
    }
}

// Arrivals from the networks

// Room for a blocked arrival appears only when the partition is evaluated.
static void accept_requests(struct memsys *m, uint64_t time, uint32_t number)
{
    const struct memsys_message *message = &m->messages[number];
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    uint64_t next = time / m->clock.llc_period + 1;
    for (uint32_t w = 0; w < m->topology.node_words; w++)
        for (uint64_t rest =
                 noc_arrivals(side->noc, message->request_class, w) & m->topology.partition_set[w];
             rest; rest &= rest - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(rest);
            struct memsys_partition *p = &m->partitions[m->topology.partition_at[node]];
            if (p->due > next && !(p->blocked >> number & 1))
                p->due = next;
        }
}

// Notifies the endpoint of the oldest reply at a node.
void memsys_show_reply(struct memsys *m, uint32_t node, uint32_t class)
{
    const struct noc_packet *packet = noc_peek(m->side[MEMSYS_REPLIES].noc, node, class);
    if (packet)
        bits_set(m->wake.answers, m->pool.entries[packet->payload].request.core);
}

static void accept_replies(struct memsys *m, uint32_t class)
{
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    for (uint32_t w = 0; w < m->topology.node_words; w++)
        for (uint64_t rest = noc_arrivals(side->noc, class, w); rest; rest &= rest - 1) {
            uint32_t node = w * 64 + (uint32_t)__builtin_ctzll(rest);
            m->wake.news = true;
            // The core accepts it in its next cycle.
            __builtin_prefetch(&m->pool.entries[noc_peek(side->noc, node, class)->payload]);
            if (m->sharing.any)
                memsys_show_reply(m, node, class);
            else
                bits_set(m->wake.answers, m->topology.endpoint_at[node]);
        }
}

static void notify_refused(struct memsys *m)
{
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    BITS_EACH (end, m->wake.refused, m->topology.ends) {
        if (!noc_can_send(side->noc, m->topology.endpoint_node[end], m->wake.wanted_class[end],
                          m->wake.wanted[end]))
            continue;
        bits_clear(m->wake.refused, end);
        bits_set(m->wake.may_send, end);
        m->wake.refused_count--;
        m->wake.news = true;
    }
}

static void look_at_others(struct memsys *m, const struct memsys_side *side)
{
    for (uint32_t class = 0; class < side->classes; class ++)
        for (uint32_t w = 0; !side->has_messages[class] && w < m->topology.node_words; w++)
            m->wake.news |= noc_arrivals(side->noc, class, w) != 0;
}

static void tick_network(struct memsys *m, enum memsys_network which, uint64_t time)
{
    const struct memsys_side *side = &m->side[which];
    uint64_t cycle = time / m->clock.network_period;
    if (cycle * m->clock.network_period != time || noc_next(side->noc) > cycle)
        return;
    noc_tick(side->noc);
    if (which == MEMSYS_REQUESTS) {
        for (uint32_t i = 0; i < m->message_count; i++)
            accept_requests(m, time, i);
        if (m->wake.refused_count)
            notify_refused(m);
        if (m->sharing.ports)
            memsys_ports_tick(m);
    } else {
        for (uint32_t class = 0; class < side->classes; class ++)
            if (side->has_messages[class])
                accept_replies(m, class);
    }
    if (side->classes > 1)
        look_at_others(m, side);
}

static void skip_networks(struct memsys *m, uint64_t time)
{
    uint64_t cycle = divide_up(time, m->clock.network_period);
    for (uint32_t i = 0; i < 2; i++)
        noc_skip_to(m->side[i].noc, cycle);
}

static void evaluate(struct memsys *m, uint64_t time)
{
    m->clock.time = time;
    skip_networks(m, time);
    tick_partitions(m, time);
    tick_network(m, MEMSYS_REQUESTS, time);
    tick_network(m, MEMSYS_REPLIES, time);
    tick_backends(m, time);
    if (m->schedule.flushing && !memsys_flushing(m)) {
        m->schedule.flushing = false;
        m->wake.news = true;
    }
}

static bool is_any(const uint64_t *set, uint32_t words)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < words; i++)
        any |= set[i];
    return any;
}

static uint64_t known_next(struct memsys *m)
{
    if (!m->schedule.next || m->schedule.is_open)
        m->schedule.next = next_time(m);
    return m->schedule.next;
}

static void after_cores(struct memsys *m)
{
    for (uint32_t i = 0; i < m->wake.shown.n; i++)
        memsys_show_reply(m, m->wake.shown.v[i].node, m->wake.shown.v[i].class);
    m->wake.shown.n = 0;
    if (m->sharing.ports)
        memsys_ports_tick(m);
}

uint64_t memsys_advance(struct memsys *m, uint64_t next)
{
    assert(next > m->clock.cycle);
    if (m->sharing.any)
        after_cores(m);
    if (is_any(m->wake.answers, m->topology.endpoint_words) ||
        is_any(m->wake.may_send, m->topology.endpoint_words))
        next = m->clock.cycle + 1;
    m->wake.news = false;
    for (uint64_t end = times(next, m->clock.core_period); known_next(m) < end;) {
        uint64_t time = m->schedule.next;
        m->schedule.next = 0;
        evaluate(m, time);
        if (!m->wake.news)
            continue;
        m->wake.news = false;
        next = smaller(next, time / m->clock.core_period + 1);
        end = next * m->clock.core_period;
    }
    if (next == UINT64_MAX)
        return next;
    m->clock.cycle = next;
    skip_networks(m, next * m->clock.core_period);
    return next;
}

bool memsys_is_still(struct memsys *m)
{
    return known_next(m) == UINT64_MAX && !is_any(m->wake.answers, m->topology.endpoint_words) &&
           !is_any(m->wake.may_send, m->topology.endpoint_words) &&
           !(m->sharing.ports && is_any(m->sharing.gated, m->topology.node_words));
}

void memsys_flush(struct memsys *m)
{
    uint64_t now = divide_up(m->clock.cycle * m->clock.core_period, m->clock.llc_period);
    m->schedule.flushing = true;
    m->schedule.next = 0;
    for (uint32_t i = 0; i < m->partition_count; i++) {
        struct memsys_partition *p = &m->partitions[i];
        cache_flush(&p->cache, now, 0, UINT64_MAX - 1, true);
        p->due = smaller(p->due, now);
    }
}

bool memsys_flushing(const struct memsys *m)
{
    for (uint32_t i = 0; i < m->partition_count; i++) {
        const struct memsys_partition *p = &m->partitions[i];
        if (cache_flushing(&p->cache) || cache_out_peek(&p->cache))
            return true;
        if (m->backend->inside(p->backend))
            return true;
    }
    return false;
}

void memsys_shuffle(struct memsys *m, uint64_t seed)
{
    m->schedule.shuffle = seed;
    for (uint32_t i = 0; i < 2; i++)
        noc_shuffle(m->side[i].noc, seed);
}
