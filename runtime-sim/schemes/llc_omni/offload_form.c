// Makes packets from the lanes of a chain: finds the lines that they access, the nodes that can
// compute them, and conflicts with other accesses.
#include "runtime-sim/schemes/llc_omni/offload_groups.h"
#include "runtime-sim/schemes/llc_omni/service.h"
#include "support/bits.h"

enum { STORE = OQ_STORE };

static const struct held *held_of(const struct offload_queue *oq, const struct oq_chain *c,
                                  uint32_t operand)
{
    uint32_t entry = operand == STORE ? c->store : c->load[operand];
    return lsu_held(oq->core, entry);
}

// Groups

static bool within_line(const struct held *held, uint32_t lane)
{
    return held->address[lane] % LINE_BYTES + held->bytes <= LINE_BYTES;
}

static struct oq_group *group_of(struct oq_groups *groups, const struct oq_group *like)
{
    for (uint32_t i = groups->count; i-- > 0;) {
        struct oq_group *group = &groups->list[i];
        bool same = true;
        for (uint32_t k = 0; k < OQ_LINES; k++)
            same &= group->line[k] == like->line[k];
        if (same)
            return group;
    }
    groups->list[groups->count] = *like;
    return &groups->list[groups->count++];
}

// Groups the lanes by the lines that they access. Returns false if an element crosses lines.
static bool find_groups(const struct offload_queue *oq, const struct oq_chain *c,
                        struct oq_groups *groups)
{
    groups->count = 0;
    groups->operands = ((1u << c->load_count) - 1) | (uint32_t)(c->store != OQ_NONE) << STORE;
    for (uint32_t rest = c->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        struct oq_group like = {.endpoint = OQ_NONE};
        for (uint32_t k = 0; k < OQ_LINES; k++) {
            if (!(groups->operands >> k & 1))
                continue;
            const struct held *held = held_of(oq, c, k);
            if (!within_line(held, lane))
                return false;
            like.line[k] = held->address[lane] / LINE_BYTES;
        }
        group_of(groups, &like)->lanes |= 1u << lane;
    }
    return true;
}

// Conflicts

static bool touches(const void *of, uint64_t line)
{
    const struct oq_groups *groups = of;
    for (uint32_t i = 0; i < groups->count; i++)
        for (uint32_t k = 0; k < OQ_LINES; k++)
            if (groups->operands >> k & 1 && groups->list[i].line[k] == line)
                return true;
    return false;
}

// Returns true if a group stores to a line that another group loads. Such groups cannot be computed
// independently, because all lanes of a warp load before any of them stores.
static bool depend(const struct oq_groups *groups)
{
    if (!(groups->operands >> STORE & 1))
        return false;
    for (uint32_t i = 0; i < groups->count; i++)
        for (uint32_t j = 0; j < groups->count; j++)
            for (uint32_t k = 0; i != j && k < STORE; k++)
                if (groups->operands >> k & 1 &&
                    groups->list[i].line[STORE] == groups->list[j].line[k])
                    return true;
    return false;
}

// Returns true if an older access of any warp of the core is pending: a store to one of the lines
// without an acknowledgement, or a request for the store's line that the L1 has not yet served.
static bool is_awaited(struct offload_queue *oq, const struct oq_groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++)
        for (uint32_t k = 0; k < OQ_LINES; k++) {
            uint64_t line = groups->list[i].line[k];
            if (groups->operands >> k & 1 &&
                (lsu_awaits_store(oq->core, line) ||
                 (k == STORE && cache_waits(core_l1(oq->core), line, false))))
                return true;
        }
    return false;
}

// Returns true if an older access of the same warp to one of the lines has no reply yet.
static bool is_accessed(const struct offload_queue *oq, uint32_t index, const struct oq_chain *c,
                        const struct oq_groups *groups)
{
    uint32_t own = c->load_count + (c->store != OQ_NONE);
    return warp_slot_entries(oq->core, index) > own &&
           lsu_awaits_line(oq->core, index, touches, groups);
}

