// Numbers of virtual channels, and state transitions of input virtual channels.
#pragma once
#include "runtime-sim/noc/calendar.h"
#include "runtime-sim/noc/masks.h"
#include "runtime-sim/noc/route.h"

// Shape of a network. A source file for networks of one shape (see tick_tmpl.h) defines these as
// constants.
#ifndef NOC_SHAPED
#define NOC_SHIFT(noc) ((noc)->shape.shift)
#define NOC_IN_SHIFT(noc) ((noc)->shape.in_shift)
#define NOC_RING(noc) ((noc)->shape.ring)
#define NOC_IS_PLAIN(noc) false
#endif

// Returns the number of a virtual channel. A power of two of numbers is reserved for each port, so
// that no division is needed.
static inline uint32_t noc_index(const struct noc *noc, uint32_t port, uint32_t vc)
{
    (void)noc;
    return (port << NOC_SHIFT(noc)) + vc;
}

// Returns the port of a virtual channel.
static inline uint32_t noc_port(const struct noc *noc, uint32_t index)
{
    (void)noc;
    return index >> NOC_SHIFT(noc);
}

// Returns the number of a virtual channel within its port.
static inline uint32_t noc_vc(const struct noc *noc, uint32_t index)
{
    (void)noc;
    return index & ((1u << NOC_SHIFT(noc)) - 1);
}

// Returns the input virtual channel with this number.
static inline struct noc_in *noc_in(const struct noc *noc, uint32_t index)
{
    return (struct noc_in *)(noc->vc.in + ((size_t)index << NOC_IN_SHIFT(noc)));
}

// Returns the entry of a ring of flits.
static inline uint32_t *noc_buffer_index(const struct noc *noc, uint32_t in, uint32_t at)
{
    return &noc_in(noc, in)->flit[at & NOC_RING(noc)];
}

// Returns true if virtual channels are allocated by rows.
static inline bool noc_has_vc_rows(const struct noc *noc)
{
    return NOC_IS_PLAIN(noc) || noc->alloc.has_vc_rows;
}

// Returns true if the switch is allocated by rows.
static inline bool noc_has_switch_rows(const struct noc *noc)
{
    return NOC_IS_PLAIN(noc) || noc->alloc.has_switch_rows;
}

// Returns the input virtual channel that an output virtual channel feeds.
static inline uint32_t noc_fed(const struct noc *noc, uint32_t out)
{
    return noc_index(noc, noc->port.out[noc_port(noc, out)].to, noc_vc(noc, out));
}

// Sets the bits of a port and of its router.
static inline void noc_mark(const struct noc *noc, uint64_t *ports, uint64_t *routers,
                            uint32_t port)
{
    uint32_t router = noc->port.in[port].router;
    mask_set(&ports[(size_t)router * noc->shape.words], noc->port.in[port].local);
    mask_set(routers, router);
}

// Clears the bit of a port, and that of its router if it was the last one.
static inline void noc_unmark(const struct noc *noc, uint64_t *ports, uint64_t *routers,
                              uint32_t port)
{
    uint32_t router = noc->port.in[port].router;
    uint64_t *mask = &ports[(size_t)router * noc->shape.words], any = 0;
    mask_clear(mask, noc->port.in[port].local);
    for (uint32_t w = 0; w < noc->shape.words; w++)
        any |= mask[w];
    if (!any)
        mask_clear(routers, router);
}

