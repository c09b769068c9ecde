// Events at the beginning of a cycle: arrivals from channels, and ends of stages.
#include "runtime-sim/noc/events.h"
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/route.h"
#include "runtime-sim/noc/state.h"

uint32_t noc_flight(struct noc *noc, uint32_t router, uint32_t port)
{
    const struct noc_config *c = &noc->config;
    uint64_t begin = noc->now + c->sw_alloc_delay, *last = &noc->switch_batch[router];
    uint64_t through = *last ? *last + c->st_final_delay : 0;
    if (begin > *last)
        *last = begin > through ? begin : through;
    uint64_t leaves = *last + c->st_final_delay - 1;
    if (leaves <= noc->out_leaves[port])
        leaves = noc->out_leaves[port] + 1;
    noc->out_leaves[port] = leaves;
    return (uint32_t)(leaves + 1 + c->channel_latency - noc->now);
}

// A flit arrives at an empty buffer: its packet begins, or continues.
static inline void take_first(struct noc *noc, uint32_t index, uint32_t flit)
{
    struct noc_in *in = noc_in(noc, index);
    if (in->out != NOC_NONE) {
        if (noc->out[in->out].credits)
            noc_set_ready(noc, index);
        return;
    }
    in->since = (uint32_t)noc->now;
    noc_begin_route(noc, index, flit);
    if (noc->routing_delay)
        noc_post_route(noc->calendar.ahead.route, index);
    else
        noc_set_waiting(noc, index);
}

static inline void take_flit(struct noc *noc, uint32_t index, uint32_t flit)
{
    struct noc_in *in = noc_in(noc, index);
    struct noc_router *router = &noc->router[in->router];
    in->flit[((uint32_t)in->head + in->count) & noc->ring] = flit;
    router->buffer_sum -= noc->now;
    router->buffer_now++;
    if (router->buffer_now > router->buffer_most)
        router->buffer_most = router->buffer_now;
    if (!in->count++)
        take_first(noc, index, flit);
}

// A virtual channel that no packet of its class is in any more can be lent.
static void lend(struct noc *noc, uint32_t index)
{
    struct noc_out_port *port = &noc->out_port[noc_port(noc, index)];
    uint64_t bit = UINT64_C(1) << noc_vc(noc, index);
    const struct noc_out *out = &noc->out[index];
    if (!(port->own & bit) || out->owner != NOC_NONE || !(port->free & bit) ||
        out->credits < noc->buffer)
        return;
    port->own &= ~bit;
    if (noc->has_vc_rows && port->waiting)
        mask_set(noc->serving_routers, port->from);
}

static inline void take_credit(struct noc *noc, uint32_t index)
{
    struct noc_out *out = &noc->out[index];
    out->credits++;
    if (noc->lent_vcs)
        lend(noc, index);
    if (out->credits > 1)
        return;
    if (index >= noc->router_outs << noc->shift)
        noc->out_port[noc_port(noc, index)].open |= UINT64_C(1) << noc_vc(noc, index);
    else if (out->owner != NOC_NONE && noc_in(noc, out->owner)->count)
        noc_set_ready(noc, out->owner);
}

static inline void end_assign(struct noc *noc, struct noc_assign_event event)
{
    noc_in(noc, event.in)->out = event.out;
    noc->out[event.out].owner = event.in;
    if (noc->out[event.out].credits)
        noc_set_ready(noc, event.in);
}

static void take_flits(struct noc *noc, struct noc_slot *slot)
{
    for (const struct noc_flit_event *at = slot->flits[0]; at < slot->flits_end[0]; at++)
        take_flit(noc, at->in, at->flit);
    for (const struct noc_flit_event *at = slot->flits[1]; at < slot->flits_end[1]; at++)
        noc_arrive(noc, at->in, at->flit);
    noc->stats.noc_buffer_write += (uint64_t)(slot->flits_end[0] - slot->flits[0]);
    if (slot->flits_end[0] > slot->flits[0] || slot->flits_end[1] > slot->flits[1])
        noc->moved_at = noc->now;
    slot->flits_end[0] = slot->flits[0];
    slot->flits_end[1] = slot->flits[1];
}

static void look_ahead(struct noc *noc)
{
    noc->calendar.ahead = (struct noc_ahead){
        .flight = noc_slot(noc, noc->flight),
        .entry = noc_slot(noc, noc->entry),
        .exit_credit = noc_slot(noc, noc->exit_credit_time),
        .route = noc_slot(noc, noc->routing_delay),
        .next_route = noc_slot(noc, noc->routing_delay + 1),
        .assign = noc_slot(noc, noc->vc_alloc_delay),
        .credit = {noc_slot(noc, noc->credit_time), noc_slot(noc, noc->entry_credit_time)}};
}

void noc_take_events(struct noc *noc)
{
    struct noc_slot *slot = noc_slot(noc, 0);
    look_ahead(noc);
    for (const struct noc_assign_event *at = slot->assigns; at < slot->assigns_end; at++)
        end_assign(noc, *at);
    for (const uint32_t *at = slot->credits; at < slot->credits_end; at++)
        take_credit(noc, *at);
    // RC ends: the packets in front request virtual channels from this cycle on.
    for (const uint32_t *at = slot->routes; at < slot->routes_end; at++)
        noc_set_waiting(noc, *at);
    take_flits(noc, slot);
    slot->assigns_end = slot->assigns;
    slot->credits_end = slot->credits;
    slot->routes_end = slot->routes;
}

static bool is_empty(const struct noc_slot *slot)
{
    return slot->flits_end[0] == slot->flits[0] && slot->flits_end[1] == slot->flits[1] &&
           slot->credits_end == slot->credits && slot->routes_end == slot->routes &&
           slot->assigns_end == slot->assigns;
}

uint64_t noc_next_event(const struct noc *noc)
{
    if (noc->due.n)
        return noc_packet_at(noc, noc->due.v[0])->arrived;
    for (uint32_t after = 0; after <= noc->calendar.mask; after++)
        if (!is_empty(noc_slot(noc, after)))
            return noc->now + after;
    return UINT64_MAX;
}