// Nodes

// Returns the set of operands whose partitions determine the node: load and store for patterns 3, 4
// and 7, the loads for others.
static uint32_t node_operands(const struct oq_groups *groups)
{
    return groups->operands >> 1 & 1 ? 3 : groups->operands;
}

static struct oq_targets targets_of(const struct offload_queue *oq, const struct oq_groups *groups,
                                    const struct oq_group *group)
{
    struct oq_targets targets = {.first = OQ_NONE};
    for (uint32_t k = 0; k < OQ_LINES; k++) {
        if (!(groups->operands >> k & 1))
            continue;
        uint32_t partition = memsys_partition_of(core_port(oq->core).memsys, group->line[k]);
        targets.partition[targets.count++] = partition;
        if (targets.first == OQ_NONE)
            targets.first = targets.other = partition;
        else if (node_operands(groups) >> k & 1)
            targets.other = partition;
    }
    return targets;
}

static bool all_same(const struct oq_targets *targets)
{
    bool same = true;
    for (uint32_t i = 1; i < targets->count; i++)
        same &= targets->partition[i] == targets->partition[0];
    return same;
}

static uint32_t partition_in_turn(struct offload_queue *oq, const struct oq_targets *targets)
{
    uint32_t pair = targets->first * oq->shared->llcs + targets->other;
    bool turn = bits_test(oq->turns, pair);
    (turn ? bits_clear : bits_set)(oq->turns, pair);
    return memsys_partition_endpoint(core_port(oq->core).memsys,
                                     turn ? targets->other : targets->first);
}

// Returns the node at which the routes to several partitions meet, or OQ_NONE.
static uint32_t meet_node(struct offload_queue *oq, const struct oq_targets *targets)
{
    const struct offload_shared *shared = oq->shared;
    if (targets->first != targets->other)
        return shared->ways->meet ? shared->ways->meet(oq, targets) : OQ_NONE;
    // The loads meet at the partition; the store is elsewhere.
    return memsys_partition_endpoint(core_port(oq->core).memsys, targets->first);
}

// Sets the endpoint that computes a group and its kind; OQ_NONE if no node can.
static void find_node(struct offload_queue *oq, const struct oq_groups *groups,
                      struct oq_group *group)
{
    const struct offload_shared *shared = oq->shared;
    struct oq_targets targets = targets_of(oq, groups, group);
    bool here = all_same(&targets), meets = targets.first != targets.other;
    bool turns = shared->config->emn_at_llc == EMN_LLC_OPERAND && meets;
    group->kind = here ? ADAPTIVE_HERE : turns ? ADAPTIVE_OPERAND : ADAPTIVE_MEET;
    if (shared->omni && !meets && shared->config->emn_at_llc == EMN_LLC_NONE)
        group->endpoint = OQ_NONE;
    else if (here)
        group->endpoint = memsys_partition_endpoint(core_port(oq->core).memsys, targets.first);
    else if (shared->omni)
        group->endpoint = turns ? partition_in_turn(oq, &targets) : meet_node(oq, &targets);
    else
        group->endpoint = OQ_NONE;
}

