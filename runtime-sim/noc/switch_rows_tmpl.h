// Switch allocation by iSLIP for routers whose input virtual channels fit a word. Crossbar input x
// has the virtual channels of port x, which are the bits from x << shift on.
#pragma once
#include "runtime-sim/noc/send_tmpl.h"
#include "support/bits.h"

// Returns the virtual channels of a crossbar input.
static inline uint64_t noc_input_row(const struct noc *noc, uint32_t x)
{
    (void)noc;
    return ~UINT64_C(0) >> (64 - (1u << NOC_SHIFT(noc))) << (x << NOC_SHIFT(noc));
}

// Returns the number of inputs that have any of these virtual channels.
static inline uint32_t noc_count_inputs(const struct noc *noc, uint64_t locals)
{
    (void)noc;
    for (uint32_t i = 0; i < NOC_SHIFT(noc); i++)
        locals |= locals >> (1u << i);
    uint64_t firsts = 0; // the first virtual channel of each input
    for (uint32_t first = 0; first < 64; first += 1u << NOC_SHIFT(noc))
        firsts |= UINT64_C(1) << first;
    return bits_count(locals & firsts);
}

// Returns the next input that requests an output, in round-robin order.
static inline uint32_t noc_propose(const struct noc *noc, const struct noc_out_port *port,
                                   uint64_t locals)
{
    (void)noc;
    return noc_port(noc, mask_turn(locals, (uint32_t)port->grant << NOC_SHIFT(noc)));
}

// Adds an input virtual channel to the winners of this cycle. Only a win in the first iteration
// moves the pointers of output and input.
static inline void noc_win(struct noc *noc, uint32_t index, bool is_first)
{
    *noc->scratch.winners_end++ = index << 1 | is_first;
    __builtin_prefetch(noc_in(noc, index)); // for noc_serve_winner
}

// Adds to the winners the next virtual channel of an input, in round-robin order among `locals`.
static inline void noc_win_of_input(struct noc *noc, const struct noc_router *router, uint32_t x,
                                    uint64_t locals, bool is_first)
{
    uint32_t first = x << NOC_SHIFT(noc);
    uint64_t vcs = (locals & noc_input_row(noc, x)) >> first;
    uint32_t local = first + mask_turn(vcs, noc->crossbar.turn[router->x0 + x].vc);
    noc_win(noc, noc_index(noc, router->in0, local), is_first);
}

// Allocates the switch of a router.
static inline void noc_contest_switch(struct noc *noc, const struct noc_router *router)
{
    const struct noc_out_port *ports = &noc->port.out[router->out0];
    uint64_t grants[64], left = ~UINT64_C(0), outs_done = 0;
    for (uint32_t i = 0; i < (NOC_IS_PLAIN(noc) ? 1 : noc->config.sw_alloc_iterations); i++) {
        uint64_t ins = 0, asking = 0;
        MASK_EACH (out, router->ready_outs) {
            uint64_t locals = ports[out].ready & left;
            asking |= locals;
            if (!NOC_IS_PLAIN(noc) && (!locals || outs_done >> out & 1))
                continue;
            uint32_t x = noc_propose(noc, &ports[out], locals);
            grants[x] = (ins >> x & 1 ? grants[x] : 0) | UINT64_C(1) << out;
            ins |= UINT64_C(1) << x;
        }
        noc->stats.noc_switch_arbitration += noc_count_inputs(noc, asking);
        MASK_EACH (x, ins) {
            uint32_t out = mask_turn(grants[x], noc->crossbar.turn[router->x0 + x].accept);
            outs_done |= UINT64_C(1) << out;
            left &= ~noc_input_row(noc, (uint32_t)x);
            noc_win_of_input(noc, router, (uint32_t)x, ports[out].ready, !i);
        }
        if (!ins)
            break;
    }
}

// Allocates the switch if only one output is requested, in one iteration.
static inline void noc_contest_output(struct noc *noc, const struct noc_router *router,
                                      const struct noc_out_port *port)
{
    uint32_t x = noc_propose(noc, port, port->ready);
    noc->stats.noc_switch_arbitration += noc_count_inputs(noc, port->ready);
    noc_win_of_input(noc, router, x, port->ready, true);
}

// Selects the virtual channels that send a flit in this cycle.
static inline __attribute__((always_inline)) void noc_choose_rows(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    uint64_t outs = router->ready_outs;
    if (!outs)
        mask_clear(noc->requests.ready_routers, index);
    else if (NOC_IS_PLAIN(noc) && !(outs & (outs - 1)))
        noc_contest_output(noc, router,
                           &noc->port.out[router->out0 + (uint32_t)__builtin_ctzll(outs)]);
    else
        noc_contest_switch(noc, router);
}

// Sends a flit of a winner. Returns true if it is a tail.
static inline __attribute__((always_inline)) uint32_t
noc_serve_winner(struct noc *noc, uint32_t index, bool is_first)
{
    const struct noc_in *in = noc_in(noc, index);
    struct noc_turn *turn =
        &noc->crossbar.turn[noc_port(noc, index)]; // each port has one crossbar input
    turn->vc = (uint16_t)(noc_vc(noc, index) + 1);
    if (NOC_IS_PLAIN(noc) || is_first) {
        turn->accept = (uint16_t)(in->port + 1);
        noc->port.out[in->row].grant = (uint16_t)(noc_port(noc, in->local) + 1);
    }
    bool is_last, is_tail = noc_send_flit(noc, index, &is_last);
    noc->port.out[in->row].ready &= ~((uint64_t)is_last << in->local);
    noc_clear_ready_out(noc, in); // noc_choose_rows clears the router's bit
    return is_tail;
}

// Sends the flits of all winners. Packets that end are handled after the others, because the host
// cannot predict them.
static inline void noc_serve_winners(struct noc *noc)
{
    uint32_t *winners = noc->scratch.winners, tails = 0;
    for (const uint32_t *at = winners; at < noc->scratch.winners_end; at++) {
        uint32_t index = *at >> 1;
        uint32_t is_tail = noc_serve_winner(noc, index, *at & 1);
        winners[tails] = index;
        tails += is_tail;
    }
    for (uint32_t i = 0; i < tails; i++)
        noc_end_packet(noc, winners[i]);
    noc->scratch.winners_end = winners;
}
