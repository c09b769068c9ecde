// The hooks of the offload queue in a core (gpu/scheme.h).
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

static void *init(struct core *core, void *scheme)
{
    return oq_init(core, &((struct machine_offload *)scheme)->shared);
}

static void flush(struct core *core)
{
    adaptive_flush(&oq_of(core)->adaptive);
}

// A warp that forms a chain has priority [000 §4.2].
static uint64_t find_forming(const struct core *core, uint32_t word)
{
    uint32_t forming = oq_of(core)->forming;
    return forming != OQ_NONE && forming / 64 == word ? slot_bit(forming) : 0;
}

static void take_answer(struct core *core, uint64_t now, const struct memsys_request *answer)
{
    struct offload_shared *shared = oq_of(core)->shared;
    if (answer->client == shared->requester)
        oq_answered(core, now, answer);
    else
        service_take(&shared->services[core_port(core).index], now, answer);
}

const struct core_ops oq_core_ops = {
    .init = init,
    .flush = flush,
    .first = find_forming,
    .exclusive = oq_beginning,
    .hold = oq_look,
    .idle = oq_leave,
    .operands = oq_operands_ready,
    .wake = oq_wake,
    .issue_as = oq_begin,
    .execute = oq_issue,
    .issued = oq_issued,
    .accessed = oq_order,
    .fetch_first = oq_fetches_first,
    .fetched = oq_fetched,
    .l1_load = oq_learn_load,
    .looked_up = oq_looked,
    .entry_done = oq_entry_done,
    .send = oq_send,
    .answer = take_answer,
};
