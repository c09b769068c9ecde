// Endpoints other than cores: requests of the endpoints of partitions and routers, requests to the
// slice of an endpoint's partition, and packets between endpoints.
#include "runtime-sim/memsys/memsys_state.h"
#include "support/bits.h"
#include <assert.h>

uint32_t memsys_endpoint_count(const struct memsys *m)
{
    return m->topology.ends;
}

enum memsys_endpoint_kind memsys_kind_of_endpoint(const struct memsys *m, uint32_t endpoint)
{
    return endpoint < m->topology.cores                        ? MEMSYS_AT_CORE
           : endpoint < m->topology.cores + m->partition_count ? MEMSYS_AT_PARTITION
           : endpoint < m->topology.cores + m->partition_count + m->topology.routers
               ? MEMSYS_AT_ROUTER
               : MEMSYS_OF_OWNER;
}

uint32_t memsys_endpoint_number(const struct memsys *m, uint32_t endpoint)
{
    const uint32_t first[] = {[MEMSYS_AT_CORE] = 0,
                              [MEMSYS_AT_PARTITION] = m->topology.cores,
                              [MEMSYS_AT_ROUTER] = m->topology.cores + m->partition_count,
                              [MEMSYS_OF_OWNER] =
                                  m->topology.cores + m->partition_count + m->topology.routers};
    return endpoint - first[memsys_kind_of_endpoint(m, endpoint)];
}

uint32_t memsys_endpoint_node(const struct memsys *m, uint32_t endpoint)
{
    return m->topology.endpoint_node[endpoint];
}

uint32_t memsys_endpoint_at(const struct memsys *m, uint32_t node)
{
    return node < m->topology.nodes ? m->topology.endpoint_at[node] : MEMSYS_NONE;
}

uint32_t memsys_partition_endpoint(const struct memsys *m, uint32_t partition)
{
    return m->topology.cores + partition;
}

uint32_t memsys_routers(const struct memsys *m)
{
    return m->topology.routers;
}

uint32_t memsys_router_endpoint(const struct memsys *m, uint32_t router)
{
    return m->topology.cores + m->partition_count + router;
}

bool memsys_can_send_from(const struct memsys *m, uint32_t from,
                          const struct memsys_request *request)
{
    const struct memsys_side *side = &m->side[MEMSYS_REQUESTS];
    return noc_can_send(side->noc, m->topology.endpoint_node[from],
                        m->messages[request->message].request_class,
                        memsys_request_flits(m, request));
}

// Paths that bypass networks and slices. The memory behind the slices serves in its own clock.

bool memsys_is_past(const struct memsys *m, uint32_t endpoint)
{
    return memsys_path_of(m, endpoint);
}

bool memsys_serve_past(struct memsys *m, uint32_t entry)
{
    struct memsys_request *request = &m->pool.entries[entry].request;
    const struct memsys_gate *gate = m->tables.gate;
    if (m->serve && m->serve(m->context, request) != MEMSYS_SERVED)
        return false;
    if (gate && request->kind == MEMSYS_READ && m->config->named_reads)
        request->words = gate->carried(gate->context, request, UINT32_MAX);
    return true;
}

void memsys_reply_past(struct memsys *m, uint32_t index)
{
    struct memsys_entry *entry = &m->pool.entries[index];
    struct memsys_path *path = memsys_path_of(m, entry->request.core);
    entry->arrived = entry->sent;
    entry->ready = m->clock.time;
    entry->request.from = CACHE_FETCHED;
    entry->end[STAGE_DRAM] = m->clock.time;
    entry->next = MEMSYS_NONE;
    if (path->first == MEMSYS_NONE)
        path->first = index;
    else
        m->pool.entries[path->last].next = index;
    path->last = index;
    bits_set(m->wake.answers, entry->request.core);
    m->wake.news = true;
}

void memsys_make_room_past(struct memsys *m, uint32_t endpoint)
{
    struct memsys_path *path = memsys_path_of(m, endpoint);
    if (!path->refused)
        return;
    path->refused = false;
    bits_set(m->wake.may_send, endpoint);
    m->wake.news = true;
}

uint64_t memsys_backend_clock(const struct memsys *m)
{
    return divide_up(m->clock.cycle * m->clock.core_period, m->clock.dram_period);
}

uint64_t memsys_look_again(struct memsys *m)
{
    m->schedule.next = 0;
    return memsys_backend_clock(m);
}

void memsys_expect(struct memsys *m)
{
    m->pool.inside++;
}

void memsys_notify(struct memsys *m)
{
    m->pool.inside--;
    m->wake.news = true;
}

// The slice of the endpoint's partition

bool memsys_holds_line(const struct memsys *m, uint64_t line)
{
    uint64_t size = m->config->llc.line_bytes, address = line * size;
    return cache_holds(&m->partitions[partition_of(&m->map, address)].cache,
                       partition_local(&m->map, address) / size);
}

bool memsys_drop(struct memsys *m, uint64_t line)
{
    uint64_t size = m->config->llc.line_bytes, address = line * size;
    return cache_drop(&m->partitions[partition_of(&m->map, address)].cache,
                      partition_local(&m->map, address) / size);
}

bool memsys_can_put(const struct memsys *m, uint32_t partition, uint32_t input)
{
    return cache_can_put(&m->partitions[partition].cache, input);
}

