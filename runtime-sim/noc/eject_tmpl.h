// Arrival of flits at the interfaces of a network.
#pragma once
#include "runtime-sim/noc/calendar.h"
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/state_tmpl.h"

// Returns the queue for arrived packets of this class and virtual channel. Packets of a class that
// has borrowed the channel have another queue than those of its owner.
static inline struct noc_arrivals *noc_arrivals_of(const struct noc *noc, uint32_t node,
                                                   uint32_t class, uint32_t vc)
{
    bool is_own = noc->class.vcs[class] >> vc & 1;
    uint32_t queue = noc->config.ejection_order == NOC_BY_ARRIVAL ? class
                     : is_own                                     ? vc
                                                                  : noc->shape.vcs + vc;
    return &noc->ejection.arrivals[node * noc->ejection.queues + queue];
}

// Accepts a flit at an interface and returns its credit.
static inline void noc_accept_flit(struct noc *noc, uint32_t in, uint32_t flit)
{
    uint32_t vc = noc_vc(noc, in), node = noc_in(noc, in)->router;
    noc_post_credit(noc->calendar.ahead.exit_credit, noc_in(noc, in)->from);
    noc->class_stats[noc->pool.hot[flit >> FLIT_SHIFT].class].flits++;
    noc->interface[node].flits_arrived++;
    if (flit & FLIT_TAIL)
        noc_finish(noc, node, vc, flit >> FLIT_SHIFT);
}

// Reserves space for a packet when its head arrives, so that its tail never waits for other
// packets. Returns false if there is no room.
static inline bool noc_reserve(struct noc *noc, uint32_t node, uint32_t vc, uint32_t flit)
{
    const struct noc_hot *packet = &noc->pool.hot[flit >> FLIT_SHIFT];
    struct noc_arrivals *arrivals = noc_arrivals_of(noc, node, packet->class, vc);
    if (arrivals->flits && arrivals->flits + packet->flits > noc->config.ejection_queue)
        return false;
    arrivals->flits += packet->flits;
    return true;
}

// Accepts a flit if its packet has room. The flit is the front of a buffer, or the only one.
// Returns true if it was accepted.
static inline bool noc_try_accept(struct noc *noc, uint32_t node, uint32_t index, uint32_t flit)
{
    uint32_t vc = noc_vc(noc, index);
    if (flit & FLIT_HEAD) {
        if (!noc_reserve(noc, node, vc, flit))
            return false;
        noc->interface[node].turn = vc + 1 < noc->shape.vcs ? vc + 1 : 0;
    }
    noc_accept_flit(noc, index, flit);
    return true;
}

// Accepts the flit at the front of a buffer if its packet has room. Returns true if it was
// accepted.
static inline bool noc_accept_front(struct noc *noc, uint32_t node, uint32_t port, uint32_t vc)
{
    uint32_t index = noc_index(noc, port, vc);
    struct noc_in *in = noc_in(noc, index);
    if (!noc_try_accept(noc, node, index, noc_front(noc, index)))
        return false;
    in->head++;
    if (!--in->count)
        noc->port.in[port].ready &= ~(UINT64_C(1) << vc);
    noc->progress.moved_at = noc->now;
    return true;
}

// Handles a flit that arrives at an input virtual channel of an interface. It is accepted
// immediately if no other flit waits at the node, unless a trace needs the order of the nodes.
static inline void noc_arrive(struct noc *noc, uint32_t in, uint32_t flit)
{
    if (!noc->config.ejection_queue) {
        noc_accept_flit(noc, in, flit);
        return;
    }
    struct noc_in *buffer = noc_in(noc, in);
    struct noc_in_port *port = &noc->port.in[noc_port(noc, in)];
    bool is_alone = !port->ready && noc->interface[buffer->router].ins == 1 && !noc->observer.trace;
    if (is_alone && noc_try_accept(noc, buffer->router, in, flit))
        return;
    *noc_buffer_index(noc, in, (uint32_t)buffer->head + buffer->count++) = flit;
    port->ready |= UINT64_C(1) << noc_vc(noc, in);
    mask_set(noc->ejection.holding, buffer->router);
}

// Accepts flits from the buffers of a port, round-robin. Returns true if any was accepted.
static inline bool noc_accept_held_at(struct noc *noc, uint32_t node, uint32_t port)
{
    uint64_t vcs = noc->port.in[port].ready, later = ~UINT64_C(0) << noc->interface[node].turn;
    bool taken = false;
    MASK_EACH (vc, vcs & later)
        taken |= noc_accept_front(noc, node, port, (uint32_t)vc);
    MASK_EACH (other, vcs & ~later)
        taken |= noc_accept_front(noc, node, port, (uint32_t)other);
    return taken;
}

// Returns true if flits wait in the buffers of a node's interface.
static inline bool noc_holds_flits(const struct noc *noc, uint32_t node)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint64_t ready = 0;
    for (uint32_t port = interface->in; port < interface->in + interface->ins; port++)
        ready |= noc->port.in[port].ready;
    return ready;
}

// Moves flits that waited for room into the queues of a node. After a failure, the next attempt is
// made when a packet was popped. If the node has several ports, they start in turn.
static inline void noc_accept_held(struct noc *noc, uint32_t node)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint32_t first = interface->ins > 1 ? (uint32_t)(noc->now % interface->ins) : 0;
    bool taken = false;
    for (uint32_t i = first; i < interface->ins; i++)
        taken |= noc_accept_held_at(noc, node, interface->in + i);
    for (uint32_t i = 0; i < first; i++)
        taken |= noc_accept_held_at(noc, node, interface->in + i);
    if (!taken || !noc_holds_flits(noc, node))
        mask_clear(noc->ejection.holding, node);
}
