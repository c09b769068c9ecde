// Switch allocation: crossbar inputs request outputs for which one of their virtual channels has a
// flit and a credit.
//
// iSLIP: each output grants one input, round-robin; each input accepts one grant, round-robin.
// Separable input-first: each input selects one output, round-robin; each output grants one of
// these inputs, round-robin. Each selection considers only packets of the highest priority. A
// round-robin pointer advances past the last winner, and only if it won in the first iteration. The
// virtual channels of an input that request the same output are also served round-robin.
#include "runtime-sim/noc/allocate.h"
#include "runtime-sim/noc/send_tmpl.h"
#include "support/bits.h"

// Returns the virtual channels of a port that request the output with the highest priority.
static uint64_t best_vcs(const struct noc *noc, uint32_t port, uint64_t vcs, uint32_t output)
{
    uint64_t kept = 0;
    uint8_t best = 0;
    MASK_EACH (vc, vcs) {
        uint32_t in = noc_index(noc, port, (uint32_t)vc);
        if (noc_in(noc, in)->port != output)
            continue;
        uint8_t rank = noc->alloc.is_ranked ? noc_rank(noc, in) : 0;
        if (rank > best)
            kept = 0;
        if (rank >= best)
            kept |= UINT64_C(1) << vc;
        best = rank > best ? rank : best;
    }
    return kept;
}

// Sends a flit of one of these virtual channels of crossbar input x through the switch.
static inline __attribute__((always_inline)) void pass(struct noc *noc,
                                                       const struct noc_router *router, uint32_t x,
                                                       uint32_t output, uint64_t vcs, bool is_first)
{
    struct noc_turn *turn = &noc->crossbar.turn[router->x0 + x];
    uint32_t vc = mask_turn(vcs, turn->vc);
    turn->vc = (uint16_t)(vc + 1);
    if (is_first) {
        noc->port.out[router->out0 + output].grant = (uint16_t)(x + 1);
        turn->accept = (uint16_t)(output + 1);
    }
    uint32_t index = noc_index(noc, router->in0 + noc->crossbar.in[router->x0 + x].port, vc);
    bool is_last, is_tail = noc_send_flit(noc, index, &is_last);
    if (is_last)
        noc_clear_ready(noc, index);
    if (is_tail)
        noc_end_packet(noc, index);
}

static inline void serve(struct noc *noc, const struct noc_router *router, uint32_t x,
                         uint32_t output, bool is_first)
{
    uint32_t port = router->in0 + noc->crossbar.in[router->x0 + x].port;
    uint64_t vcs = noc->port.in[port].ready & noc->crossbar.in[router->x0 + x].vcs;
    if (vcs & (vcs - 1))
        vcs = best_vcs(noc, port, vcs, output);
    mask_set(noc->scratch.ins_done, x);
    mask_set(noc->scratch.outs_done, output);
    pass(noc, router, x, output, vcs, is_first);
}

// Adds a request of input x for the output; keeps only requests of the highest priority.
static inline void add_request(struct noc_scratch *s, uint32_t words, uint32_t x, uint32_t output,
                               uint8_t rank)
{
    uint64_t *row = &s->requests[(size_t)output * words];
    if (!bits_test(s->outs, output))
        s->rank[output] = rank;
    if (rank < s->rank[output])
        return;
    for (uint32_t w = 0; rank > s->rank[output] && w < words; w++)
        row[w] = 0;
    s->rank[output] = rank;
    mask_set(row, x);
    mask_set(s->outs, output);
}

static inline void ask_all(struct noc *noc, uint32_t words, uint32_t x, uint32_t port, uint64_t vcs)
{
    struct noc_scratch *s = &noc->scratch;
    MASK_EACH (vc, vcs) {
        uint32_t in = noc_index(noc, port, (uint32_t)vc), output = noc_in(noc, in)->port;
        if (!bits_test(s->outs_done, output))
            add_request(s, words, x, output, noc->alloc.is_ranked ? noc_rank(noc, in) : 0);
    }
}

// Selects an output for an input: among the outputs that its packets of the highest priority
// request, the next one in round-robin order.
static inline void ask_one(struct noc *noc, uint32_t words, uint32_t x, uint32_t port, uint64_t vcs,
                           uint32_t turn)
{
    struct noc_scratch *s = &noc->scratch;
    uint8_t best = 0;
    bool is_any = false;
    MASK_EACH (vc, vcs) {
        uint32_t in = noc_index(noc, port, (uint32_t)vc), output = noc_in(noc, in)->port;
        uint8_t rank = noc->alloc.is_ranked ? noc_rank(noc, in) : 0;
        if (rank < best || bits_test(s->outs_done, output))
            continue;
        for (uint32_t w = 0; rank > best && w < words; w++)
            s->grants[w] = 0;
        best = rank;
        mask_set(s->grants, output);
        is_any = true;
    }
    if (is_any)
        add_request(s, words, x, mask_turn_words(s->grants, words, turn), best);
    for (uint32_t w = 0; w < words; w++)
        s->grants[w] = 0;
}

