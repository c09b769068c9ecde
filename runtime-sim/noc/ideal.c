// An ideal network without contention. A packet's latency is that of its head in an empty network,
// plus one cycle for each further flit; in a packet-wide crossbar it is channel_latency − 1.
//
// Packets in flight are a heap. Packets that arrive in the same cycle are ordered by source, so
// that the order in which nodes send in a cycle does not matter.
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/packets.h"
#include "runtime-sim/noc/route.h"

static bool is_before(const struct noc *noc, uint32_t left, uint32_t right)
{
    const struct noc_packet *a = noc_packet_at(noc, left), *b = noc_packet_at(noc, right);
    if (a->arrived != b->arrived)
        return a->arrived < b->arrived;
    return a->source != b->source ? a->source < b->source : a->number < b->number;
}

static void add_due(struct noc *noc, uint32_t packet)
{
    vec_push(noc->arena, &noc->pool.due, packet);
    uint32_t *heap = noc->pool.due.v, at = noc->pool.due.n - 1;
    for (; at && is_before(noc, packet, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = packet;
}

static uint32_t pop_due(struct noc *noc)
{
    uint32_t *heap = noc->pool.due.v, first = heap[0], n = --noc->pool.due.n, moved = heap[n],
             at = 0;
    for (uint32_t child = 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && is_before(noc, heap[child + 1], heap[child]);
        if (!is_before(noc, heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first;
}

// Counts a packet's flits on its route. Returns the number of routers passed.
static uint16_t pass_routers(struct noc *noc, const struct noc_packet *packet)
{
    uint32_t out = noc->interface[packet->source].out0;
    uint16_t routers = 0;
    for (;; routers++) {
        const struct noc_out_port *port = &noc->port.out[out];
        noc->port.out[out].flits += packet->flits;
        if (port->is_exit)
            break;
        uint32_t router = noc->port.in[port->to].router;
        out = noc->router[router].out0 + noc_compute_route(noc, router, packet->target);
    }
    noc->stats.noc_crossbar += (uint64_t)routers * packet->flits;
    noc->stats.noc_buffer_write += (uint64_t)routers * packet->flits;
    noc->stats.noc_link += (routers - 1u) * (uint64_t)packet->flits;
    return routers;
}

static void count_entered(struct noc *noc, const struct noc_packet *packet)
{
    struct noc_class_stats *stats = &noc->class_stats[packet->class];
    struct noc_interface *interface = &noc->interface[packet->source];
    stats->packets_entered++;
    stats->flits_entered += packet->flits;
    stats->wait_sum += noc->now - packet->created;
    interface->flits_entered += packet->flits;
    interface->queue_sum += packet->flits * noc->now;
    interface->queue_flits -= packet->flits;
}

void noc_go(struct noc *noc, uint32_t index, uint64_t cycles, uint32_t each)
{
    struct noc_packet *packet = noc_packet_at(noc, index);
    uint16_t routers = noc->pool.hot[index].routers = pass_routers(noc, packet);
    packet->entered = noc->now;
    packet->arrived = noc->now + cycles + routers * each;
    count_entered(noc, packet);
    add_due(noc, index);
}

void noc_ideal_send(struct noc *noc, uint32_t index)
{
    if (noc->config.packet_wide) {
        noc_go(noc, index, noc->config.channel_latency - 1, 0);
        return;
    }
    noc_go(noc, index, noc->delay.entry + noc_packet_at(noc, index)->flits - 1u,
           noc->delay.routing + noc->delay.vc_alloc + noc->delay.flight);
}

void noc_ideal_arrive(struct noc *noc)
{
    while (noc->pool.due.n && noc_packet_at(noc, noc->pool.due.v[0])->arrived == noc->now) {
        uint32_t index = pop_due(noc);
        const struct noc_packet *packet = noc_packet_at(noc, index);
        noc->class_stats[packet->class].flits += packet->flits;
        noc->interface[packet->target].flits_arrived += packet->flits;
        noc->progress.moved_at = noc->now;
        if (noc->packets)
            noc_packets_arrived(noc, packet);
        noc_finish(noc, packet->target, (uint32_t)__builtin_ctzll(noc->class.vcs[packet->class]),
                   index);
    }
}
