// Allocation of virtual channels: packets ask for any of those of an output port that are free.
//
// iSLIP: each free virtual channel proposes itself to one of those that ask for it, in turn; each
// of these accepts one, in turn. Separable input-first: each packet picks one, in turn; of those
// that picked the same one gets it, in turn. A turn goes on behind the one that was last served,
// and only when it was served in the first iteration.
#include "runtime-sim/noc/allocate.h"
#include "runtime-sim/noc/route.h"
#include "runtime-sim/noc/state.h"

struct vc_round {
    struct noc *noc;
    const struct noc_router *router;
    uint32_t port; // local number of the output
    uint64_t taken;
};

static struct noc_out *out_of(const struct vc_round *r, uint32_t vc)
{
    return &r->noc->out[(r->router->out0 + r->port) * r->noc->vcs + vc];
}

static struct noc_in *in_of(const struct vc_round *r, const struct noc_vc_request *request)
{
    return &r->noc->in[r->router->in0 * r->noc->vcs + request->in];
}

// In turn from where this packet's last choice was; turns go over all outputs of the router.
static uint32_t turn_of(const struct vc_round *r, const struct noc_vc_request *request,
                        uint64_t vcs)
{
    uint32_t first = r->port * r->noc->vcs, accept = in_of(r, request)->accept;
    bool is_here = accept >= first && accept < first + r->noc->vcs;
    return mask_turn(vcs, is_here ? accept - first : 0);
}

static void assign(struct vc_round *r, struct noc_vc_request *request, uint32_t vc, bool is_first)
{
    struct noc *noc = r->noc;
    uint32_t in = r->router->in0 * noc->vcs + request->in;
    uint32_t out = (r->router->out0 + r->port) * noc->vcs + vc;
    if (is_first) {
        noc->in[in].accept = (uint16_t)(r->port * noc->vcs + vc + 1);
        noc->out[out].grant = (uint16_t)(request->in + 1);
    }
    r->taken |= UINT64_C(1) << vc;
    request->available = 0;
    noc->free[r->router->out0 + r->port] &= ~(UINT64_C(1) << vc);
    noc_clear_waiting(noc, in / noc->vcs, in % noc->vcs);
    noc_post_assign(noc, (uint32_t)noc->config.vc_alloc_delay, in, out);
    noc->stats.vc_grants++;
}

// Of the requests with this virtual channel in `proposed` or `available`: the highest priority,
// then the next in turn.
static struct noc_vc_request *choose(const struct vc_round *r, uint32_t vc, bool is_proposed)
{
    struct noc_vc_request *all = r->noc->scratch.request, *best = NULL;
    uint32_t from = out_of(r, vc)->grant;
    for (uint32_t i = r->noc->scratch.first[r->port]; i != NOC_NONE; i = all[i].next) {
        struct noc_vc_request *at = &all[i];
        if (!((is_proposed ? at->proposed & at->available : at->available) >> vc & 1))
            continue;
        if (!best || at->rank > best->rank ||
            (at->rank == best->rank && best->in < from && at->in >= from))
            best = at;
    }
    return best;
}

static uint64_t wanted(const struct vc_round *r)
{
    uint64_t vcs = 0;
    const struct noc_vc_request *all = r->noc->scratch.request;
    for (uint32_t i = r->noc->scratch.first[r->port]; i != NOC_NONE; i = all[i].next)
        vcs |= all[i].available;
    return vcs & ~r->taken;
}

static bool islip(struct vc_round *r, bool is_first)
{
    struct noc_vc_request *all = r->noc->scratch.request;
    uint64_t vcs = wanted(r);
    MASK_EACH(vc, vcs)
    choose(r, (uint32_t)vc, false)->proposed |= UINT64_C(1) << vc;
    for (uint32_t i = r->noc->scratch.first[r->port]; i != NOC_NONE; i = all[i].next) {
        if (all[i].proposed)
            assign(r, &all[i], turn_of(r, &all[i], all[i].proposed), is_first);
        all[i].proposed = 0;
    }
    return vcs != 0;
}