void memsys_put(struct memsys *m, uint32_t partition, uint32_t input,
                const struct memsys_request *request)
{
    struct memsys_partition *p = &m->partitions[partition];
    uint64_t clock = divide_up(m->clock.cycle * m->clock.core_period, m->clock.llc_period);
    uint32_t index = memsys_new_entry(m, request);
    assert(m->pool.entries[index].partition == partition);
    m->pool.entries[index].arrived = m->pool.entries[index].sent;
    memsys_partition_put(p, index, clock, input);
    p->due = clock < p->due ? clock : p->due;
}

enum cache_direct memsys_read_here(struct memsys *m, uint32_t partition,
                                   const struct memsys_request *request, uint64_t *ready)
{
    struct memsys_partition *p = &m->partitions[partition];
    uint64_t size = m->config->llc.line_bytes;
    uint64_t clock = divide_up(m->clock.cycle * m->clock.core_period, m->clock.llc_period);
    uint64_t local = partition_local(&m->map, request->line * size) / size;
    enum cache_direct result = cache_read_directly(&p->cache, clock, local, ready);
    if (result != CACHE_DIRECT_READ)
        return result;
    *ready = divide_up(*ready * m->clock.llc_period, m->clock.core_period);
    if (m->tables.sites)
        memsys_count_access(m, request->site, CACHE_READ, CACHE_HIT);
    return result;
}

// Packets

static uint32_t packet_class(const struct memsys *m)
{
    return m->config->memory.packet_class;
}

uint32_t memsys_packet_flits(const struct memsys *m, uint32_t bytes)
{
    return noc_flits(&m->config->request_network, bytes);
}

uint32_t memsys_reply_packet_flits(const struct memsys *m, uint32_t bytes)
{
    return noc_flits(&m->config->reply_network, bytes);
}

bool memsys_can_send_packet(const struct memsys *m, uint32_t from, uint32_t flits)
{
    return noc_can_send(m->side[MEMSYS_REQUESTS].noc, m->topology.endpoint_node[from],
                        packet_class(m), flits);
}

void memsys_send_packet(struct memsys *m, uint32_t to, const struct memsys_request *request)
{
    struct noc *noc = m->side[MEMSYS_REQUESTS].noc;
    uint32_t index = memsys_new_entry(m, request);
    m->pool.entries[index].to = to;
    struct noc_packet packet = {.payload = index,
                                .created = noc_cycle(noc),
                                .source = m->topology.endpoint_node[request->core],
                                .target = m->topology.endpoint_node[to],
                                .flits = request->flits,
                                .class = (uint8_t)packet_class(m)};
    noc_send(noc, &packet);
}

static const struct noc_packet *arrival(const struct memsys *m, uint32_t endpoint)
{
    const struct noc_packet *packet = noc_peek(
        m->side[MEMSYS_REQUESTS].noc, m->topology.endpoint_node[endpoint], packet_class(m));
    return packet && m->pool.entries[packet->payload].to == endpoint ? packet : NULL;
}

const struct memsys_request *memsys_peek_packet(const struct memsys *m, uint32_t endpoint)
{
    const struct noc_packet *packet = arrival(m, endpoint);
    return packet ? &m->pool.entries[packet->payload].request : NULL;
}

uint32_t memsys_node_words(const struct memsys *m)
{
    return bits_words(m->topology.nodes);
}

uint64_t memsys_packets(const struct memsys *m, uint32_t word)
{
    return noc_arrivals(m->side[MEMSYS_REQUESTS].noc, packet_class(m), word);
}

uint32_t memsys_pop_packet(struct memsys *m, uint32_t endpoint)
{
    const struct noc_packet *packet = arrival(m, endpoint);
    uint32_t index = (uint32_t)packet->payload;
    m->pool.entries[index].arrived = packet->arrived * m->clock.network_period;
    noc_pop(m->side[MEMSYS_REQUESTS].noc, m->topology.endpoint_node[endpoint], packet_class(m));
    m->schedule.next = 0;
    return index;
}

bool memsys_can_reply(const struct memsys *m, uint32_t endpoint, uint32_t flits)
{
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    return noc_can_send(side->noc, m->topology.endpoint_node[endpoint], side->class, flits);
}

void memsys_reply(struct memsys *m, uint32_t endpoint, uint32_t index, uint32_t flits)
{
    const struct memsys_side *side = &m->side[MEMSYS_REPLIES];
    struct memsys_entry *entry = &m->pool.entries[index];
    entry->request.flits = (uint16_t)flits;
    entry->ready = noc_cycle(side->noc) * m->clock.network_period;
    const struct memsys_offer offer = {.network = side->noc,
                                       .cycle = noc_cycle(side->noc),
                                       .node = m->topology.endpoint_node[endpoint],
                                       .flits = flits,
                                       .waiting = 1,
                                       .reply = &entry->request,
                                       .taken = true};
    memsys_show_offer(m, &offer);
    struct noc_packet packet = {.payload = index,
                                .created = offer.cycle,
                                .source = offer.node,
                                .target = m->topology.endpoint_node[entry->request.core],
                                .flits = (uint16_t)flits,
                                .class = (uint8_t)side->class,
                                .priority =
                                    memsys_reply_priority(m, offer.node, &entry->request, 0)};
    noc_send(side->noc, &packet);
    m->schedule.next = 0;
}

void memsys_drop_packet(struct memsys *m, uint32_t index)
{
    m->sums.requester[m->pool.entries[index].request.requester].answers++;
    memsys_free_entry(m, index);
}
