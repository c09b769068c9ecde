// Injection of flits into a network from the queues of its interfaces.
#pragma once
#include "runtime-sim/noc/calendar.h"
#include "runtime-sim/noc/queue.h"
#include "runtime-sim/noc/state_tmpl.h"

// Returns a virtual channel of the port that can be allocated now to the lane's first packet, or
// NOC_NONE.
static inline uint32_t noc_channel_at(const struct noc *noc, const struct noc_link *link,
                                      const struct noc_lane *lane, uint32_t port)
{
    const struct noc_hot *packet = &noc->pool.hot[lane->queue.first];
    uint64_t vcs = noc_vcs_for(noc, port, packet->class) & link->vcs;
    vcs = noc_available(noc, port, vcs, packet->flits) & noc->port.out[port].open;
    return vcs ? noc_index(noc, port, mask_turn(vcs, lane->turn)) : NOC_NONE;
}

// Returns the virtual channel on which the lane's next flit can be sent now, or NOC_NONE.
static inline uint32_t noc_channel_of(const struct noc *noc, const struct noc_link *link,
                                      const struct noc_lane *lane)
{
    if (lane->out != NOC_NONE)
        return noc->vc.credits[lane->out] ? lane->out : NOC_NONE;
    uint32_t out = noc_channel_at(noc, link, lane, link->port + lane->port);
    for (uint32_t i = 1; i < link->ports && out == NOC_NONE; i++)
        out = noc_channel_at(noc, link, lane, link->port + (lane->port + i) % link->ports);
    return out;
}

// Counts the entry of the lane's first packet.
static inline void noc_enter(struct noc *noc, uint32_t link, uint32_t class)
{
    struct noc_lane *lane = noc_lane(noc, link, class);
    struct noc_packet *packet = noc_packet_at(noc, lane->queue.first);
    packet->entered = noc->now;
    noc->class_stats[class].packets_entered++;
    noc->class_stats[class].wait_sum += noc->now - packet->created;
}

// Allocates the virtual channel `out` to the lane's first packet.
static inline void noc_begin_packet(struct noc *noc, uint32_t link, uint32_t class, uint32_t out)
{
    struct noc_lane *lane = noc_lane(noc, link, class);
    uint32_t port = noc_port(noc, out), vc = noc_vc(noc, out);
    lane->out = out;
    lane->sent = 0;
    lane->turn = (uint16_t)(vc + 1);
    lane->port = (uint16_t)(port + 1 - noc->injection.link[link].port);
    if (lane->port == noc->injection.link[link].ports)
        lane->port = 0;
    noc->port.out[port].free &= ~(UINT64_C(1) << vc);
    noc_note_class(noc, port, vc, class);
    noc->vc.out[out].owner = link * noc->shape.classes + class;
    noc_enter(noc, link, class);
}

// Frees the virtual channel of a packet whose tail was sent, and removes it from the lane.
static inline void noc_finish_packet(struct noc *noc, uint32_t link, uint32_t class)
{
    struct noc_lane *lane = noc_lane(noc, link, class);
    noc->vc.out[lane->out].owner = NOC_NONE;
    noc->port.out[noc_port(noc, lane->out)].free |= UINT64_C(1) << noc_vc(noc, lane->out);
    lane->out = NOC_NONE;
    noc_queue_pop(&noc->pool, &lane->queue);
    if (!--noc->interface[noc->injection.link[link].node].packets)
        mask_clear(noc->injection.sending, noc->injection.link[link].node);
    if (lane->queue.packets)
        return;
    noc->injection.link[link].lanes &= ~(1u << class);
}

// Sends the lane's next flit on the virtual channel `out`.
static inline void noc_inject_flit(struct noc *noc, uint32_t link, uint32_t class, uint32_t out)
{
    struct noc_lane *lane = noc_lane(noc, link, class);
    struct noc_interface *interface = &noc->interface[noc->injection.link[link].node];
    if (lane->out == NOC_NONE)
        noc_begin_packet(noc, link, class, out);
    uint32_t packet = lane->queue.first, flit = packet << FLIT_SHIFT, port = noc_port(noc, out);
    flit |= lane->sent ? 0 : FLIT_HEAD;
    lane->sent++;
    flit |= lane->sent == noc->pool.hot[packet].flits ? FLIT_TAIL : 0;
    lane->flits--;
    if (!--noc->vc.credits[out])
        noc->port.out[port].open &= ~(UINT64_C(1) << noc_vc(noc, out));
    noc_post_flit(noc->calendar.ahead.entry, false, noc_fed(noc, out), flit);
    noc->port.out[port].flits++;
    interface->flits_entered++;
    interface->queue_sum += noc->now;
    interface->queue_flits--;
    noc->class_stats[class].flits_entered++;
    noc->progress.moved_at = noc->now;
    if (flit & FLIT_TAIL)
        noc_finish_packet(noc, link, class);
}

// Sends a flit on a link: of the class whose packet has the highest priority; among equals, of the
// next class in round-robin order.
static inline void noc_inject_link(struct noc *noc, uint32_t index)
{
    struct noc_link *link = &noc->injection.link[index];
    uint32_t best = NOC_NONE, out = NOC_NONE;
    uint8_t rank = 0;
    for (uint32_t i = 0; i < noc->shape.classes; i++) {
        uint32_t class = link->turn + i < noc->shape.classes ? link->turn + i
                                                             : link->turn + i - noc->shape.classes;
        const struct noc_lane *lane = noc_lane(noc, index, class);
        if (!(link->lanes >> class & 1))
            continue;
        uint8_t priority = noc->pool.hot[lane->queue.first].priority;
        if (best != NOC_NONE && priority <= rank)
            continue;
        uint32_t some = noc_channel_of(noc, link, lane);
        if (some == NOC_NONE)
            continue;
        best = class;
        out = some;
        rank = priority;
    }
    if (best == NOC_NONE)
        return;
    link->turn = best + 1 < noc->shape.classes ? best + 1 : 0;
    noc_inject_flit(noc, index, best, out);
}

// Sends a flit on each link of a node that can send one. Links to the same port compete for its
// virtual channels, so the links start in turn.
static inline void noc_inject(struct noc *noc, uint32_t node)
{
    struct noc_interface *interface = &noc->interface[node];
    uint32_t first = interface->link_turn;
    interface->link_turn = first + 1 < interface->links ? first + 1 : 0;
    for (uint32_t i = first; i < interface->links; i++)
        if (noc->injection.link[interface->link0 + i].lanes)
            noc_inject_link(noc, interface->link0 + i);
    for (uint32_t i = 0; i < first; i++)
        if (noc->injection.link[interface->link0 + i].lanes)
            noc_inject_link(noc, interface->link0 + i);
}
