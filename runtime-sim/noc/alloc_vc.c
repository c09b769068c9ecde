// Virtual-channel allocation: packets request any free virtual channel of an output port.
//
// iSLIP: each free virtual channel grants one request, round-robin; each requester accepts one
// grant, round-robin. Separable input-first: each packet selects one virtual channel, round-robin;
// each virtual channel grants one of the packets that selected it, round-robin. A round-robin
// pointer advances past the last winner, and only if it won in the first iteration.
#include "runtime-sim/noc/allocate.h"
#include "runtime-sim/noc/route.h"
#include "runtime-sim/noc/vc_rows_tmpl.h"

// The general case: a list of requests per output

struct vc_round {
    struct noc *noc;
    const struct noc_router *router;
    uint32_t port; // local number of the output port
    uint64_t taken;
};

static struct noc_out *out_of(const struct vc_round *r, uint32_t vc)
{
    return &r->noc->vc.out[noc_index(r->noc, r->router->out0 + r->port, vc)];
}

static uint32_t choice_of(const struct vc_round *r, const struct noc_vc_request *request,
                          uint64_t vcs)
{
    return noc_turn_of(r->noc, noc_index(r->noc, r->router->in0, request->in), r->port, vcs);
}

static void give(struct vc_round *r, struct noc_vc_request *request, uint32_t vc, bool is_first)
{
    noc_assign(r->noc, r->router, request->in, r->port, vc, is_first);
    r->taken |= UINT64_C(1) << vc;
    request->available = 0;
}

// Among the requests with this virtual channel in `proposed` or `available`, returns the one with
// the highest priority; among equals, the next in round-robin order.
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
    MASK_EACH (vc, vcs)
        choose(r, (uint32_t)vc, false)->proposed |= UINT64_C(1) << vc;
    for (uint32_t i = r->noc->scratch.first[r->port]; i != NOC_NONE; i = all[i].next) {
        if (all[i].proposed)
            give(r, &all[i], choice_of(r, &all[i], all[i].proposed), is_first);
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
        all[i].proposed = vcs ? UINT64_C(1) << choice_of(r, &all[i], vcs) : 0;
        picked |= all[i].proposed;
    }
    MASK_EACH (vc, picked)
        give(r, choose(r, (uint32_t)vc, true), (uint32_t)vc, is_first);
    return picked != 0;
}

static void serve_port(struct vc_round *r)
{
    struct noc *noc = r->noc;
    uint32_t first = noc->scratch.first[r->port];
    struct noc_vc_request *only = &noc->scratch.request[first];
    if (only->next == NOC_NONE) {
        give(r, only, choice_of(r, only, only->available), true);
        return;
    }
    bool goes_on = true;
    for (uint32_t i = 0; goes_on && i < noc->config.vc_alloc_iterations; i++) {
        goes_on = noc->config.vc_allocator == NOC_VC_ISLIP ? islip(r, !i) : separable(r, !i);
        for (uint32_t j = first; j != NOC_NONE; j = noc->scratch.request[j].next)
            noc->scratch.request[j].available &= ~r->taken;
    }
}

static void go_to(struct noc_in *in, const struct noc_router *router, uint32_t port)
{
    in->port = (uint16_t)port;
    in->row = router->out0 + port;
}

// Minimal adaptive routing: selects, of the one or two minimal ports, the port with more room in
// its free virtual channels. Selects the escape channel only if neither has a free one.
static uint64_t adapt(struct noc *noc, const struct noc_router *router, uint32_t in)
{
    const struct noc_hot *packet = noc_front_packet(noc, in);
    struct noc_ways ways = noc_mesh_ways(noc, router, packet->target);
    uint64_t vcs = noc->class.vcs[packet->class], escape = vcs & -vcs, best = 0;
    uint32_t max = 0;
    for (uint32_t i = 0; i < ways.count; i++) {
        uint32_t out = router->out0 + ways.port[i], room = 0;
        uint64_t some = noc_available(noc, out, vcs & ~escape, packet->flits);
        MASK_EACH (vc, some)
            room += noc->vc.credits[noc_index(noc, out, vc)] + 1u;
        if (room > max) {
            max = room;
            best = some;
            go_to(noc_in(noc, in), router, ways.port[i]);
        }
    }
    if (best)
        return best;
    go_to(noc_in(noc, in), router, ways.port[0]);
    return noc_available(noc, router->out0 + ways.port[0], escape, packet->flits);
}

static uint64_t ask(struct noc *noc, const struct noc_router *router, uint32_t in)
{
    uint64_t vcs = noc_vcs_for(noc, noc_in(noc, in)->row, noc_class_at(noc, in));
    if (!noc->routing.is_adaptive && noc->alloc.reuse == NOC_REUSE_TAIL)
        return vcs & noc->port.out[noc_in(noc, in)->row].free;
    const struct noc_hot *packet = noc_front_packet(noc, in);
    if (noc->routing.is_adaptive && noc->routing.node_exit[packet->target] != router - noc->router)
        return adapt(noc, router, in);
    return noc_available(noc, noc_in(noc, in)->row, vcs, packet->flits);
}

static void add_request(struct noc *noc, const struct noc_router *router, uint32_t in, uint32_t n)
{
    struct noc_scratch *s = &noc->scratch;
    uint32_t port = noc_in(noc, in)->port;
    if (s->first[port] == NOC_NONE)
        s->first[port] = n;
    else
        s->request[s->last[port]].next = n;
    s->last[port] = n;
    mask_set(s->outs, port);
    s->request[n].in = in - noc_index(noc, router->in0, 0);
    s->request[n].next = NOC_NONE;
    s->request[n].proposed = 0;
    s->request[n].rank = noc->alloc.is_ranked ? noc_rank(noc, in) : 0;
}

static void allocate_listed(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    struct noc_scratch *s = &noc->scratch;
    uint32_t n = 0;
    for (uint32_t w = 0; w < noc->shape.words; w++)
        MASK_EACH (bit, noc->requests.waiting_ports[(size_t)index * noc->shape.words + w]) {
            uint32_t port = router->in0 + w * 64 + (uint32_t)bit;
            MASK_EACH (vc, noc->port.in[port].waiting) {
                uint32_t in = noc_index(noc, port, (uint32_t)vc);
                uint64_t vcs = ask(noc, router, in);
                s->request[n].available = vcs;
                if (vcs)
                    add_request(noc, router, in, n++);
            }
        }
    for (uint32_t w = 0; n && w < noc->shape.words; w++) {
        MASK_EACH (bit, s->outs[w]) {
            struct vc_round round = {noc, router, w * 64 + (uint32_t)bit, 0};
            serve_port(&round);
            s->first[round.port] = NOC_NONE;
        }
        s->outs[w] = 0;
    }
}

void noc_allocate_vcs(struct noc *noc, uint32_t index)
{
    noc_set_lifted(noc, index);
    allocate_listed(noc, index);
}
