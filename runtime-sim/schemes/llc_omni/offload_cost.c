// Measures the traffic that chains save (adaptive.h).
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

// Cost of a chain that is formed in vain, in flit hops, for the cycles of its lookups.
enum { DISCARD_COST = 4 };

// Returns the flits of an ordinary access and its reply.
static uint32_t flits_of(const struct offload_queue *oq, const struct oq_chain *c,
                         const struct oq_group *group, uint32_t operand)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    struct memsys_request request = {.line = group->line[operand],
                                     .bytes = mask_range(0, LINE_BYTES),
                                     .kind = operand == OQ_STORE ? MEMSYS_WRITE : MEMSYS_READ};
    if (operand == OQ_STORE) {
        uint32_t bytes = lsu_held(oq->core, c->store)->bytes;
        uint32_t touched = bytes * (uint32_t)__builtin_popcount(group->lanes);
        request.bytes = mask_range(0, touched < LINE_BYTES ? touched : LINE_BYTES);
    }
    return memsys_request_flits(memsys, &request) + memsys_reply_flits(memsys, &request);
}

// Returns the traffic in flits times hops that the networks do not carry if the group is computed
// at its endpoint.
static int64_t traffic_saved(struct offload_queue *oq, const struct oq_chain *c,
                             const struct oq_groups *groups, const struct oq_group *group,
                             const struct oqsr *entry, uint32_t response)
{
    struct memsys *memsys = core_port(oq->core).memsys;
    oq_distance *distance = oq->shared->ways->distance;
    uint32_t flits_there = memsys_packet_flits(memsys, entry->flits * PACKET_FLIT),
             flits_back = memsys_reply_packet_flits(memsys, response * PACKET_FLIT);
    int64_t saved = -(int64_t)((flits_there + flits_back) *
                               distance(oq, core_port(oq->core).index, entry->endpoint));
    for (uint32_t k = 0; k < OQ_LINES; k++) {
        if (!(groups->operands >> k & 1))
            continue;
        uint32_t at =
            memsys_partition_endpoint(memsys, memsys_partition_of(memsys, group->line[k]));
        uint32_t flits = flits_of(oq, c, group, k);
        bool had = k < OQ_STORE && !(c->bypasses >> k & 1) &&
                   adaptive_load(&oq->adaptive, group->line[k], c->number,
                                 (enum adaptive_kind)entry->kind);
        saved += had ? 0 : flits * distance(oq, core_port(oq->core).index, at);
        saved -= flits * distance(oq, entry->endpoint, at);
    }
    return saved;
}

enum adaptive_kind oq_kind(const struct offload_queue *oq, const struct oq_groups *groups,
                           const struct oq_group *group)
{
    struct memsys *memsys = core_port(oq->core).memsys;
    uint32_t first = OQ_NONE;
    for (uint32_t k = 0; k < OQ_LINES; k++) {
        if (!(groups->operands >> k & 1))
            continue;
        uint32_t partition = memsys_partition_of(memsys, group->line[k]);
        if (first != OQ_NONE && partition != first)
            return ADAPTIVE_MEET;
        first = partition;
    }
    return ADAPTIVE_HERE;
}

void oq_learn_packet(struct offload_queue *oq, const struct oq_chain *c,
                     const struct oq_groups *groups, const struct oq_group *group,
                     struct oqsr *entry, uint32_t response)
{
    entry->saved = traffic_saved(oq, c, groups, group, entry, response);
    entry->since = adaptive_sent(&oq->adaptive, c->number, (enum adaptive_kind)entry->kind);
    adaptive_learn(&oq->adaptive, c->number, (enum adaptive_kind)entry->kind, ADAPTIVE_SENT,
                   entry->saved);
}

void oq_l1_load(struct core *core, void *own, uint64_t line)
{
    struct offload_queue *oq = own;
    struct memsys *memsys = core_port(core).memsys;
    struct adaptive *adaptive = &oq->adaptive;
    struct adaptive_debtor debtor = adaptive_load_plain(adaptive, line);
    if (!debtor.is_any)
        return;
    const struct memsys_request request = {
        .line = line, .bytes = mask_range(0, LINE_BYTES), .kind = MEMSYS_READ};
    uint32_t at = memsys_partition_endpoint(memsys, memsys_partition_of(memsys, line));
    int64_t flits = memsys_request_flits(memsys, &request) + memsys_reply_flits(memsys, &request);
    int64_t hops = oq->shared->ways->distance(oq, core_port(core).index, at);
    adaptive_correct(adaptive, debtor.chain, debtor.kind, debtor.since, -flits * hops);
}

// Returns the set of kinds that a discarded chain is charged to: those that the policy allows.
static uint8_t discarded(const struct offload_queue *oq, const struct oq_chain *c,
                         const struct oq_groups *groups)
{
    uint8_t kinds = 0;
    for (enum adaptive_kind kind = 0; kind < ADAPTIVE_KINDS; kind++)
        if (c->probes || adaptive_allows(&oq->adaptive, c->number, kind))
            kinds |= (uint8_t)(1u << kind);
    for (uint32_t i = 0; groups && i < groups->count; i++)
        if (oq_kind(oq, groups, &groups->list[i]) == ADAPTIVE_HERE)
            kinds &= (uint8_t) ~(1u << ADAPTIVE_HERE);
    return kinds;
}

void oq_note_discard(struct offload_queue *oq, struct oq_chain *c, const struct oq_groups *groups)
{
    c->charged_kinds = discarded(oq, c, groups);
    if (!c->captured)
        oq_learn_discard(oq, c);
}

void oq_learn_discard(struct offload_queue *oq, const struct oq_chain *c)
{
    static const int64_t cost[ADAPTIVE_KINDS] = {
        [ADAPTIVE_HERE] = 1, [ADAPTIVE_MEET] = DISCARD_COST};
    for (enum adaptive_kind kind = ADAPTIVE_KINDS; kind-- > 0;)
        if (c->charged_kinds >> kind & 1)
            adaptive_learn(&oq->adaptive, c->number, kind, ADAPTIVE_DISCARDED, -cost[kind]);
}

// A wait is charged only as far as it exceeds the latency of ordinary loads.
void oq_learn_reply(struct offload_queue *oq, uint64_t now, const struct oqsr *entry, bool computed)
{
    struct adaptive *adaptive = &oq->adaptive;
    if (entry->saved < 0)
        return;
    uint64_t usual = core_load_latency(oq->core);
    uint64_t waited = now - entry->sent;
    int64_t longer = waited > usual ? (int64_t)(waited - usual) : 0;
    int64_t lost = (computed ? 0 : entry->saved + entry->flits) + longer / ADAPTIVE_CYCLES;
    if (lost)
        adaptive_correct(adaptive, oq->chains[entry->slot].number, (enum adaptive_kind)entry->kind,
                         entry->since, -lost);
}
