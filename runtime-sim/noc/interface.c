#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/eject_tmpl.h"
#include "runtime-sim/noc/packets.h"
#include "runtime-sim/noc/queue.h"
#include "runtime-sim/noc/shapes.h"
#include "runtime-sim/noc/state_tmpl.h"
#include "support/bits.h"
#include <assert.h>

// The pool of packets

static void grow_pool(struct noc_pool *pool, struct arena *arena)
{
    uint32_t old = pool->size, more = old ? old : NOC_PIECE;
    pool->packets = arena_grow(arena, pool->packets, old / NOC_PIECE * sizeof *pool->packets,
                               (old + more) / NOC_PIECE * sizeof *pool->packets);
    pool->hot =
        arena_grow(arena, pool->hot, old * sizeof *pool->hot, (old + more) * sizeof *pool->hot);
    pool->next =
        arena_grow(arena, pool->next, old * sizeof *pool->next, (old + more) * sizeof *pool->next);
    for (uint32_t i = old; i < old + more; i += NOC_PIECE)
        pool->packets[i / NOC_PIECE] = ARENA_ARRAY(arena, struct noc_packet, NOC_PIECE);
    for (uint32_t i = old; i < old + more; i++)
        pool->next[i] = i + 1 < old + more ? i + 1 : NOC_NONE;
    pool->unused = old;
    pool->size = old + more;
}

static uint32_t new_packet(struct noc *noc, const struct noc_packet *from)
{
    struct noc_pool *pool = &noc->pool;
    if (pool->unused == NOC_NONE)
        grow_pool(pool, noc->arena);
    uint32_t packet = pool->unused;
    pool->unused = pool->next[packet];
    *noc_packet_at(noc, packet) = *from;
    pool->hot[packet] = (struct noc_hot){from->target, from->flits, 0, from->class, from->priority};
    return packet;
}

// Inserts a packet that arrived: packets are ordered by arrival and, within a cycle, by source.
// Several may arrive at a node in a cycle, in any order.
static void put_in_order(struct noc *noc, struct noc_queue *queue, uint32_t packet)
{
    const struct noc_packet *own = noc_packet_at(noc, packet);
    const struct noc_packet *last = queue->packets ? noc_packet_at(noc, queue->last) : NULL;
    if (!last || last->arrived < own->arrived || last->source <= own->source) {
        noc_put(&noc->pool, queue, packet);
        return;
    }
    uint32_t *to = &queue->first;
    const struct noc_packet *other = noc_packet_at(noc, *to);
    while (other->arrived < own->arrived || other->source <= own->source) {
        to = &noc->pool.next[*to];
        other = noc_packet_at(noc, *to);
    }
    noc->pool.next[packet] = *to;
    *to = packet;
    queue->packets++;
}

// Sending

// A packet that is longer than the queue enters an empty queue and streams through it.
static bool has_room(const struct noc_link *link, const struct noc_lane *lane, uint32_t flits)
{
    return !link->room || !lane->flits || lane->flits + flits <= link->room;
}

// Among the node's links with room, returns the one with the shortest queue for the class, or
// NOC_NONE.
static uint32_t find_link(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t best = NOC_NONE;
    uint64_t min = UINT64_MAX;
    for (uint32_t i = interface->link0; i < interface->link0 + interface->links; i++) {
        const struct noc_lane *lane = noc_lane(noc, i, class);
        if (lane->flits < min && has_room(&noc->injection.link[i], lane, flits)) {
            best = i;
            min = lane->flits;
        }
    }
    return best;
}

bool noc_can_send(const struct noc *noc, uint32_t node, uint32_t class, uint32_t flits)
{
    if (noc->interface[node].busy_until > noc->now)
        return false;
    return noc->packets ? noc_packets_can_send(noc, node, class)
                        : find_link(noc, node, class, flits) != NOC_NONE;
}

static void count_sent(struct noc *noc, const struct noc_packet *packet)
{
    struct noc_class_stats *stats = &noc->class_stats[packet->class];
    stats->packets_sent++;
    stats->flits_sent += packet->flits;
    struct noc_interface *interface = &noc->interface[packet->source];
    interface->queue_sum -= packet->flits * noc->now;
    interface->queue_flits += packet->flits;
    if (interface->queue_flits > interface->queue_most)
        interface->queue_most = interface->queue_flits;
    interface->packets_sent++;
    noc->progress.moving++;
    noc->progress.in_flight++;
    noc->progress.moved_at = noc->now;
}

// Stops using rows: from now on packets have priorities, which rows of requests do not contain.
static void leave_rows(struct noc *noc)
{
    bool has_vc_rows = noc->alloc.has_vc_rows, has_switch_rows = noc->alloc.has_switch_rows;
    noc->alloc.is_ranked = true;
    noc->alloc.has_vc_rows = noc->alloc.has_switch_rows = false;
    noc_choose_tick(noc);
    noc->requests.waiting = has_vc_rows ? 0 : noc->requests.waiting;
    // With rows, a router's bit may stay set after its last request.
    for (uint32_t w = 0; has_switch_rows && w < bits_words(noc->shape.routers); w++)
        noc->requests.ready_routers[w] = 0;
    for (uint32_t i = 0; i < noc->shape.router_ins << noc->shape.shift; i++) {
        const struct noc_in *in = noc_in(noc, i);
        if (has_vc_rows && noc->port.out[in->row].waiting >> in->local & 1)
            noc_set_waiting(noc, i);
        if (has_switch_rows && noc->port.out[in->row].ready >> in->local & 1)
            noc_set_ready(noc, i);
    }
}

