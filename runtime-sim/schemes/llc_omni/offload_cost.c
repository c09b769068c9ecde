// Measures the traffic that chains save (adaptive.h).
#include "runtime-sim/schemes/llc_omni/offload_groups.h"

// Cost of a chain that is formed in vain, in flit hops, for the cycles of its lookups.
enum { DISCARD_COST = 4 };

// The cost of a request and its reply, in both units.
struct cost {
    int64_t hops;  // flit hops
    int64_t price; // by the prices of ports, channels and slices; 0 without prices
    int sign;      // 1: offloading saves it, and -1: adds it; 0: neither
};

// Adds a request of `there` flits from an endpoint to another one, and its reply.
static void add_exchange(const struct offload_queue *oq, struct cost *to, uint32_t from,
                         uint32_t at, uint32_t there, uint32_t back)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    const struct prices *prices = oq->shared->prices;
    uint32_t hops = oq->shared->ways->distance(oq, from, at);
    uint32_t a = memsys_endpoint_node(memsys, from), b = memsys_endpoint_node(memsys, at);
    to->hops += (int64_t)(there + back) * hops;
    if (prices && to->sign && a != b)
        prices_relieve(oq->shared->prices, b, to->sign * (int64_t)there, to->sign * (int64_t)back);
    if (prices)
        to->price += (int64_t)there * prices_way(prices, MEMSYS_REQUESTS, a, b, hops) +
                     (int64_t)back * prices_way(prices, MEMSYS_REPLIES, b, a, hops);
}

// Adds the access to a line by an endpoint: a core that loads whole lines, or a service queue.
static void add_access(const struct offload_queue *oq, struct cost *to, uint32_t from,
                       const struct memsys_request *request)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    uint32_t partition = memsys_partition_of(memsys, request->line);
    add_exchange(oq, to, from, memsys_partition_endpoint(memsys, partition),
                 memsys_request_flits(memsys, request), memsys_reply_flits(memsys, request));
    if (oq->shared->prices)
        to->price += oq->shared->prices->slices[partition].price;
}

static struct memsys_request operand_request(const struct offload_queue *oq,
                                             const struct oq_chain *c, const struct oq_group *group,
                                             uint32_t operand, bool by_service)
{
    bool stores = operand == OQ_STORE;
    struct memsys_request request = {.line = group->line[operand],
                                     .bytes = mask_range(0, LINE_BYTES),
                                     .kind = stores ? MEMSYS_WRITE : MEMSYS_READ,
                                     .by_sector =
                                         by_service && oq->shared->config->operand_sectors};
    uint32_t bytes = lsu_held(oq->core, stores ? c->store : c->load[operand])->bytes;
    uint32_t touched = bytes * (uint32_t)__builtin_popcount(group->lanes);
    if ((stores || request.by_sector) && touched < LINE_BYTES)
        request.bytes = mask_range(0, touched);
    return request;
}

// Returns the cost of the group's accesses by the core, without the loads `had` that hit in its L1.
static struct cost plain_cost(const struct offload_queue *oq, const struct oq_chain *c,
                              const struct oq_groups *groups, const struct oq_group *group,
                              uint32_t had, int sign)
{
    struct cost cost = {.sign = sign};
    for (uint32_t k = 0; k < OQ_LINES; k++) {
        if (!(groups->operands & ~had & 1u << k))
            continue;
        const struct memsys_request request = operand_request(oq, c, group, k, false);
        add_access(oq, &cost, core_port(oq->core).index, &request);
    }
    return cost;
}

// Returns the cost of a packet of this many flits to an endpoint, of its reply, and of the accesses
// of the endpoint's service queue.
static struct cost packet_cost(const struct offload_queue *oq, const struct oq_chain *c,
                               const struct oq_groups *groups, const struct oq_group *group,
                               uint32_t endpoint, uint32_t flits, uint32_t response, int sign)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    struct cost cost = {.sign = sign};
    add_exchange(oq, &cost, core_port(oq->core).index, endpoint,
                 memsys_packet_flits(memsys, flits * PACKET_FLIT),
                 memsys_reply_packet_flits(memsys, response * PACKET_FLIT));
    if (oq->shared->prices)
        cost.price += (int64_t)prices_stay(oq->shared->prices, endpoint);
    for (uint32_t k = 0; k < OQ_LINES; k++) {
        if (!(groups->operands >> k & 1))
            continue;
        const struct memsys_request request = operand_request(oq, c, group, k, true);
        add_access(oq, &cost, endpoint, &request);
    }
    return cost;
}

// Returns the loads of the group that would hit in the L1 without offloading. The tag array is not
// changed.
static uint32_t loads_had(const struct offload_queue *oq, const struct oq_chain *c,
                          const struct oq_groups *groups, const struct oq_group *group)
{
    uint32_t had = 0;
    for (uint32_t k = 0; k < OQ_STORE; k++)
        if (groups->operands & ~c->bypasses & 1u << k &&
            adaptive_has(&oq->adaptive, group->line[k], c->number))
            had |= 1u << k;
    return had;
}

// Looks up the loads of the group as its offloading does, in their order: two of them may be the
// same line. Returns the set that would hit.
static uint32_t look_up_loads(struct offload_queue *oq, const struct oq_chain *c,
                              const struct oq_groups *groups, const struct oq_group *group,
                              enum adaptive_kind kind)
{
    uint32_t had = 0;
    for (uint32_t k = 0; k < OQ_STORE; k++)
        if (groups->operands & ~c->bypasses & 1u << k &&
            adaptive_load(&oq->adaptive, group->line[k], c->number, kind))
            had |= 1u << k;
    return had;
}

