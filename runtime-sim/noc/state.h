// Changes of state of input virtual channels.
#pragma once
#include "runtime-sim/noc/calendar.h"
#include "runtime-sim/noc/masks.h"

static inline void noc_mark(const struct noc *noc, uint64_t *ports, uint64_t *routers,
                            uint32_t port)
{
    uint32_t router = noc->in_port[port].router;
    mask_set(&ports[(size_t)router * noc->words], noc->in_port[port].local);
    mask_set(routers, router);
}

static inline void noc_unmark(const struct noc *noc, uint64_t *ports, uint64_t *routers,
                              uint32_t port)
{
    uint32_t router = noc->in_port[port].router;
    uint64_t *mask = &ports[(size_t)router * noc->words], any = 0;
    mask_clear(mask, noc->in_port[port].local);
    for (uint32_t w = 0; w < noc->words; w++)
        any |= mask[w];
    if (!any)
        mask_clear(routers, router);
}

// An input virtual channel among those that want the output of its packet.
static inline void noc_want(uint64_t *rows, uint64_t *outs, uint64_t *routers,
                            const struct noc_in *in)
{
    rows[in->row] |= UINT64_C(1) << in->local;
    outs[in->router] |= UINT64_C(1) << in->port;
    mask_set(routers, in->router);
}

static inline void noc_want_no_more(uint64_t *rows, uint64_t *outs, uint64_t *routers,
                                    const struct noc_in *in)
{
    uint64_t row = rows[in->row] & ~(UINT64_C(1) << in->local);
    uint64_t left = outs[in->router] & ~((uint64_t)!row << in->port);
    rows[in->row] = row;
    outs[in->router] = left;
    routers[in->router / 64] &= ~((uint64_t)!left << in->router % 64);
}

static inline void noc_set_ready(struct noc *noc, uint32_t index)
{
    if (noc->has_switch_rows) {
        noc_want(noc->ready_for, noc->ready_outs, noc->ready_routers, &noc->in[index]);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc_mark(noc, noc->ready_ports, noc->ready_routers, port);
    noc->in_port[port].ready |= UINT64_C(1) << noc_vc(noc, index);
}

static inline void noc_clear_ready(struct noc *noc, uint32_t index)
{
    if (noc->has_switch_rows) {
        noc_want_no_more(noc->ready_for, noc->ready_outs, noc->ready_routers, &noc->in[index]);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc->in_port[port].ready &= ~(UINT64_C(1) << noc_vc(noc, index));
    if (!noc->in_port[port].ready)
        noc_unmark(noc, noc->ready_ports, noc->ready_routers, port);
}

static inline bool noc_is_ready(const struct noc *noc, uint32_t index)
{
    if (noc->has_switch_rows)
        return noc->ready_for[noc->in[index].row] >> noc->in[index].local & 1;
    return noc->in_port[noc_port(noc, index)].ready >> noc_vc(noc, index) & 1;
}

static inline void noc_set_waiting(struct noc *noc, uint32_t index)
{
    noc->waiting++;
    if (noc->has_vc_rows) {
        noc_want(noc->waiting_for, noc->waiting_outs, noc->waiting_routers, &noc->in[index]);
        mask_set(noc->serving_routers, noc->in[index].router);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc_mark(noc, noc->waiting_ports, noc->waiting_routers, port);
    noc->in_port[port].waiting |= UINT64_C(1) << noc_vc(noc, index);
}

static inline void noc_clear_waiting(struct noc *noc, uint32_t index)
{
    noc->waiting--;
    if (noc->has_vc_rows) {
        noc_want_no_more(noc->waiting_for, noc->waiting_outs, noc->waiting_routers,
                         &noc->in[index]);
        return;
    }
    uint32_t port = noc_port(noc, index);
    noc->in_port[port].waiting &= ~(UINT64_C(1) << noc_vc(noc, index));
    if (!noc->in_port[port].waiting)
        noc_unmark(noc, noc->waiting_ports, noc->waiting_routers, port);
}

static inline bool noc_is_waiting(const struct noc *noc, uint32_t index)
{
    if (noc->has_vc_rows)
        return noc->waiting_for[noc->in[index].row] >> noc->in[index].local & 1;
    return noc->in_port[noc_port(noc, index)].waiting >> noc_vc(noc, index) & 1;
}

static inline uint32_t noc_front(const struct noc *noc, uint32_t in)
{
    return *noc_place(noc, in, noc->in[in].head);
}

static inline struct noc_hot *noc_front_packet(const struct noc *noc, uint32_t in)
{
    return &noc->hot[noc_front(noc, in) >> FLIT_SHIFT];
}

// Priority of the packet in front, as allocators see it.
static inline uint8_t noc_rank(const struct noc *noc, uint32_t in)
{
    uint64_t wait = noc->config.priority_wait;
    if (wait && (uint32_t)noc->now - noc->in[in].since >= wait)
        return NOC_PRIORITIES - 1;
    return noc_front_packet(noc, in)->priority;
}

// Virtual channels that the packet could have now.
static inline uint64_t noc_available(const struct noc *noc, uint32_t out, uint64_t vcs,
                                     uint32_t flits)
{
    vcs &= noc->out_port[out].free;
    if (noc->reuse == NOC_REUSE_TAIL)
        return vcs;
    uint64_t kept = 0;
    MASK_EACH(vc, vcs)
    {
        uint32_t credits = noc->out[noc_index(noc, out, vc)].credits;
        bool has_room = noc->reuse == NOC_REUSE_WHOLE && credits >= flits;
        if (credits == noc->buffer || has_room)
            kept |= UINT64_C(1) << vc;
    }
    return kept;
}
