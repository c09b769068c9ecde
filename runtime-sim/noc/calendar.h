// Events of a network whose time is known.
#pragma once
#include "runtime-sim/noc/router.h"

static inline uint32_t noc_slot(const struct noc *noc, uint32_t after)
{
    return (uint32_t)(noc->now + after) & noc->calendar.mask;
}

static inline void noc_post_flit(struct noc *noc, uint32_t after, uint32_t in, uint32_t flit)
{
    struct noc_calendar *c = &noc->calendar;
    uint32_t slot = noc_slot(noc, after);
    c->flit[(size_t)slot * c->flit_room + c->flits[slot]++] = (struct noc_flit_event){in, flit};
}

// Cycles from a flit's SA until the next router sees it.
static inline uint32_t noc_flight(struct noc *noc, uint32_t router, uint32_t port)
{
    const struct noc_config *c = &noc->config;
    if (c->st_final_delay == 1)
        return noc->flight;
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

static inline void noc_post_credit(struct noc *noc, uint32_t after, uint32_t out)
{
    struct noc_calendar *c = &noc->calendar;
    uint32_t slot = noc_slot(noc, after);
    c->credit[(size_t)slot * c->credit_room + c->credits[slot]++] = out;
}

static inline void noc_post_route(struct noc *noc, uint32_t after, uint32_t in)
{
    struct noc_calendar *c = &noc->calendar;
    uint32_t slot = noc_slot(noc, after);
    c->route[(size_t)slot * c->stage_room + c->routed[slot]++] = in;
}

static inline void noc_post_assign(struct noc *noc, uint32_t after, uint32_t in, uint32_t out)
{
    struct noc_calendar *c = &noc->calendar;
    uint32_t slot = noc_slot(noc, after);
    c->assign[(size_t)slot * c->stage_room + c->assigned[slot]++] =
        (struct noc_assign_event){in, out};
}