// Appends a packet to the shortest injection queue that has room.
static void enqueue(struct noc *noc, const struct noc_packet *packet, uint32_t at)
{
    uint32_t index = find_link(noc, packet->source, packet->class, packet->flits);
    struct noc_lane *lane = noc_lane(noc, index, packet->class);
    noc_put(&noc->pool, &lane->queue, at);
    lane->flits += packet->flits;
    noc->injection.link[index].lanes |= 1u << packet->class;
    noc->interface[packet->source].packets++;
    mask_set(noc->injection.sending, packet->source);
    if (packet->priority && !noc->alloc.is_ranked)
        leave_rows(noc);
}

void noc_send(struct noc *noc, const struct noc_packet *packet)
{
    assert(noc_reaches(&noc->config, packet->source, packet->target) &&
           "no way from this node to that one");
    struct noc_interface *interface = &noc->interface[packet->source];
    uint32_t at = new_packet(noc, packet);
    noc_packet_at(noc, at)->number = interface->packets_sent;
    uint64_t width = noc->config.node_link;
    if (width)
        interface->busy_until = noc->now + divide_up(packet->flits, width);
    count_sent(noc, packet);
    if (noc->config.ideal)
        noc_ideal_send(noc, at);
    else if (noc->packets)
        noc_packets_send(noc, packet, at);
    else
        enqueue(noc, packet, at);
    if (noc->observer.trace)
        noc->observer.trace(noc->observer.context, noc_packet_at(noc, at), false);
}

uint32_t noc_waiting_packets(const struct noc *noc, uint32_t node, uint32_t class)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t packets = 0;
    for (uint32_t i = 0; i < interface->links; i++)
        packets += noc_lane(noc, interface->link0 + i, class)->queue.packets;
    return packets;
}

uint64_t noc_waiting_flits(const struct noc *noc, uint32_t node, uint32_t class)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint64_t flits = 0;
    for (uint32_t i = 0; i < interface->links; i++)
        flits += noc_lane(noc, interface->link0 + i, class)->flits;
    return flits;
}

// Ejection

// Returns the next virtual channel, in round-robin order, that has arrived packets of a class.
static uint32_t channel_in_turn(const struct noc *noc, uint32_t node, uint32_t class)
{
    uint64_t vcs = 0;
    if (noc->config.ejection_order == NOC_BY_ARRIVAL)
        return 0;
    MASK_EACH (vc, noc->class.vcs[class] | noc->class.borrows[class])
        vcs |= (uint64_t)(noc_arrivals_of(noc, node, class, (uint32_t)vc)->queue.packets > 0) << vc;
    return vcs ? mask_turn(vcs, noc->ejection.turn[node * noc->shape.classes + class]) : 0;
}

void noc_finish(struct noc *noc, uint32_t node, uint32_t vc, uint32_t index)
{
    struct noc_packet *packet = noc_packet_at(noc, index);
    struct noc_class_stats *stats = &noc->class_stats[packet->class];
    packet->routers = noc->pool.hot[index].routers;
    packet->arrived = noc->now;
    uint64_t latency = noc->now - packet->created, hops = packet->routers - 1u;
    stats->packets++;
    stats->packet_flits += packet->flits;
    stats->routers += packet->routers;
    stats->hops += hops;
    stats->weighted_hops += hops * packet->flits;
    stats->latency_sum += latency;
    if (latency > stats->latency_most)
        stats->latency_most = latency;
    struct noc_queue *queue = &noc_arrivals_of(noc, node, packet->class, vc)->queue;
    if (noc->config.overlay)
        put_in_order(noc, queue, index);
    else
        noc_put(&noc->pool, queue, index);
    mask_set(&noc->ejection.arrived[packet->class * noc->shape.node_words], node);
    noc->progress.moving--;
    if (noc->observer.trace)
        noc->observer.trace(noc->observer.context, packet, true);
}

const struct noc_packet *noc_peek(const struct noc *noc, uint32_t node, uint32_t class)
{
    uint32_t vc = channel_in_turn(noc, node, class);
    const struct noc_queue *queue = &noc_arrivals_of(noc, node, class, vc)->queue;
    return queue->packets ? noc_packet_at(noc, queue->first) : NULL;
}

void noc_pop(struct noc *noc, uint32_t node, uint32_t class)
{
    uint32_t vc = channel_in_turn(noc, node, class);
    struct noc_arrivals *arrivals = noc_arrivals_of(noc, node, class, vc);
    uint32_t packet = noc_queue_pop(&noc->pool, &arrivals->queue);
    noc->ejection.turn[node * noc->shape.classes + class] = (uint8_t)(vc + 1);
    if (noc->packets) {
        noc_packets_room(noc, node);
    } else if (noc->config.ejection_queue) {
        arrivals->flits -= noc->pool.hot[packet].flits;
        if (noc_holds_flits(noc, node))
            mask_set(noc->ejection.holding, node);
    }
    if (!noc_peek(noc, node, class))
        mask_clear(&noc->ejection.arrived[class * noc->shape.node_words], node);
    noc->pool.next[packet] = noc->pool.unused;
    noc->pool.unused = packet;
    noc->progress.in_flight--;
    noc->progress.moved_at = noc->now;
}

uint64_t noc_arrivals(const struct noc *noc, uint32_t class, uint32_t word)
{
    return noc->ejection.arrived[class * noc->shape.node_words + word];
}