// As find_node, for the adaptive policy: sets the cheapest node of the kinds that are not off.
// Returns the price that it saves.
static int64_t choose_node(struct offload_queue *oq, const struct oq_chain *c,
                           const struct oq_groups *groups, struct oq_group *group)
{
    enum emn_at_llc at_llc = oq->shared->config->emn_at_llc;
    struct oq_targets targets = targets_of(oq, groups, group);
    const struct memsys *memsys = core_port(oq->core).memsys;
    struct oq_nodes nodes = {{OQ_NONE, OQ_NONE, OQ_NONE}, OQ_NONE};
    bool meets = targets.first != targets.other;
    if (!meets && oq->shared->omni && at_llc == EMN_LLC_NONE) {
        group->endpoint = OQ_NONE;
        return 0;
    }
    if (all_same(&targets))
        nodes.of[ADAPTIVE_HERE] = memsys_partition_endpoint(memsys, targets.first);
    else if (oq->shared->omni)
        nodes.of[ADAPTIVE_MEET] = meet_node(oq, &targets);
    // Partitions compute also if no core has room to.
    if (meets && (at_llc == EMN_LLC_ANY || at_llc == EMN_LLC_OPERAND)) {
        nodes.of[ADAPTIVE_OPERAND] = partition_in_turn(oq, &targets);
        nodes.other = memsys_partition_endpoint(memsys, targets.first) +
                      memsys_partition_endpoint(memsys, targets.other) - nodes.of[ADAPTIVE_OPERAND];
    }
    struct oq_choice choice = oq_choose(oq, c, groups, group, &nodes);
    group->endpoint = choice.endpoint;
    group->kind = choice.kind;
    if (oq->shared->config->partial && choice.saved < 0 && !c->probes)
        group->endpoint = OQ_NONE;
    return choice.endpoint == OQ_NONE ? 0 : choice.saved;
}

// Credits (offload.full_queue): a core sees the free entries of all service queues and the packets
// in flight to them as of the previous cycle, and its own packets of this cycle.

static bool counts_entries(const struct offload_queue *oq)
{
    return oq->shared->config->full_queue == OFFLOAD_FULL_CREDITS;
}

// Returns true if the endpoint has credits for `more` packets and one more.
static bool has_credit(const struct offload_queue *oq, uint32_t endpoint, uint32_t more)
{
    const struct service *service = &oq->shared->services[endpoint];
    uint32_t taken = service->promised + more;
    if (!counts_entries(oq))
        return true;
    for (uint32_t i = 0; i < oq->promised.n; i++)
        taken += oq->promised.v[i] == endpoint;
    return taken < service->free_count;
}

static void promise_credit(struct offload_queue *oq, uint32_t endpoint)
{
    if (counts_entries(oq))
        vec_push(core_port(oq->core).arena, &oq->promised, endpoint);
}

void oq_promise(struct offload_queue *oq)
{
    for (uint32_t i = 0; i < oq->promised.n; i++)
        oq->shared->services[oq->promised.v[i]].promised++;
    oq->promised.n = 0;
}

// Packets

static bool add_operand(const struct offload_queue *oq, const struct oq_chain *c, uint32_t operand,
                        const struct oq_group *group, struct packet_operand *to)
{
    return packet_operand_offset(to, held_of(oq, c, operand)->address, group->lanes);
}

static bool make_packet(const struct offload_queue *oq, const struct oq_chain *c,
                        const struct oq_groups *groups, const struct oq_group *group,
                        uint32_t endpoint, uint32_t number, struct compute_packet *packet)
{
    const struct memsys *memsys = core_port(oq->core).memsys;
    *packet = oq->shared->templates[c->number].packet;
    packet->from = (uint16_t)memsys_endpoint_node(memsys, core_port(oq->core).index);
    packet->to = (uint16_t)memsys_endpoint_node(memsys, endpoint);
    packet->entry = (uint8_t)number;
    packet->mask = group->lanes;
    packet->scalar = packet->has_scalar ? c->scalar : 0;
    bool good = true;
    for (uint32_t k = 0; k < STORE; k++)
        if (groups->operands >> k & 1)
            good &= add_operand(oq, c, k, group, &packet->load[k]);
    if (groups->operands >> STORE & 1)
        good &= add_operand(oq, c, STORE, group, &packet->store);
    return good && packet_is_sound(packet);
}

// Sets the instructions for which the packet's loads and its store are requested.
static void set_sites(const struct offload_queue *oq, const struct oq_chain *c, struct oqsr *entry)
{
    for (uint32_t k = 0; k < c->load_count; k++)
        entry->site[k] = lsu_site(oq->core, c->load[k]);
    if (c->store != OQ_NONE)
        entry->site[STORE] = lsu_site(oq->core, c->store);
}