static bool separable(struct vc_round *r, bool is_first)
{
    struct noc_vc_request *all = r->noc->scratch.request;
    uint64_t picked = 0;
    for (uint32_t i = r->noc->scratch.first[r->port]; i != NOC_NONE; i = all[i].next) {
        uint64_t vcs = all[i].available & ~r->taken;
        all[i].proposed = vcs ? UINT64_C(1) << turn_of(r, &all[i], vcs) : 0;
        picked |= all[i].proposed;
    }
    MASK_EACH(vc, picked)
    assign(r, choose(r, (uint32_t)vc, true), (uint32_t)vc, is_first);
    return picked != 0;
}

static void serve_port(struct vc_round *r)
{
    struct noc *noc = r->noc;
    uint32_t first = noc->scratch.first[r->port];
    struct noc_vc_request *only = &noc->scratch.request[first];
    if (only->next == NOC_NONE) {
        assign(r, only, turn_of(r, only, only->available), true);
        return;
    }
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < noc->config.vc_alloc_iterations; i++) {
        goes_on = noc->config.vc_allocator == NOC_ISLIP ? islip(r, !i) : separable(r, !i);
        for (uint32_t j = first; j != NOC_NONE; j = noc->scratch.request[j].next)
            noc->scratch.request[j].available &= ~r->taken;
    }
}

// Minimal adaptive: of the one or two ways on, that with more room in free virtual channels; the
// escape only if there is none in either.
static uint64_t adapt(struct noc *noc, const struct noc_router *router, uint32_t in)
{
    const struct noc_hot *packet = noc_front_packet(noc, in);
    struct noc_ways ways = noc_mesh_ways(noc, router, packet->target);
    uint64_t vcs = noc->class_vcs[packet->class], escape = vcs & -vcs, best = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < ways.count; i++) {
        uint32_t out = router->out0 + ways.port[i], room = 0;
        uint64_t some = noc_available(noc, out, vcs & ~escape, packet->flits);
        MASK_EACH(vc, some)
        room += noc->out[out * noc->vcs + vc].credits + 1u;
        if (room > most) {
            most = room;
            best = some;
            noc->in[in].port = (uint16_t)ways.port[i];
        }
    }
    if (best)
        return best;
    noc->in[in].port = (uint16_t)ways.port[0];
    return noc_available(noc, router->out0 + ways.port[0], escape, packet->flits);
}

static uint64_t ask(struct noc *noc, const struct noc_router *router, uint32_t in)
{
    const struct noc_hot *packet = noc_front_packet(noc, in);
    if (noc->is_adaptive && noc->node_exit[packet->target] != router - noc->router)
        return adapt(noc, router, in);
    return noc_available(noc, router->out0 + noc->in[in].port, noc->class_vcs[packet->class],
                         packet->flits);
}

static void add_request(struct noc *noc, const struct noc_router *router, uint32_t in, uint32_t n)
{
    struct noc_scratch *s = &noc->scratch;
    uint32_t port = noc->in[in].port;
    if (s->first[port] == NOC_NONE)
        s->first[port] = n;
    else
        s->request[s->last[port]].next = n;
    s->last[port] = n;
    mask_set(s->outs, port);
    s->request[n].in = in - router->in0 * noc->vcs;
    s->request[n].next = NOC_NONE;
    s->request[n].proposed = 0;
    s->request[n].rank = noc->is_ranked ? noc_rank(noc, in) : 0;
}

void noc_allocate_vcs(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    struct noc_scratch *s = &noc->scratch;
    uint32_t n = 0;
    for (uint32_t w = 0; w < noc->words; w++)
        MASK_EACH(bit, noc->waiting_ports[(size_t)index * noc->words + w])
        {
            uint32_t port = router->in0 + w * 64 + (uint32_t)bit;
            MASK_EACH(vc, noc->waiting[port])
            {
                uint32_t in = port * noc->vcs + (uint32_t)vc;
                uint64_t vcs = ask(noc, router, in);
                noc->stats.noc_vc_arbitration++;
                s->request[n].available = vcs;
                if (vcs)
                    add_request(noc, router, in, n++);
            }
        }
    for (uint32_t w = 0; n && w < noc->words; w++) {
        MASK_EACH(bit, s->outs[w])
        {
            struct vc_round round = {noc, router, w * 64 + (uint32_t)bit, 0};
            serve_port(&round);
            s->first[round.port] = NOC_NONE;
        }
        s->outs[w] = 0;
    }
}
