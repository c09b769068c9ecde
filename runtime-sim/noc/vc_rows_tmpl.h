// Virtual-channel allocation by iSLIP with a mask of requests per output, for routers whose input
// virtual channels fit a word and in which the virtual channels that a packet may use depend only
// on its class. Also allocates virtual channels to single packets.
#pragma once
#include "runtime-sim/noc/calendar.h"
#include "runtime-sim/noc/state_tmpl.h"

// Returns the next of these virtual channels of an output in round-robin order, starting after the
// last choice of this input; the order covers all outputs of the router.
static inline uint32_t noc_turn_of(const struct noc *noc, uint32_t in, uint32_t port, uint64_t vcs)
{
    uint32_t accept = noc_in(noc, in)->accept;
    return mask_turn(vcs, noc_port(noc, accept) == port ? noc_vc(noc, accept) : 0);
}

// Allocates a virtual channel. `local` is the number of the input virtual channel in the router,
// `port` that of the output port.
static inline void noc_assign(struct noc *noc, const struct noc_router *router, uint32_t local,
                              uint32_t port, uint32_t vc, bool is_first)
{
    uint32_t in = noc_index(noc, router->in0, local);
    uint32_t out = noc_index(noc, router->out0 + port, vc);
    if (is_first) {
        noc_in(noc, in)->accept = (uint16_t)(noc_index(noc, port, vc) + 1);
        noc->vc.out[out].grant = (uint16_t)(local + 1);
    }
    noc->port.out[router->out0 + port].free &= ~(UINT64_C(1) << vc);
    if (noc->class.lent_vcs >> vc & 1)
        noc_note_class(noc, router->out0 + port, vc, noc_class_at(noc, in));
    noc_clear_waiting(noc, in);
    noc_post_assign(noc->calendar.ahead.assign, in, out);
    noc->stats.vc_grants++;
}

// Allocates the virtual channels of an output among several requesters.
static inline void noc_contest_vcs(struct noc *noc, const struct noc_router *router, uint32_t port,
                                   uint64_t asking, uint64_t vcs)
{
    uint64_t *proposed = noc->scratch.proposed, chosen = 0;
    MASK_EACH (vc, vcs) {
        uint32_t out = noc_index(noc, router->out0 + port, (uint32_t)vc);
        uint32_t local = mask_turn(asking, noc->vc.out[out].grant);
        proposed[local] |= UINT64_C(1) << vc;
        chosen |= UINT64_C(1) << local;
    }
    MASK_EACH (local, chosen) {
        uint32_t in = noc_index(noc, router->in0, (uint32_t)local);
        uint32_t vc = noc_turn_of(noc, in, port, proposed[local]);
        proposed[local] = 0;
        noc_assign(noc, router, (uint32_t)local, port, vc, true);
    }
}

// Allocates the virtual channels of an output to the requesters.
static inline void noc_serve_vcs(struct noc *noc, const struct noc_router *router, uint32_t port,
                                 uint64_t asking, uint64_t vcs)
{
    if (!asking || !vcs)
        return;
    if (asking & (asking - 1)) {
        noc_contest_vcs(noc, router, port, asking, vcs);
        return;
    }
    uint32_t local = (uint32_t)__builtin_ctzll(asking);
    uint32_t in = noc_index(noc, router->in0, local);
    noc_assign(noc, router, local, port, noc_turn_of(noc, in, port, vcs), true);
}

// Returns the members of `these` whose front packet is of the class.
static inline uint64_t noc_of_class(const struct noc *noc, const struct noc_router *router,
                                    uint64_t these, uint32_t class)
{
    uint64_t some = these & noc->class.locals[class];
    MASK_EACH (local, these & noc->class.lent_locals) {
        uint64_t bit = UINT64_C(1) << local;
        uint32_t in = noc_index(noc, router->in0, (uint32_t)local);
        some = noc_front_packet(noc, in)->class == class ? some | bit : some & ~bit;
    }
    return some;
}

// Returns true if a packet that waits for the output may use one of its free virtual channels.
static inline bool noc_can_serve(const struct noc *noc, const struct noc_router *router,
                                 uint32_t row)
{
    uint64_t these = noc->port.out[row].waiting, vcs = noc->port.out[row].free;
    bool can = false;
    for (uint32_t i = 0; these && vcs && i < noc->shape.classes; i++)
        can |= noc_of_class(noc, router, these, i) && vcs & noc_vcs_for(noc, row, i);
    return can;
}

// Allocates the virtual channels of a router.
static inline void noc_allocate_vc_rows(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    bool is_left = false;
    MASK_EACH (output, router->waiting_outs) {
        uint32_t row = router->out0 + (uint32_t)output;
        const struct noc_out_port *port = &noc->port.out[row];
        uint64_t these = port->waiting;
        if (noc->shape.classes == 1) {
            noc_serve_vcs(noc, router, (uint32_t)output, these, port->free);
            is_left |= port->waiting && port->free;
            continue;
        }
        // A class borrows from classes with higher numbers, so the owners are served first.
        for (uint32_t i = noc->shape.classes; i-- > 0 && port->free;)
            noc_serve_vcs(noc, router, (uint32_t)output, noc_of_class(noc, router, these, i),
                          port->free & noc_vcs_for(noc, row, i));
        is_left |= noc_can_serve(noc, router, row);
    }
    if (!is_left)
        mask_clear(noc->requests.serving_routers, index);
}