// Returns a price in units of flit hops: as if the busiest part were a path of PRICES_HOPS hops.
static int64_t in_hops(const struct offload_queue *oq, int64_t price)
{
    return price * PRICES_HOPS / oq->shared->prices->busiest;
}

static struct adaptive_saving saving_of(const struct offload_queue *oq, const struct cost *plain,
                                        const struct cost *offloaded)
{
    int64_t hops = plain->hops - offloaded->hops;
    return (struct adaptive_saving){
        hops, oq->shared->prices ? in_hops(oq, plain->price - offloaded->price) : hops};
}

// Choice of a node

static int64_t price_at(const struct offload_queue *oq, const struct oq_chain *c,
                        const struct oq_groups *groups, const struct oq_group *group,
                        uint32_t endpoint)
{
    const struct compute_packet *packet = &oq->shared->templates[c->number].packet;
    uint32_t flits = group->lanes == FULL_MASK ? 1 : 2;
    return packet_cost(oq, c, groups, group, endpoint, flits, packet_response_flits(packet), 0)
        .price;
}

struct oq_choice oq_choose(struct offload_queue *oq, const struct oq_chain *c,
                           const struct oq_groups *groups, const struct oq_group *group,
                           const struct oq_nodes *nodes)
{
    struct oq_choice choice = {OQ_NONE, ADAPTIVE_HERE, 0, 0};
    for (enum adaptive_kind kind = 0; kind < ADAPTIVE_KINDS; kind++) {
        if (nodes->of[kind] == OQ_NONE ||
            (!c->probes && !adaptive_allows(&oq->adaptive, c->number, kind)))
            continue;
        int64_t price = price_at(oq, c, groups, group, nodes->of[kind]);
        if (kind == ADAPTIVE_OPERAND)
            price = (price + price_at(oq, c, groups, group, nodes->other)) / 2;
        if (choice.endpoint == OQ_NONE || price < choice.price)
            choice = (struct oq_choice){nodes->of[kind], kind, price, 0};
    }
    if (choice.endpoint == OQ_NONE)
        return choice;
    uint32_t had = loads_had(oq, c, groups, group);
    choice.saved = plain_cost(oq, c, groups, group, had, 0).price - choice.price;
    return choice;
}

// Learning

void oq_learn_packet(struct offload_queue *oq, const struct oq_chain *c,
                     const struct oq_groups *groups, const struct oq_group *group,
                     struct oqsr *entry, uint32_t response)
{
    enum adaptive_kind kind = (enum adaptive_kind)entry->kind;
    uint32_t had = look_up_loads(oq, c, groups, group, kind);
    struct cost plain = plain_cost(oq, c, groups, group, had, 1);
    struct cost offloaded =
        packet_cost(oq, c, groups, group, entry->endpoint, entry->flits, response, -1);
    entry->saving = saving_of(oq, &plain, &offloaded);
    entry->since = adaptive_sent(&oq->adaptive, c->number, kind);
    adaptive_learn(&oq->adaptive, c->number, kind, ADAPTIVE_SENT, entry->saving);
}

void oq_l1_load(struct core *core, void *own, uint64_t line)
{
    struct offload_queue *oq = own;
    struct adaptive *adaptive = &oq->adaptive;
    struct adaptive_plain plain = adaptive_load_plain(adaptive, line);
    bool has = cache_since(core_l1(core), line) != UINT64_MAX;
    if (has ? !plain.creditor.is_any : !plain.debtor.is_any)
        return;
    const struct adaptive_debtor *chain = has ? &plain.creditor : &plain.debtor;
    const struct memsys_request request = {
        .line = line, .bytes = mask_range(0, LINE_BYTES), .kind = MEMSYS_READ};
    struct cost nothing = {0}, more = {0};
    add_access(oq, &more, core_port(core).index, &request);
    adaptive_correct(adaptive, chain->chain, chain->kind, chain->since,
                     has ? saving_of(oq, &more, &nothing) : saving_of(oq, &nothing, &more));
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
        if (groups->list[i].kind == ADAPTIVE_HERE)
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
        [ADAPTIVE_HERE] = 1, [ADAPTIVE_MEET] = DISCARD_COST, [ADAPTIVE_OPERAND] = DISCARD_COST};
    for (enum adaptive_kind kind = ADAPTIVE_KINDS; kind-- > 0;)
        if (c->charged_kinds >> kind & 1)
            adaptive_learn(&oq->adaptive, c->number, kind, ADAPTIVE_DISCARDED,
                           adaptive_saving(-cost[kind]));
}

// A wait is charged only as far as it exceeds the latency of ordinary loads.
void oq_learn_reply(struct offload_queue *oq, uint64_t now, const struct oqsr *entry, bool computed)
{
    struct adaptive *adaptive = &oq->adaptive;
    if (entry->saving.counts < 0)
        return;
    uint64_t usual = core_load_latency(oq->core);
    uint64_t waited = now - entry->sent;
    int64_t lost = (waited > usual ? (int64_t)(waited - usual) : 0) / ADAPTIVE_CYCLES;
    struct adaptive_saving saving = adaptive_saving(-lost);
    if (!computed) {
        saving.hops -= entry->saving.hops + entry->flits;
        saving.counts -= entry->saving.counts + entry->flits;
    }
    if (saving.hops || saving.counts)
        adaptive_correct(adaptive, oq->chains[entry->slot].number, (enum adaptive_kind)entry->kind,
                         entry->since, saving);
}
