// What happens at the beginning of a cycle: what was on channels arrives, and stages end.
#include "runtime-sim/noc/events.h"
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/route.h"
#include "runtime-sim/noc/state.h"

// RC ends: the packet in front asks for a virtual channel from this cycle on.
static inline void end_route(struct noc *noc, uint32_t in)
{
    noc_set_waiting(noc, noc_port(noc, in), noc_vc(noc, in));
}

static inline void take_flit(struct noc *noc, uint32_t index, uint32_t flit)
{
    struct noc_in *in = &noc->in[index];
    uint32_t at = in->head + in->count;
    noc->flit[(size_t)index * noc->ring + (at < noc->ring ? at : at - noc->ring)] = flit;
    in->count++;
    uint32_t port = noc_port(noc, index);
    struct noc_buffer_use *use = &noc->buffer_use[noc->in_port[port].router];
    use->sum -= noc->now;
    if (++use->now > use->most)
        use->most = use->now;
    if (in->count > 1)
        return;
    if (in->out != NOC_NONE) {
        if (noc->out[in->out].credits)
            noc_set_ready(noc, port, noc_vc(noc, index));
        return;
    }
    in->since = (uint32_t)noc->now;
    noc_begin_route(noc, index, flit);
    if (noc->routing_delay)
        noc_post_route(noc, noc->routing_delay, index);
    else
        end_route(noc, index);
}

static inline void take_credit(struct noc *noc, uint32_t index)
{
    struct noc_out *out = &noc->out[index];
    if (out->credits++ || out->owner == NOC_NONE || index >= noc->router_outs << noc->shift)
        return;
    if (noc->in[out->owner].count)
        noc_set_ready(noc, noc_port(noc, out->owner), noc_vc(noc, out->owner));
}

static inline void end_assign(struct noc *noc, struct noc_assign_event event)
{
    noc->in[event.in].out = event.out;
    noc->out[event.out].owner = event.in;
    if (noc->out[event.out].credits)
        noc_set_ready(noc, noc_port(noc, event.in), noc_vc(noc, event.in));
}

static void take_flits(struct noc *noc, uint32_t slot)
{
    struct noc_calendar *c = &noc->calendar;
    struct noc_flit_event *at = &c->flit[(size_t)slot * c->flit_room], *end = at + c->flits[slot];
    uint32_t routers = noc->router_ins << noc->shift;
    for (; at < end; at++) {
        if (at->in < routers) {
            take_flit(noc, at->in, at->flit);
            noc->stats.noc_buffer_write++;
        } else {
            noc_arrive(noc, at->in, at->flit);
        }
    }
}

void noc_take_events(struct noc *noc)
{
    struct noc_calendar *c = &noc->calendar;
    uint32_t slot = noc_slot(noc, 0);
    for (uint32_t i = 0; i < c->assigned[slot]; i++)
        end_assign(noc, c->assign[(size_t)slot * c->stage_room + i]);
    for (uint32_t i = 0; i < c->credits[slot]; i++)
        take_credit(noc, c->credit[(size_t)slot * c->credit_room + i]);
    for (uint32_t i = 0; i < c->routed[slot]; i++)
        end_route(noc, c->route[(size_t)slot * c->stage_room + i]);
    if (c->flits[slot]) {
        noc->moved_at = noc->now;
        take_flits(noc, slot);
    }
    c->flits[slot] = c->credits[slot] = c->routed[slot] = c->assigned[slot] = 0;
}

uint64_t noc_next_event(const struct noc *noc)
{
    const struct noc_calendar *c = &noc->calendar;
    for (uint32_t after = 0; after <= c->mask; after++) {
        uint32_t slot = noc_slot(noc, after);
        if (c->flits[slot] | c->credits[slot] | c->routed[slot] | c->assigned[slot])
            return noc->now + after;
    }
    return UINT64_MAX;
}
