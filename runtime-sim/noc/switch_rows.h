// Allocation of the switch by iSLIP where a router's input virtual channels fit a word, and input x
// of the crossbar has those of port x: the bits from x << shift on.
#pragma once
#include "runtime-sim/noc/send.h"

// Returns the virtual channels of a crossbar's input.
static inline uint64_t noc_input_row(const struct noc *noc, uint32_t x)
{
    (void)noc;
    return ~UINT64_C(0) >> (64 - (1u << NOC_SHIFT(noc))) << (x << NOC_SHIFT(noc));
}

static inline uint32_t noc_count_inputs(const struct noc *noc, uint64_t locals)
{
    uint32_t inputs = 0;
    for (; locals; inputs++)
        locals &= ~noc_input_row(noc, noc_port(noc, (uint32_t)__builtin_ctzll(locals)));
    return inputs;
}

// Requests for the outputs of a switch.
struct noc_asking {
    uint64_t outs;
    bool clashes; // two are of one input, or request the same output
};

static inline struct noc_asking noc_look_at_rows(const struct noc *noc,
                                                 const struct noc_router *router, uint64_t locals)
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
    return (struct noc_asking){outs, both};
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

// Adds an input virtual channel to those that are served in this cycle. Only the first iteration
// moves the pointers of the output and of the input.
static inline void noc_win(struct noc *noc, uint32_t index, bool is_first)
{
    noc->scratch.winners[noc->scratch.winner_count++] = index << 1 | is_first;
}

// Adds the next virtual channel of an input in round-robin order, among these.
static inline void noc_win_of_input(struct noc *noc, const struct noc_router *router, uint32_t x,
                                    uint64_t locals, bool is_first)
{
    uint32_t first = x << NOC_SHIFT(noc);
    uint64_t vcs = (locals & noc_input_row(noc, x)) >> first;
    uint32_t local = first + mask_turn(vcs, noc->x[router->x0 + x].turn);
    noc_win(noc, noc_index(noc, router->in0, local), is_first);
}

static inline void noc_contest_switch(struct noc *noc, const struct noc_router *router)
{
    uint64_t rows[64], grants[64], left = ~UINT64_C(0), outs_done = 0;
    for (uint32_t i = 0; i < (NOC_IS_PLAIN(noc) ? 1 : noc->config.sw_alloc_iterations); i++) {
        uint64_t asking = router->ready & left;
        noc->stats.noc_switch_arbitration += noc_count_inputs(noc, asking);
        uint64_t outs = noc_sort_rows(noc, router, asking, rows);
        uint64_t ins = noc_propose(noc, router, outs & ~outs_done, rows, grants);
        if (!ins)
            break;
        MASK_EACH(x, ins)
        {
            const struct noc_x *input = &noc->x[router->x0 + x];
            uint32_t out = mask_turn(grants[x], input->accept);
            outs_done |= UINT64_C(1) << out;
            left &= ~noc_input_row(noc, (uint32_t)x);
            noc_win_of_input(noc, router, (uint32_t)x, rows[out], !i);
        }
    }
}

// The same as noc_contest_switch with one iteration, if all request one output.
static inline void noc_contest_output(struct noc *noc, const struct noc_router *router,
                                      uint32_t out)
{
    uint32_t from = (uint32_t)noc->out_port[router->out0 + out].grant << NOC_SHIFT(noc);
    uint32_t x = noc_port(noc, mask_turn(router->ready, from));
    noc->stats.noc_switch_arbitration += noc_count_inputs(noc, router->ready);
    noc_win_of_input(noc, router, x, router->ready, true);
}

// Selects those of `ready` that send a flit in this cycle.
static inline __attribute__((always_inline)) void noc_choose_rows(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    uint64_t ready = router->ready;
    uint32_t first = noc_index(noc, router->in0, 0), before = noc->scratch.winner_count;
    if (!ready)
        mask_clear(noc->ready_routers, index);
    if (ready & (ready - 1)) {
        struct noc_asking asking = noc_look_at_rows(noc, router, ready);
        bool is_one = NOC_IS_PLAIN(noc) && !(asking.outs & (asking.outs - 1));
        if (is_one)
            noc_contest_output(noc, router, (uint32_t)__builtin_ctzll(asking.outs));
        else if (asking.clashes)
            noc_contest_switch(noc, router);
        if (is_one || asking.clashes)
            return;
    }
    MASK_EACH(local, ready)
    noc_win(noc, first + (uint32_t)local, true);
    noc->stats.noc_switch_arbitration += noc->scratch.winner_count - before;
}

// Sends a flit of one of the winners. Returns true if it was a tail.
static inline __attribute__((always_inline)) uint32_t
noc_serve_winner(struct noc *noc, uint32_t index, bool is_first)
{
    const struct noc_in *in = noc_in(noc, index);
    struct noc_x *input = &noc->x[noc_port(noc, index)]; // each port has one input
    struct noc_router *router = &noc->router[in->router];
    input->turn = (uint8_t)(noc_vc(noc, index) + 1);
    if (NOC_IS_PLAIN(noc) || is_first) {
        input->accept = (uint16_t)(in->port + 1);
        noc->out_port[in->row].grant = (uint16_t)(noc_port(noc, in->local) + 1);
    }
    bool is_last, is_tail = noc_send_flit(noc, index, &is_last);
    router->ready &= ~((uint64_t)is_last << in->local); // noc_choose_rows clears the router's bit
    return is_tail;
}

// Sends flits of all winners. Those that end a packet are handled behind the others: the host
// cannot predict them.
static inline void noc_serve_winners(struct noc *noc)
{
    uint32_t *winners = noc->scratch.winners, count = noc->scratch.winner_count, tails = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = winners[i] >> 1;
        uint32_t is_tail = noc_serve_winner(noc, index, winners[i] & 1);
        winners[tails] = index;
        tails += is_tail;
    }
    for (uint32_t i = 0; i < tails; i++)
        noc_end_packet(noc, winners[i]);
    noc->scratch.winner_count = 0;
}