static inline void collect(struct noc *noc, const struct noc_router *router, uint32_t words,
                           bool is_islip)
{
    const uint64_t *ports = &noc->requests.ready_ports[(size_t)(router - noc->router) * words];
    for (uint32_t w = 0; w < words; w++)
        MASK_EACH (bit, ports[w]) {
            uint32_t port = router->in0 + w * 64 + (uint32_t)bit;
            uint32_t x = noc->port.in[port].x, end = x + noc->port.in[port].speed;
            for (; x < end; x++) {
                uint64_t vcs = noc->port.in[port].ready & noc->crossbar.in[router->x0 + x].vcs;
                if (!vcs || bits_test(noc->scratch.ins_done, x))
                    continue;
                noc->stats.noc_switch_arbitration++;
                if (is_islip)
                    ask_all(noc, words, x, port, vcs);
                else
                    ask_one(noc, words, x, port, vcs, noc->crossbar.turn[router->x0 + x].accept);
            }
        }
}

// Selects an input for each output with requests. With iSLIP the selection is a grant, which the
// input may not accept.
static inline bool choose_inputs(struct noc *noc, const struct noc_router *router, uint32_t words,
                                 bool is_islip, bool is_first)
{
    struct noc_scratch *s = &noc->scratch;
    uint64_t any = 0;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t outs = s->outs[w];
        s->outs[w] = 0;
        any |= outs;
        MASK_EACH (bit, outs) {
            uint32_t output = w * 64 + (uint32_t)bit;
            uint64_t *row = &s->requests[(size_t)output * words];
            uint32_t x = mask_turn_words(row, words, noc->port.out[router->out0 + output].grant);
            for (uint32_t i = 0; i < words; i++)
                row[i] = 0;
            if (!is_islip) {
                serve(noc, router, x, output, is_first);
                continue;
            }
            mask_set(&s->grants[(size_t)x * words], output);
            mask_set(s->ins, x);
        }
    }
    return any;
}

// Keeps only the grants to an input for packets of the highest priority.
static void keep_best(const struct noc_scratch *s, uint64_t *row, uint32_t words)
{
    uint8_t best = 0;
    for (uint32_t w = 0; w < words; w++)
        MASK_EACH (bit, row[w]) {
            uint8_t rank = s->rank[w * 64 + bit];
            best = rank > best ? rank : best;
        }
    for (uint32_t w = 0; w < words; w++)
        MASK_EACH (bit, row[w]) {
            if (s->rank[w * 64 + bit] < best)
                row[w] &= ~(UINT64_C(1) << bit);
        }
}

static inline void accept_outputs(struct noc *noc, const struct noc_router *router, uint32_t words,
                                  bool is_first)
{
    struct noc_scratch *s = &noc->scratch;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t ins = s->ins[w];
        s->ins[w] = 0;
        MASK_EACH (bit, ins) {
            uint32_t x = w * 64 + (uint32_t)bit;
            uint64_t *row = &s->grants[(size_t)x * words];
            if (noc->alloc.is_ranked)
                keep_best(s, row, words);
            uint32_t output =
                mask_turn_words(row, words, noc->crossbar.turn[router->x0 + x].accept);
            for (uint32_t i = 0; i < words; i++)
                row[i] = 0;
            serve(noc, router, x, output, is_first);
        }
    }
}

static inline __attribute__((always_inline)) void
allocate(struct noc *noc, const struct noc_router *router, uint32_t words)
{
    noc_set_lifted(noc, (uint32_t)(router - noc->router));
    bool is_islip = noc->config.sw_allocator == NOC_SW_ISLIP;
    for (uint32_t i = 0; i < noc->config.sw_alloc_iterations; i++) {
        collect(noc, router, words, is_islip);
        if (!choose_inputs(noc, router, words, is_islip, !i))
            break;
        accept_outputs(noc, router, words, !i);
    }
    for (uint32_t w = 0; w < words; w++)
        noc->scratch.ins_done[w] = noc->scratch.outs_done[w] = 0;
}

// Serves a single requesting virtual channel without allocation.
static inline bool allocate_only(struct noc *noc, const struct noc_router *router)
{
    uint64_t ports = noc->requests.ready_ports[router - noc->router];
    if (ports & (ports - 1))
        return false;
    uint32_t port = router->in0 + (uint32_t)__builtin_ctzll(ports);
    uint64_t vcs = noc->port.in[port].ready;
    if (vcs & (vcs - 1))
        return false;
    uint32_t vc = (uint32_t)__builtin_ctzll(vcs),
             x = noc->port.in[port].x + vc % noc->port.in[port].speed;
    noc->stats.noc_switch_arbitration++;
    serve(noc, router, x, noc_in(noc, noc_index(noc, port, vc))->port, true);
    noc->scratch.ins_done[0] = noc->scratch.outs_done[0] = 0;
    return true;
}

void noc_allocate_switch(struct noc *noc, uint32_t index)
{
    const struct noc_router *router = &noc->router[index];
    if (noc->shape.words > 1)
        allocate(noc, router, noc->shape.words);
    else if (!allocate_only(noc, router))
        allocate(noc, router, 1);
}
