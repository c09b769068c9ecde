// Departure of a flit from a router: it crosses the switch, is sent on a channel, and a credit is
// returned.
#pragma once
#include "runtime-sim/noc/state_tmpl.h"

// Frees the output virtual channel of a packet.
static inline void noc_free_out(struct noc *noc, const struct noc_in *in)
{
    struct noc_out_port *port = &noc->port.out[in->row];
    noc->vc.out[in->out].owner = NOC_NONE;
    port->free |= UINT64_C(1) << noc_vc(noc, in->out);
    if (noc_has_vc_rows(noc) && port->waiting)
        mask_set(noc->requests.serving_routers, in->router);
}

// Ends the packet whose tail has left. The next packet in the buffer starts RC in the next cycle.
static inline void noc_end_packet(struct noc *noc, uint32_t index)
{
    struct noc_in *in = noc_in(noc, index);
    noc_free_out(noc, in);
    in->out = NOC_NONE;
    if (!in->count)
        return;
    in->since = (uint32_t)noc->now + 1;
    noc_begin_route(noc, index, noc_front(noc, index));
    noc_post_route(noc->calendar.ahead.next_route, index);
}

// Sends the flit at the front of an input virtual channel. Returns true for a tail, after which
// noc_end_packet must be called. Sets `is_last` if no other flit can follow it now.
static inline __attribute__((always_inline)) bool noc_send_flit(struct noc *noc, uint32_t index,
                                                                bool *is_last)
{
    struct noc_in *in = noc_in(noc, index);
    uint16_t *credits = &noc->vc.credits[in->out];
    struct noc_out_port *port = &noc->port.out[in->row];
    struct noc_router *router = &noc->router[in->router];
    const struct noc_ahead *ahead = &noc->calendar.ahead;
    struct noc_bucket *slot = ahead->flight;
    uint32_t flit = *noc_buffer_index(noc, index, in->head);
    if (!NOC_IS_PLAIN(noc) && noc->config.st_final_delay > 1)
        slot = noc_bucket(noc, noc_flight(noc, in->router, in->row));
    noc_post_flit(slot, port->is_exit, noc_index(noc, port->to, noc_vc(noc, in->out)), flit);
    noc_post_credit(ahead->credit[in->is_entry], in->from);
    port->flits++;
    router->buffer_sum += noc->now;
    router->buffer_now--;
    noc->stats.noc_link += !port->is_exit;
    noc->stats.noc_crossbar++;
    in->head++;
    in->count--;
    --*credits;
    *is_last = (flit & FLIT_TAIL) | !in->count | !*credits;
    return flit & FLIT_TAIL;
}
