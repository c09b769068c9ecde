// A cycle of a network. All functions are inline: a source file for networks of one shape
// (tick_4.c, tick_8.c) defines its constants and then includes this header. noc.c has the tick for
// any network.
//     NOC_SHIFT, NOC_IN_SHIFT, NOC_RING   members of struct noc_shape
//     NOC_IS_PLAIN                        true if is_plain of shapes.c holds for the network
#pragma once
#include "runtime-sim/noc/allocate.h"
#include "runtime-sim/noc/inject_tmpl.h"
#include "runtime-sim/noc/switch_rows_tmpl.h"
#include "runtime-sim/noc/take_tmpl.h"
#include "runtime-sim/noc/vc_rows_tmpl.h"
#include "support/bits.h"
#include "support/random.h"

typedef void noc_each(struct noc *noc, uint32_t index);

// Evaluates the members of a set in a random order.
static inline void noc_step_shuffled(struct noc *noc, const uint64_t *mask, uint32_t count,
                                     noc_each *each)
{
    uint32_t *order = noc->scratch.order, n = 0;
    BITS_EACH (i, mask, count)
        order[n++] = i;
    for (; n; n--) {
        uint32_t at = (uint32_t)(xorshift64(&noc->shuffle) % n), chosen = order[at];
        order[at] = order[n - 1];
        each(noc, chosen);
    }
}

// Evaluates the members of a set.
static inline __attribute__((always_inline)) void
noc_step_each(struct noc *noc, const uint64_t *mask, uint32_t count, noc_each *each)
{
    if (!NOC_IS_PLAIN(noc) && noc->shuffle) {
        noc_step_shuffled(noc, mask, count, each);
        return;
    }
    for (uint32_t w = 0; w < bits_words(count); w++)
        MASK_EACH (bit, mask[w])
            each(noc, w * 64 + (uint32_t)bit);
}

// Evaluates a cycle.
static inline void noc_tick_shaped(struct noc *noc)
{
    noc_run_events(noc);
    if (!NOC_IS_PLAIN(noc) && noc->config.ideal)
        noc_ideal_arrive(noc);
    noc->stats.noc_vc_arbitration += noc->requests.waiting;
    if (noc_has_vc_rows(noc))
        noc_step_each(noc, noc->requests.serving_routers, noc->shape.routers, noc_allocate_vc_rows);
    else
        noc_step_each(noc, noc->requests.waiting_routers, noc->shape.routers, noc_allocate_vcs);
    if (noc_has_switch_rows(noc)) {
        noc_step_each(noc, noc->requests.ready_routers, noc->shape.routers, noc_choose_rows);
        noc_serve_winners(noc);
    } else
        noc_step_each(noc, noc->requests.ready_routers, noc->shape.routers, noc_allocate_switch);
    noc->stats.noc_buffer_read = noc->stats.noc_crossbar;
    noc_step_each(noc, noc->ejection.holding, noc->shape.nodes, noc_accept_held);
    noc_step_each(noc, noc->injection.sending, noc->shape.nodes, noc_inject);
    noc->now++;
    noc->stats.cycles++;
    noc->stats.noc_router_clock += noc->shape.routers;
}
