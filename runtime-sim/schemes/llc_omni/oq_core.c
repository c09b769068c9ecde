// Hooks of the offload queue in a core (gpu/scheme/scheme.h).
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

static void *init(struct core *core, void *scheme)
{
    return oq_init(core, &((struct machine_offload *)scheme)->shared);
}

static void flush(struct core *core, void *own)
{
    struct offload_queue *oq = own;
    (void)core;
    adaptive_flush(&oq->adaptive);
}

// A warp that forms a chain has priority [000 §4.2].
static uint64_t oq_first(const struct core *core, void *own, uint32_t word)
{
    const struct offload_queue *oq = own;
    (void)core;
    return oq->forming != OQ_NONE && oq->forming / 64 == word ? warp_slot_bit(oq->forming) : 0;
}

void oq_accept_reply(struct core *core, void *own, uint64_t now, const struct memsys_request *reply)
{
    struct offload_queue *oq = own;
    if (reply->requester == oq->shared->requester)
        oq_answered(oq, now, reply);
    else
        service_accept_reply(&oq->shared->services[core_port(core).index], now, reply);
}

const struct scheme_issue oq_issue_hooks = {
    .init = init,
    .hold = oq_hold,
    .wake = oq_wake,
    .issue_as = oq_issue_as,
    .accessed = oq_accessed,
};

const struct lsu_hooks oq_lsu = {
    .entries_per_warp = 3,
    .flush = flush,
    .first = oq_first,
    .exclusive = oq_exclusive,
    .idle = oq_idle,
    .operands = oq_operands,
    .execute = oq_execute,
    .issued = oq_issued,
    .fetch_first = oq_fetch_first,
    .fetched = oq_fetched,
    .written = oq_written,
    .l1_load = oq_l1_load,
    .looked_up = oq_looked_up,
    .entry_done = oq_entry_done,
};
