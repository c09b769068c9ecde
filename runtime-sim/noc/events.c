// Events at a known time.
#include "runtime-sim/noc/events.h"
#include "runtime-sim/noc/state_tmpl.h"

uint32_t noc_flight(struct noc *noc, uint32_t router, uint32_t port)
{
    const struct noc_config *c = &noc->config;
    uint64_t begin = noc->now + c->sw_alloc_delay, *last = &noc->crossbar.batch[router];
    uint64_t through = *last ? *last + c->st_final_delay : 0;
    if (begin > *last)
        *last = begin > through ? begin : through;
    uint64_t leaves = *last + c->st_final_delay - 1;
    if (leaves <= noc->crossbar.out_leaves[port])
        leaves = noc->crossbar.out_leaves[port] + 1;
    noc->crossbar.out_leaves[port] = leaves;
    return (uint32_t)(leaves + 1 + c->channel_latency - noc->now);
}

static bool is_empty(const struct noc_bucket *bucket)
{
    return bucket->flits_end[0] == bucket->flits[0] && bucket->flits_end[1] == bucket->flits[1] &&
           bucket->credits_end == bucket->credits && bucket->routes_end == bucket->routes &&
           bucket->assigns_end == bucket->assigns;
}

uint64_t noc_next_event(const struct noc *noc)
{
    if (noc->pool.due.n)
        return noc_packet_at(noc, noc->pool.due.v[0])->arrived;
    for (uint32_t after = 0; after <= noc->calendar.mask; after++)
        if (!is_empty(noc_bucket(noc, after)))
            return noc->now + after;
    return UINT64_MAX;
}