// Adds an input virtual channel to those that can request the switch.
static inline void noc_set_ready(struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    if (noc_has_switch_rows(noc)) {
        noc->port.out[in->row].ready |= UINT64_C(1) << in->local;
        noc->router[in->router].ready_outs |= UINT64_C(1) << in->port;
        mask_set(noc->requests.ready_routers, in->router);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc_mark(noc, noc->requests.ready_ports, noc->requests.ready_routers, port);
    noc->port.in[port].ready |= UINT64_C(1) << noc_vc(noc, index);
}

// Clears the bit of a packet's output if it has no further request.
static inline void noc_clear_ready_out(struct noc *noc, const struct noc_in *in)
{
    uint64_t is_empty = !noc->port.out[in->row].ready;
    noc->router[in->router].ready_outs &= ~(is_empty << in->port);
}

// Removes an input virtual channel from those that can request the switch.
static inline void noc_clear_ready(struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    if (noc_has_switch_rows(noc)) {
        noc->port.out[in->row].ready &= ~(UINT64_C(1) << in->local);
        noc_clear_ready_out(noc, in);
        if (!noc->router[in->router].ready_outs)
            mask_clear(noc->requests.ready_routers, in->router);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc->port.in[port].ready &= ~(UINT64_C(1) << noc_vc(noc, index));
    if (!noc->port.in[port].ready)
        noc_unmark(noc, noc->requests.ready_ports, noc->requests.ready_routers, port);
}

// Returns true if the input virtual channel can request the switch.
static inline bool noc_is_ready(const struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    if (noc_has_switch_rows(noc))
        return noc->port.out[in->row].ready >> in->local & 1;
    return noc->port.in[noc_port(noc, index)].ready >> noc_vc(noc, index) & 1;
}

// Adds an input virtual channel to those in VA.
static inline void noc_set_waiting(struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    noc->requests.waiting++;
    if (noc_has_vc_rows(noc)) {
        noc->port.out[in->row].waiting |= UINT64_C(1) << in->local;
        noc->router[in->router].waiting_outs |= UINT64_C(1) << in->port;
        mask_set(noc->requests.waiting_routers, in->router);
        mask_set(noc->requests.serving_routers, in->router);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc_mark(noc, noc->requests.waiting_ports, noc->requests.waiting_routers, port);
    noc->port.in[port].waiting |= UINT64_C(1) << noc_vc(noc, index);
}

// Removes an input virtual channel from those in VA.
static inline void noc_clear_waiting(struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    noc->requests.waiting--;
    if (noc_has_vc_rows(noc)) {
        struct noc_router *router = &noc->router[in->router];
        noc->port.out[in->row].waiting &= ~(UINT64_C(1) << in->local);
        if (!noc->port.out[in->row].waiting)
            router->waiting_outs &= ~(UINT64_C(1) << in->port);
        if (!router->waiting_outs)
            mask_clear(noc->requests.waiting_routers, in->router);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc->port.in[port].waiting &= ~(UINT64_C(1) << noc_vc(noc, index));
    if (!noc->port.in[port].waiting)
        noc_unmark(noc, noc->requests.waiting_ports, noc->requests.waiting_routers, port);
}

// Returns true if the input virtual channel is in VA.
static inline bool noc_is_waiting(const struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    if (noc_has_vc_rows(noc))
        return noc->port.out[in->row].waiting >> in->local & 1;
    return noc->port.in[noc_port(noc, index)].waiting >> noc_vc(noc, index) & 1;
}

// Returns the flit at the front of an input virtual channel.
static inline uint32_t noc_front(const struct noc *noc, uint32_t in)
{
    return *noc_buffer_index(noc, in, noc_in(noc, in)->head);
}

// Returns the packet at the front of an input virtual channel.
static inline struct noc_hot *noc_front_packet(const struct noc *noc, uint32_t in)
{
    return &noc->pool.hot[noc_front(noc, in) >> FLIT_SHIFT];
}

// Returns true if the front packet has waited there for `priority_wait` cycles.
static inline bool noc_has_waited(const struct noc *noc, const struct noc_in *in)
{
    uint64_t wait = noc->config.priority_wait;
    return wait && (uint32_t)noc->now - in->since >= wait;
}

// Returns the priority of the front packet, as used by allocators.
static inline uint8_t noc_rank(const struct noc *noc, uint32_t index)
{
    const struct noc_in *in = noc_in(noc, index);
    if (noc->config.priority_lift == NOC_LIFT_INJECTION)
        return noc->scratch.is_lifted && in->is_entry ? 0 : in->priority;
    return noc_has_waited(noc, in) ? NOC_PRIORITIES - 1 : in->priority;
}

// Sets whether a packet from another router has waited long enough that packets from nodes lose
// their priority. Must be called before each allocation of a router.
static inline void noc_set_lifted(struct noc *noc, uint32_t router)
{
    const struct noc_router *at = &noc->router[router];
    noc->scratch.is_lifted = false;
    if (!noc->config.priority_wait || noc->config.priority_lift != NOC_LIFT_INJECTION)
        return;
    for (uint32_t i = at->in0 << noc->shape.shift; i < (at->in0 + at->ins) << noc->shape.shift;
         i++) {
        const struct noc_in *in = noc_in(noc, i);
        noc->scratch.is_lifted |= in->count && !in->is_entry && noc_has_waited(noc, in);
    }
}

// Borrowing [class_borrows]. A packet may use a virtual channel of another class only while it
// contains no packet of that class, so it never waits for one. The owners may wait for the packet.

// Returns the class of the packet at the front of an input virtual channel.
static inline uint32_t noc_class_at(const struct noc *noc, uint32_t in)
{
    uint32_t vc = noc_vc(noc, in);
    return noc->class.lent_vcs >> vc & 1 ? noc_front_packet(noc, in)->class : noc->class.of_vc[vc];
}

// Returns the virtual channels of an output that packets of a class may use.
static inline uint64_t noc_vcs_for(const struct noc *noc, uint32_t port, uint32_t class)
{
    return noc->class.vcs[class] | (noc->class.borrows[class] & ~noc->port.out[port].own);
}

// Must be called when a virtual channel of an output is allocated to a packet of a class.
static inline void noc_note_class(struct noc *noc, uint32_t port, uint32_t vc, uint32_t class)
{
    noc->port.out[port].own |= (noc->class.lent_vcs & noc->class.vcs[class]) & UINT64_C(1) << vc;
}

// Returns the virtual channels that can be allocated to the packet now.
static inline uint64_t noc_available(const struct noc *noc, uint32_t out, uint64_t vcs,
                                     uint32_t flits)
{
    vcs &= noc->port.out[out].free;
    if (NOC_IS_PLAIN(noc) || noc->alloc.reuse == NOC_REUSE_TAIL)
        return vcs;
    uint64_t kept = 0;
    MASK_EACH (vc, vcs) {
        uint32_t credits = noc->vc.credits[noc_index(noc, out, vc)];
        bool has_room = noc->alloc.reuse == NOC_REUSE_WHOLE && credits >= flits;
        if (credits == noc->shape.buffer || has_room)
            kept |= UINT64_C(1) << vc;
    }
    return kept;
}

// Starts RC of the packet whose head is at the front of an input virtual channel.
static inline void noc_begin_route(struct noc *noc, uint32_t index, uint32_t flit)
{
    struct noc_hot *packet = &noc->pool.hot[flit >> FLIT_SHIFT];
    struct noc_in *in = noc_in(noc, index);
    in->port = NOC_IS_PLAIN(noc) || noc->routing.table
                   ? noc->routing.table[in->router * noc->shape.nodes + packet->target]
                   : noc_compute_route(noc, in->router, packet->target);
    in->row = noc->router[in->router].out0 + in->port;
    packet->routers++;
    if (NOC_IS_PLAIN(noc))
        return;
    if (noc->config.priority_decay && packet->routers > 1 && packet->priority)
        packet->priority--;
    in->priority = packet->priority;
}