static uint32_t allocate_entry(struct offload_queue *oq, uint64_t now, struct oq_chain *c,
                               uint32_t index)
{
    uint32_t number = c->entry;
    c->entry = OQ_NONE;
    if (number != OQ_NONE)
        return number;
    if (!oq->free_count)
        return OQ_NONE;
    oq_count(oq, now);
    number = oq->free_entries[--oq->free_count];
    oq->entries[number] = (struct oqsr){.used = true, .slot = (uint8_t)index};
    return number;
}

// Sets the cycles from which on the operands of a packet made in this cycle may have been
// requested.
static void set_fresh(const struct offload_queue *oq, uint64_t now, const struct oq_chain *c,
                      const struct oq_group *group, struct oqsr *entry)
{
    for (uint32_t k = 0; k < c->load_count; k++)
        entry->fresh[k] = oq->written ? oq_fresh(oq, group->line[k]) : now;
}

static void queue_packet(struct offload_queue *oq, uint32_t number)
{
    oq->ring[(oq->ring_head + oq->ring_count++) % oq->count] = number;
    core_has_packet(oq->core);
}

static void count_packet(struct offload_queue *oq, const struct oqsr *entry)
{
    struct offload_stats *stats = oq->shared->stats;
    uint64_t *const to[] = {[MEMSYS_AT_CORE] = &stats->packets_to_cores,
                            [MEMSYS_AT_PARTITION] = &stats->packets_to_llc,
                            [MEMSYS_AT_ROUTER] = &stats->packets_to_routers};
    stats->packets++;
    oq_chain_stats(oq, &oq->chains[entry->slot])->packets++;
    stats->packet_flits += entry->flits;
    ++*to[memsys_kind_of_endpoint(core_port(oq->core).memsys, entry->endpoint)];
}

// Makes a packet for each group that can have one. Returns the lanes of the other groups, whose
// loads are sent as ordinary ones.
static uint32_t make_packets(struct offload_queue *oq, uint64_t now, uint32_t index,
                             const struct oq_groups *groups)
{
    struct offload_stats *stats = oq->shared->stats;
    struct oq_chain *c = &oq->chains[index];
    uint32_t plain = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        const struct oq_group *group = &groups->list[i];
        uint32_t endpoint = group->endpoint, lanes = group->lanes;
        bool entry_left = endpoint != OQ_NONE && has_credit(oq, endpoint, 0);
        uint32_t number = entry_left ? allocate_entry(oq, now, c, index) : OQ_NONE;
        uint64_t *why =
            endpoint == OQ_NONE ? &stats->lanes_without_node : &stats->lanes_without_entry;
        struct compute_packet packet;
        if (number == OQ_NONE || !make_packet(oq, c, groups, group, endpoint, number, &packet)) {
            if (number != OQ_NONE)
                c->entry = number;
            *why += (uint32_t)__builtin_popcount(lanes);
            plain |= lanes;
            continue;
        }
        struct oqsr *entry = &oq->entries[number];
        entry->lanes = lanes;
        entry->endpoint = endpoint;
        entry->sent = now;
        set_fresh(oq, now, c, group, entry);
        entry->stored = group->line[STORE];
        entry->flits = packet_encode(&packet, entry->bits);
        stats->queue_write += entry->flits;
        entry->kind = (uint8_t)group->kind;
        set_sites(oq, c, entry);
        oq_learn_packet(oq, c, groups, group, entry, packet_response_flits(&packet));
        c->out++;
        queue_packet(oq, number);
        count_packet(oq, entry);
        promise_credit(oq, endpoint);
        if (groups->operands >> STORE & 1)
            cache_drop(core_l1(oq->core), group->line[STORE]);
    }
    return plain;
}

static bool all_have_credit(const struct offload_queue *oq, const struct oq_groups *groups)
{
    bool all = true;
    for (uint32_t i = 0; all && i < groups->count; i++) {
        uint32_t endpoint = groups->list[i].endpoint, same = 0;
        for (uint32_t k = 0; k < i; k++)
            same += groups->list[k].endpoint == endpoint;
        all = has_credit(oq, endpoint, same);
    }
    return all;
}

