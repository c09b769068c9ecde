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
static uint64_t find_forming(const struct core *core, void *own, uint32_t word)
{
    const struct offload_queue *oq = own;
    (void)core;
    return oq->forming != OQ_NONE && oq->forming / 64 == word ? slot_bit(oq->forming) : 0;
}

void oq_take_reply(struct core *core, void *own, uint64_t now, const struct memsys_request *reply)
{
    struct offload_queue *oq = own;
    if (reply->client == oq->shared->requester)
        oq_answered(oq, now, reply);
    else
        service_take(&oq->shared->services[core_port(core).index], now, reply);
}

const struct scheme_issue oq_issue_hooks = {
    .init = init,
    .hold = oq_look,
    .wake = oq_wake,
    .issue_as = oq_begin,
    .accessed = oq_order,
};

const struct lsu_client oq_client = {
    .entries_of_slot = 3,
    .flush = flush,
    .first = find_forming,
    .exclusive = oq_beginning,
    .idle = oq_leave,
    .operands = oq_operands_ready,
    .execute = oq_issue,
    .issued = oq_issued,
    .fetch_first = oq_fetches_first,
    .fetched = oq_fetched,
    .l1_load = oq_learn_load,
    .looked_up = oq_looked,
    .entry_done = oq_entry_done,
};
