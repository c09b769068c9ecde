// Statistics of a memory system and its nodes, and the report of waits.
#include "runtime-sim/memsys/memsys_link.h"
#include <inttypes.h>

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/memsys/memsys_stats.def"
#define STATS_OF struct memsys_stats
#include "runtime-sim/base/stats_keys.inc"
};
enum { STAT_KEYS = ARRAY_LENGTH(stat_keys) };

static const struct stat_key requester_keys[] = {
#define STATS_DEF "runtime-sim/memsys/memsys_client.def"
#define STATS_OF struct memsys_requester_stats
#include "runtime-sim/base/stats_keys.inc"
};
enum { REQUESTER_KEYS = ARRAY_LENGTH(requester_keys) };

// Totals

static void add_parts(struct memsys *m)
{
    m->sums.llc = (struct cache_stats){0};
    m->sums.dram = (struct dram_stats){0};
    for (uint32_t i = 0; i < m->partition_count; i++) {
        struct memsys_partition *p = &m->partitions[i];
        stats_accumulate(&m->sums.llc, &p->cache.stats, cache_stat_keys, cache_stat_key_count);
        const struct dram_channel *dram;
        for (uint32_t k = 0; (dram = memsys_channel(m, i, k)); k++)
            stats_accumulate(&m->sums.dram, &dram->stats, dram_stat_keys, dram_stat_key_count);
    }
}

// Converts to whole core cycles. The fraction is omitted in each stage, and therefore in the sum of
// the stages.
static void to_cycles(struct memsys_requester_stats *stats, uint64_t period)
{
    stats->injection_sum /= period;
    stats->service_sum /= period;
    stats->noc_sum /= period;
    stats->latency_sum = stats->injection_sum + stats->service_sum + stats->noc_sum;
}

static void add_clients(struct memsys *m)
{
    struct memsys_requester_stats all = {0};
    for (uint32_t i = 0; i < m->tables.requester_count; i++) {
        struct memsys_requester_stats *cycles = &m->sums.requester_cycles[i];
        *cycles = m->sums.requester[i];
        to_cycles(cycles, m->clock.core_period);
        struct memsys_requester_stats own = m->sums.requester[i];
        if (m->tables.requesters[i].apart)
            own.latency_sum = own.injection_sum = own.service_sum = own.noc_sum = own.data_answers =
                0;
        stats_accumulate(&all, &own, requester_keys, REQUESTER_KEYS);
    }
    to_cycles(&all, m->clock.core_period);
    m->stats.requests = all.requests;
    m->stats.answers = all.answers;
    m->stats.data_answers = all.data_answers;
    m->stats.from_llc = all.from_llc;
    m->stats.from_merge = all.from_merge;
    m->stats.from_dram = all.from_dram;
    m->stats.latency_sum = all.latency_sum;
    m->stats.injection_sum = all.injection_sum;
    m->stats.service_sum = all.service_sum;
    m->stats.noc_sum = all.noc_sum;
}

static void add_stages(struct memsys *m)
{
    uint64_t *const to[] = {&m->stats.in_request_network,
                            &m->stats.in_request_delay,
                            &m->stats.in_slice,
                            &m->stats.in_slice_out,
                            &m->stats.in_dram_delay,
                            &m->stats.in_dram,
                            &m->stats.in_fill,
                            &m->stats.in_reply_queue,
                            &m->stats.in_reply_network};
    for (uint32_t i = 0; i <= MEMSYS_STAGES; i++)
        *to[i] = m->sums.stage[i] / m->clock.core_period;
}

static void add_hops(struct memsys *m)
{
    const uint64_t classes[] = {m->config->request_network.classes,
                                m->config->reply_network.classes};
    m->stats.hops = m->stats.weighted_hops = 0;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t class = 0; class < classes[i]; class ++) {
            const struct noc_class_stats *from = noc_class_stats(m->side[i].noc, class);
            m->stats.hops += from->hops;
            m->stats.weighted_hops += from->weighted_hops;
        }
}

void memsys_stats_refresh(struct memsys *m)
{
    uint64_t bits = 8 * m->config->dram.request_bytes;
    add_parts(m);
    add_clients(m);
    add_stages(m);
    add_hops(m);
    m->stats.llc_read_hit = m->sums.llc.read_hits;
    m->stats.llc_write_hit = m->sums.llc.write_hits;
    m->stats.dram_activate = m->sums.dram.activates;
    m->stats.dram_read = m->sums.dram.reads * bits;
    m->stats.dram_write = m->sums.dram.writes * bits;
    for (uint32_t i = 0; i < 2; i++)
        noc_use_refresh(m->side[i].noc);
}

const struct memsys_stats *memsys_stats(const struct memsys *m)
{
    return &m->stats;
}

uint64_t memsys_data_clocks(const struct memsys *m)
{
    const struct dram_channel *channel;
    uint64_t clocks = 0;
    for (uint32_t i = 0; i < m->partition_count; i++)
        for (uint32_t k = 0; (channel = memsys_channel(m, i, k)); k++)
            clocks += channel->stats.data_clocks;
    return clocks;
}

uint64_t memsys_port_clocks(const struct memsys *m, uint32_t partition)
{
    return m->partitions[partition].cache.stats.port_clocks;
}