// Finds the endpoints of all groups. Returns NULL, or the counter of the reason for which the chain
// is discarded: no node, its price, no entry, or no credit.
static uint64_t *find_room(struct offload_queue *oq, const struct oq_chain *c,
                           struct oq_groups *groups)
{
    struct offload_stats *stats = oq->shared->stats;
    bool partial = oq->shared->config->partial;
    int64_t saved = 0;
    uint32_t capable = 0, room = oq->free_count + (c->entry != OQ_NONE);
    for (uint32_t i = 0; i < groups->count; i++) {
        struct oq_group *group = &groups->list[i];
        if (oq->shared->prices)
            saved += choose_node(oq, c, groups, group);
        else
            find_node(oq, groups, group);
        capable += group->endpoint != OQ_NONE;
    }
    bool lacks = !capable || (!partial && capable < groups->count);
    if (saved < 0 && !c->probes && (partial ? !capable : !lacks))
        return &stats->discarded_price;
    if (lacks)
        return &stats->discarded_emn;
    if (!partial && room < groups->count)
        return &stats->discarded_full;
    return partial || all_have_credit(oq, groups) ? NULL : &stats->discarded_credit;
}

static uint64_t *find_reason(struct offload_queue *oq, uint32_t index, struct oq_groups *groups)
{
    struct offload_stats *stats = oq->shared->stats;
    const struct oq_chain *c = &oq->chains[index];
    const struct compute_packet *packet = &oq->shared->templates[c->number].packet;
    if (c->differs || c->load_count != packet->load_count || !find_groups(oq, c, groups))
        return &stats->discarded_unit;
    if (depend(groups) || is_awaited(oq, groups) || is_accessed(oq, index, c, groups))
        return &stats->discarded_conflict;
    if (c->turn == ADAPTIVE_AT_CORE)
        return &stats->discarded_sample;
    return find_room(oq, c, groups);
}

void oq_form(struct offload_queue *oq, uint64_t now, uint32_t index)
{
    struct oq_chain *c = &oq->chains[index];
    struct offload_stats *stats = oq->shared->stats;
    struct oq_groups groups;
    uint64_t *reason = find_reason(oq, index, &groups);
    if (reason) {
        if (reason != &stats->discarded_sample)
            oq_note_discard(oq, c, reason == &stats->discarded_unit ? NULL : &groups);
        oq_discard(oq, now, index, reason);
        return;
    }
    uint32_t plain = make_packets(oq, now, index, &groups);
    if (!c->out) {
        oq_discard(oq, now, index, &stats->discarded_unit);
        return;
    }
    if (c->entry != OQ_NONE)
        oq_free(oq, now, c->entry);
    c->state = OQ_OUT;
    c->sent = true;
    stats->chains_offloaded++;
    oq_chain_stats(oq, c)->offloaded++;
    stats->chain_lanes += (uint32_t)__builtin_popcount(c->mask);
    if (plain)
        oq_send_plain(oq, now, index, plain);
}

bool oq_send(struct core *core, void *own, uint64_t now)
{
    struct offload_queue *oq = own;
    uint32_t number = oq_next_packet(oq);
    if (number == OQ_NONE)
        return false;
    struct oqsr *entry = &oq->entries[number];
    struct memsys *memsys = core_port(core).memsys;
    uint32_t flits = memsys_packet_flits(memsys, entry->flits * PACKET_FLIT);
    if (!memsys_can_send_packet(memsys, core_port(core).index, flits))
        return false;
    const struct memsys_request request = {.bytes = mask_range(0, 1),
                                           .core = core_port(core).index,
                                           .tag = number,
                                           .kind = MEMSYS_PACKET,
                                           .requester = oq->shared->requester,
                                           .flits = (uint16_t)flits};
    memsys_send_packet(memsys, entry->endpoint, &request);
    oq->shared->stats->queue_read += entry->flits;
    oq_report(oq, now, OFFLOAD_SENT, number);
    oq->ring_head = (oq->ring_head + 1) % oq->count;
    oq->ring_count--;
    return true;
}
