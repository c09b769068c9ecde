// Allocation of the switch by iSLIP where a router's input virtual channels fit a word, and input x of
// the crossbar has those of port x: the bits from x << shift on.
#pragma once
#include "runtime-sim/noc/send.h"

// Serves an input virtual channel by its local number. Returns true if it requests no more.
static inline __attribute__((always_inline)) bool
noc_serve_row(struct noc *noc, const struct noc_router *router, uint32_t local, bool is_first)
{
    uint32_t index = noc_index(noc, router->in0, local), x = noc_port(noc, local);
    struct noc_x *input = &noc->x[router->x0 + x];
    const struct noc_in *in = noc_in(noc, index);
    input->turn = (uint8_t)(noc_vc(noc, local) + 1);
    if (is_first) {
        input->accept = (uint16_t)(in->port + 1);
        noc->out_port[in->row].grant = (uint16_t)(x + 1);
    }
    return noc_send_flit(noc, index);
}

static inline void noc_leave_switch(struct noc *noc, struct noc_router *router, uint32_t index,
                                    uint64_t gone, uint32_t flits)
{
    noc_count_sent(noc, router, flits);
    router->ready &= ~gone;
    if (!router->ready)
        mask_clear(noc->ready_routers, index);
}

// Returns the virtual channels of a crossbar's input.
static inline uint64_t noc_input_row(const struct noc *noc, uint32_t x)
{
    return ~UINT64_C(0) >> (64 - (1u << NOC_SHIFT(noc))) << (x << NOC_SHIFT(noc));
}

static inline uint32_t noc_count_inputs(const struct noc *noc, uint64_t locals)
{
    uint32_t inputs = 0;
    for (; locals; inputs++)
        locals &= ~noc_input_row(noc, noc_port(noc, (uint32_t)__builtin_ctzll(locals)));
    return inputs;
}

// Returns true if two of these virtual channels are of one input, or request the same output.
static inline bool noc_rows_clash(const struct noc *noc, const struct noc_router *router,
                                  uint64_t locals)
{
    uint64_t ins = 0, outs = 0, both = 0;
    MASK_EACH(local, locals)
    {
        uint32_t index = noc_index(noc, router->in0, (uint32_t)local);
        uint64_t in = UINT64_C(1) << noc_port(noc, (uint32_t)local);
        uint64_t out = UINT64_C(1) << noc_in(noc, index)->port;
        both |= (ins & in) | (outs & out);
        ins |= in;
        outs |= out;
    }
    return both;
}

// Sorts requests by output; returns the outputs.
static inline uint64_t noc_sort_rows(const struct noc *noc, const struct noc_router *router,
                                     uint64_t locals, uint64_t *rows)
{
    uint64_t outs = 0;
    MASK_EACH(local, locals)
    {
        uint32_t out = noc_in(noc, noc_index(noc, router->in0, (uint32_t)local))->port;
        rows[out] = (outs >> out & 1 ? rows[out] : 0) | UINT64_C(1) << local;
        outs |= UINT64_C(1) << out;
    }
    return outs;
}

// Each output proposes itself to the next requesting input in round-robin order. Returns the inputs
// with a proposal.
static inline uint64_t noc_propose(const struct noc *noc, const struct noc_router *router,
                                   uint64_t outs, const uint64_t *rows, uint64_t *grants)
{
    uint64_t ins = 0;
    MASK_EACH(out, outs)
    {
        uint32_t from = (uint32_t)noc->out_port[router->out0 + out].grant << NOC_SHIFT(noc);
        uint32_t x = noc_port(noc, mask_turn(rows[out], from));
        grants[x] = (ins >> x & 1 ? grants[x] : 0) | UINT64_C(1) << out;
        ins |= UINT64_C(1) << x;
    }
    return ins;
}

static inline void noc_contest_switch(struct noc *noc, struct noc_router *router, uint32_t index)
{
    uint64_t rows[64], grants[64], left = ~UINT64_C(0), outs_done = 0, gone = 0;
    uint32_t flits = 0;
    for (uint32_t i = 0; i < (NOC_IS_PLAIN(noc) ? 1 : noc->config.sw_alloc_iterations); i++) {
        uint64_t asking = router->ready & ~gone & left;
        noc->stats.noc_switch_arbitration += noc_count_inputs(noc, asking);
        uint64_t outs = noc_sort_rows(noc, router, asking, rows);
        uint64_t ins = noc_propose(noc, router, outs & ~outs_done, rows, grants);
        if (!ins)
            break;
        MASK_EACH(x, ins)
        {
            const struct noc_x *input = &noc->x[router->x0 + x];
            uint32_t out = mask_turn(grants[x], input->accept), first = (uint32_t)x << NOC_SHIFT(noc);
            uint64_t vcs = (rows[out] & noc_input_row(noc, (uint32_t)x)) >> first;
            uint32_t local = first + mask_turn(vcs, input->turn);
            outs_done |= UINT64_C(1) << out;
            left &= ~noc_input_row(noc, (uint32_t)x);
            gone |= (uint64_t)noc_serve_row(noc, router, local, !i) << local;
            flits++;
        }
    }
    noc_leave_switch(noc, router, index, gone, flits);
}

// Sends flits in `ready` through the switch.
static inline __attribute__((always_inline)) void noc_allocate_rows(struct noc *noc, uint32_t index)
{
    struct noc_router *router = &noc->router[index];
    uint64_t ready = router->ready, gone = 0;
    uint32_t flits = 0;
    if (ready & (ready - 1) && noc_rows_clash(noc, router, ready)) {
        noc_contest_switch(noc, router, index);
        return;
    }
    MASK_EACH(local, ready)
    {
        gone |= (uint64_t)noc_serve_row(noc, router, (uint32_t)local, true) << local;
        flits++;
    }
    noc->stats.noc_switch_arbitration += flits;
    noc_leave_switch(noc, router, index, gone, flits);
}