// Groups

static void add_channels(const struct memsys *m, struct stats *stats)
{
    const struct dram_channel *channel;
    for (uint32_t i = 0, number = 0; i < m->partition_count; i++)
        for (uint32_t k = 0; (channel = memsys_channel(m, i, k)); k++)
            stats_add_member(stats, "dram*", arena_printf(stats->arena, "dram%u", number++),
                             dram_stat_keys, dram_stat_key_count, &channel->stats);
}

void memsys_stats_add(const struct memsys *m, struct stats *stats)
{
    stats_add(stats, "memory", stat_keys, STAT_KEYS, &m->stats);
    for (uint32_t i = 0; i < m->tables.requester_count; i++)
        stats_add(stats, arena_printf(stats->arena, "memory.%s", m->tables.requesters[i].name),
                  requester_keys, REQUESTER_KEYS, &m->sums.requester_cycles[i]);
    noc_stats_add(m->side[MEMSYS_REQUESTS].noc, stats, "request", NULL);
    noc_stats_add(m->side[MEMSYS_REPLIES].noc, stats, "reply", NULL);
    stats_add(stats, "llc", cache_stat_keys, cache_stat_key_count, &m->sums.llc);
    stats_add(stats, "dram", dram_stat_keys, dram_stat_key_count, &m->sums.dram);
    for (uint32_t i = 0; i < m->partition_count; i++)
        stats_add_member(stats, "llc*", arena_printf(stats->arena, "llc%u", i), cache_stat_keys,
                         cache_stat_key_count, &m->partitions[i].cache.stats);
    add_channels(m, stats);
    noc_use_add(m->side[MEMSYS_REQUESTS].noc, stats, "request");
    noc_use_add(m->side[MEMSYS_REPLIES].noc, stats, "reply");
    memsys_link_stats_add(m, stats);
}

// Nodes

uint32_t memsys_partition_of(const struct memsys *m, uint64_t line)
{
    return partition_of(&m->map, line * m->config->llc.line_bytes);
}

uint32_t memsys_partition_node(const struct memsys *m, uint32_t partition)
{
    return m->topology.partition_node[partition];
}

struct noc *memsys_network(struct memsys *m, enum memsys_network network)
{
    m->schedule.is_open = true;
    return m->side[network].noc;
}

const struct noc *memsys_noc(const struct memsys *m, enum memsys_network network)
{
    return m->side[network].noc;
}

// Watchdog

uint64_t memsys_inside(const struct memsys *m)
{
    return m->pool.inside;
}

// Returns the cycle of the last movement.
static uint64_t moved_at(const struct memsys *m)
{
    uint64_t moved = m->clock.moved;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t at = noc_moved_at(m->side[i].noc) * m->clock.network_period;
        moved = at > moved ? at : moved;
    }
    return divide_up(moved, m->clock.core_period);
}

static void report_partition(const struct memsys_partition *p, FILE *to)
{
    const struct memsys *m = p->memsys;
    const struct memsys_side *reply = &m->side[MEMSYS_REPLIES];
    uint32_t arrived =
        noc_peek(m->side[MEMSYS_REQUESTS].noc, p->node, m->side[MEMSYS_REQUESTS].class) != NULL;
    uint32_t inside = cache_inside(&p->cache), dram = m->backend->inside(p->backend);
    uint32_t sending = noc_waiting_packets(reply->noc, p->node, reply->class);
    if (!arrived && !inside && !dram && !p->reply_count && !sending && !p->waiting.n && !p->delayed)
        return;
    fprintf(to, "partition %u at node %u:\n", p->number, p->node);
    if (arrived)
        fprintf(to, "  a request has arrived; the slice's input queue has %s\n",
                cache_can_put(&p->cache, 0) ? "room" : "no room");
    if (p->delayed)
        fprintf(to, "  %u requests wait for memory.request_delay\n", p->delayed);
    fprintf(to, "  slice: %u requests, %u of them served, %u waiting for the DRAM%s\n", inside,
            cache_reply_count(&p->cache), p->cache.out_count,
            cache_flushing(&p->cache) ? "; it is being flushed" : "");
    if (p->waiting.n)
        fprintf(to, "  %u requests wait for the owner\n", p->waiting.n);
    fprintf(to, "  DRAM: %u requests\n", dram);
    fprintf(to, "  replies: %u of %u wait in the queue for the network interface, %u there\n",
            p->reply_count, m->config->memory.reply_queue, sending);
}

void memsys_report(const struct memsys *m, FILE *to, uint32_t max)
{
    fprintf(to,
            "memory system in cycle %" PRIu64 ": %" PRIu64
            " requests are unanswered; the last one moved in cycle %" PRIu64 "\n",
            m->clock.cycle, m->pool.inside, moved_at(m));
    for (uint32_t i = 0; i < m->partition_count; i++)
        report_partition(&m->partitions[i], to);
    fputs("request network:\n", to);
    noc_report(m->side[MEMSYS_REQUESTS].noc, to, max);
    fputs("reply network:\n", to);
    noc_report(m->side[MEMSYS_REPLIES].noc, to, max);
}
