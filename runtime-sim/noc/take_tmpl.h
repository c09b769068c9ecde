// Events at the beginning of a cycle: arrivals from channels, and the ends of pipeline stages.
#pragma once
#include "runtime-sim/noc/eject_tmpl.h"
#include "runtime-sim/noc/state_tmpl.h"

// Starts the packet whose head arrives at an empty buffer.
static inline void noc_arrive_head(struct noc *noc, uint32_t index, uint32_t flit)
{
    noc_in(noc, index)->since = (uint32_t)noc->now;
    noc_begin_route(noc, index, flit);
    if (NOC_IS_PLAIN(noc) || noc->delay.routing)
        noc_post_route(noc->calendar.ahead.route, index);
    else
        noc_set_waiting(noc, index);
}

// Stores a flit in its buffer. Returns true if the buffer was empty.
static inline bool noc_put_flit(struct noc *noc, uint32_t index, uint32_t flit)
{
    struct noc_in *in = noc_in(noc, index);
    struct noc_router *router = &noc->router[in->router];
    *noc_buffer_index(noc, index, (uint32_t)in->head + in->count) = flit;
    router->buffer_sum -= noc->now;
    router->buffer_now++;
    if (router->buffer_now > router->buffer_most)
        router->buffer_most = router->buffer_now;
    return !in->count++;
}

// Handles a flit that arrives at a router.
static inline void noc_arrive_flit(struct noc *noc, uint32_t index, uint32_t flit)
{
    const struct noc_in *in = noc_in(noc, index);
    if (!noc_put_flit(noc, index, flit))
        return;
    if (in->out == NOC_NONE)
        noc_arrive_head(noc, index, flit);
    else if (noc->vc.credits[in->out])
        noc_set_ready(noc, index);
}

// Handles all arriving flits, with rows. Heads at empty buffers are handled after the others, and
// nothing else is conditional, because the host cannot predict these branches.
static inline void noc_arrive_flit_rows(struct noc *noc, struct noc_flit_event *flits,
                                        uint32_t count)
{
    uint32_t heads = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct noc_flit_event at = flits[i];
        const struct noc_in *in = noc_in(noc, at.in);
        __builtin_prefetch(noc_in(noc, flits[i + NOC_PREFETCH].in)); // may be any address: a
                                                                     // prefetch does not fault
        bool is_first = noc_put_flit(noc, at.in, at.flit), has_out = in->out != NOC_NONE;
        uint64_t can = has_out & (noc->vc.credits[has_out ? in->out : 0] > 0);
        noc->port.out[in->row].ready |= can << in->local;
        noc->router[in->router].ready_outs |= can << in->port;
        noc->requests.ready_routers[in->router / 64] |= can << in->router % 64;
        flits[heads] = at;
        heads += is_first & !has_out;
    }
    for (uint32_t i = 0; i < heads; i++)
        noc_arrive_head(noc, flits[i].in, flits[i].flit);
}

// Marks a virtual channel as available for borrowing when no packet of its class is in it.
static inline void noc_lend(struct noc *noc, uint32_t index)
{
    struct noc_out_port *port = &noc->port.out[noc_port(noc, index)];
    uint64_t bit = UINT64_C(1) << noc_vc(noc, index);
    const struct noc_out *out = &noc->vc.out[index];
    if (!(port->own & bit) || out->owner != NOC_NONE || !(port->free & bit) ||
        noc->vc.credits[index] < noc->shape.buffer)
        return;
    port->own &= ~bit;
    if (noc_has_vc_rows(noc) && port->waiting)
        mask_set(noc->requests.serving_routers, port->from);
}

// Handles a credit that arrives at an output virtual channel.
static inline void noc_arrive_credit(struct noc *noc, uint32_t index)
{
    const struct noc_out *out = &noc->vc.out[index];
    uint32_t credits = ++noc->vc.credits[index];
    if (noc->class.lent_vcs)
        noc_lend(noc, index);
    if (credits > 1)
        return;
    if (index >= noc->shape.router_outs << noc->shape.shift)
        noc->port.out[noc_port(noc, index)].open |= UINT64_C(1) << noc_vc(noc, index);
    else if (out->owner != NOC_NONE && noc_in(noc, out->owner)->count)
        noc_set_ready(noc, out->owner);
}

// Ends VA: the packet gets its output virtual channel.
static inline void noc_end_assign(struct noc *noc, struct noc_assign_event event)
{
    noc_in(noc, event.in)->out = event.out;
    noc->vc.out[event.out].owner = event.in;
    if (noc->vc.credits[event.out])
        noc_set_ready(noc, event.in);
}

// Handles the flits that arrive in this cycle.
static inline void noc_arrive_flits(struct noc *noc, struct noc_bucket *slot)
{
    if (noc_has_switch_rows(noc))
        noc_arrive_flit_rows(noc, slot->flits[0], (uint32_t)(slot->flits_end[0] - slot->flits[0]));
    else
        for (const struct noc_flit_event *at = slot->flits[0]; at < slot->flits_end[0]; at++)
            noc_arrive_flit(noc, at->in, at->flit);
    for (const struct noc_flit_event *at = slot->flits[1]; at < slot->flits_end[1]; at++)
        noc_arrive(noc, at->in, at->flit);
    noc->stats.noc_buffer_write += (uint64_t)(slot->flits_end[0] - slot->flits[0]);
    if (slot->flits_end[0] > slot->flits[0] || slot->flits_end[1] > slot->flits[1])
        noc->progress.moved_at = noc->now;
    slot->flits_end[0] = slot->flits[0];
    slot->flits_end[1] = slot->flits[1];
}

// Looks up the slots for the events of this cycle.
static inline void noc_look_ahead(struct noc *noc)
{
    noc->calendar.ahead = (struct noc_ahead){
        .flight = noc_bucket(noc, noc->delay.flight),
        .entry = noc_bucket(noc, noc->delay.entry),
        .exit_credit = noc_bucket(noc, noc->delay.exit_credit),
        .route = noc_bucket(noc, noc->delay.routing),
        .next_route = noc_bucket(noc, noc->delay.routing + 1),
        .assign = noc_bucket(noc, noc->delay.vc_alloc),
        .credit = {noc_bucket(noc, noc->delay.credit), noc_bucket(noc, noc->delay.entry_credit)}};
}

// Removes the events of cycle `now` from the calendar and executes them.
static inline void noc_run_events(struct noc *noc)
{
    struct noc_bucket *slot = noc_bucket(noc, 0);
    noc_look_ahead(noc);
    for (const struct noc_assign_event *at = slot->assigns; at < slot->assigns_end; at++)
        noc_end_assign(noc, *at);
    for (const uint32_t *at = slot->credits; at < slot->credits_end; at++)
        noc_arrive_credit(noc, *at);
    // RC ends: the front packets request virtual channels from this cycle on.
    for (const uint32_t *at = slot->routes; at < slot->routes_end; at++)
        noc_set_waiting(noc, *at);
    noc_arrive_flits(noc, slot);
    slot->assigns_end = slot->assigns;
    slot->credits_end = slot->credits;
    slot->routes_end = slot->routes;
}
