// Builds a memory system from its configuration and the rows of its owner.
#include "runtime-sim/base/clock.h"
#include "runtime-sim/memsys/memsys_link.h"
#include "support/bits.h"
#include <assert.h>

static void set_periods(struct memsys *m)
{
    const struct memsys_config *config = m->config;
    struct clocks clocks;
    uint64_t hertz[] = {config->memory.core_clock * CLOCK_MHZ,
                        config->memory.network_clock * CLOCK_MHZ,
                        config->memory.llc_clock * CLOCK_MHZ,
                        (m->backend->clock ? m->backend->clock : config->dram.clock) * CLOCK_MHZ};
    bool fits = clocks_init(&clocks, m->arena, hertz, 4);
    assert(fits);
    (void)fits;
    m->clock.core_period = clocks.domain[0].period;
    m->clock.network_period = clocks.domain[1].period;
    m->clock.llc_period = clocks.domain[2].period;
    m->clock.dram_period = clocks.domain[3].period;
}

static void init_networks(struct memsys *m)
{
    const struct memsys_config *config = m->config;
    m->side[MEMSYS_REQUESTS] = (struct memsys_side){noc_new(m->arena, &config->request_network),
                                                    config->memory.request_class,
                                                    config->request_network.classes,
                                                    {false}};
    m->side[MEMSYS_REPLIES] = (struct memsys_side){noc_new(m->arena, &config->reply_network),
                                                   config->memory.reply_class,
                                                   config->reply_network.classes,
                                                   {false}};
    m->topology.nodes = noc_nodes(m->side[MEMSYS_REQUESTS].noc);
    m->topology.node_words = bits_words(m->topology.nodes);
}

static void init_own_endpoints(struct memsys *m)
{
    m->paths = ARENA_ARRAY(m->arena, struct memsys_path, m->tables.endpoints.n);
    for (uint32_t i = 0; i < m->tables.endpoints.n; i++) {
        const struct memsys_endpoint *row = &m->tables.endpoints.v[i];
        uint32_t node = row->node, end = m->topology.first_own + i;
        m->paths[i] = (struct memsys_path){row->past, MEMSYS_NONE, MEMSYS_NONE, false};
        m->topology.endpoint_node[end] = row->past ? MEMSYS_NONE : node;
        if (row->past)
            continue;
        assert(node < m->topology.nodes);
        m->sharing.any |= m->topology.endpoint_at[node] != MEMSYS_NONE;
        m->topology.endpoint_at[node] =
            m->topology.endpoint_at[node] != MEMSYS_NONE ? m->topology.endpoint_at[node] : end;
    }
}

static void init_nodes(struct memsys *m)
{
    struct memsys_topology *to = &m->topology;
    const struct config_list *at = &m->config->memory.partition_nodes;
    to->cores = m->config->memory.cores;
    m->partition_count = at->n;
    to->routers = memsys_config_routers(m->config);
    to->first_own = to->cores + at->n + to->routers;
    to->ends = to->first_own + m->tables.endpoints.n;
    to->endpoint_words = bits_words(to->ends);
    to->endpoint_node = ARENA_ARRAY(m->arena, uint32_t, to->ends);
    to->partition_node = to->endpoint_node + to->cores;
    to->endpoint_at = ARENA_ARRAY(m->arena, uint32_t, to->nodes);
    to->partition_at = ARENA_ARRAY(m->arena, uint32_t, to->nodes);
    for (uint32_t i = 0; i < to->nodes; i++)
        to->endpoint_at[i] = to->partition_at[i] = MEMSYS_NONE;
    to->partition_set = bits_new(m->arena, to->nodes);
    for (uint32_t i = 0; i < at->n; i++) {
        bits_set(to->partition_set, at->v[i]);
        to->partition_node[i] = at->v[i];
        to->partition_at[at->v[i]] = i;
        to->endpoint_at[at->v[i]] = to->cores + i;
    }
    for (uint32_t node = 0, core = 0; core < to->cores; node++) {
        if (to->partition_at[node] != MEMSYS_NONE)
            continue;
        to->endpoint_at[node] = core;
        for (uint32_t k = 0; k < m->config->memory.node_cores && core < to->cores; k++)
            to->endpoint_node[core++] = node;
    }
    for (uint32_t i = 0; i < to->routers; i++) {
        uint32_t end = memsys_router_endpoint(m, i), node = to->nodes - to->routers + i;
        to->endpoint_at[node] = end;
        to->endpoint_node[end] = node;
    }
    init_own_endpoints(m);
    memsys_ports_init(m);
}

static void init_messages(struct memsys *m)
{
    m->messages = ARENA_ARRAY(m->arena, struct memsys_message, 1 + m->tables.messages.n);
    m->messages[m->message_count++] =
        (struct memsys_message){.request_class = (uint8_t)m->side[MEMSYS_REQUESTS].class,
                                .reply_class = (uint8_t)m->side[MEMSYS_REPLIES].class,
                                .input = MEMSYS_FROM_NETWORK};
    for (uint32_t i = 0; i < m->tables.messages.n; i++)
        m->messages[m->message_count++] = m->tables.messages.v[i];
    for (uint32_t i = 0; i < m->message_count; i++) {
        assert(m->messages[i].request_class < m->side[MEMSYS_REQUESTS].classes &&
               m->messages[i].reply_class < m->side[MEMSYS_REPLIES].classes &&
               m->messages[i].input < MEMSYS_INPUTS + m->tables.inputs.n);
        m->side[MEMSYS_REQUESTS].has_messages[m->messages[i].request_class] = true;
        m->side[MEMSYS_REPLIES].has_messages[m->messages[i].reply_class] = true;
    }
}

static void init_map(struct memsys *m)
{
    const struct memsys_keys *keys = &m->config->memory;
    struct partition_range all = {.rule = (enum partition_rule)keys->rule,
                                  .count = m->partition_count,
                                  .chunk = keys->chunk,
                                  .last = UINT64_MAX};
    partition_init(&m->map, m->arena, &all);
}

static void init_masks(struct memsys *m)
{
    struct memsys_masks *masks = &m->masks;
    uint32_t line = m->config->llc.line_bytes;
    uint32_t sector = m->config->memory.sector_bytes;
    uint32_t piece =
        m->backend->piece_bytes ? m->backend->piece_bytes : m->config->dram.request_bytes;
    masks->line = mask_range(0, line);
    for (uint32_t at = 0; at < line; at += sector)
        masks->sector[masks->sectors++] = mask_range(at, at + sector);
    for (uint32_t at = 0; at < line; at += piece)
        masks->piece[masks->pieces++] = mask_range(at, at + piece < line ? at + piece : line);
}

static void init_partitions(struct memsys *m)
{
    m->partitions = ARENA_ARRAY(m->arena, struct memsys_partition, m->partition_count);
    m->schedule.order = ARENA_ARRAY(m->arena, uint32_t, m->partition_count);
    for (uint32_t i = 0; i < m->partition_count; i++)
        memsys_partition_init(&m->partitions[i], m, i);
}

struct memsys *memsys_new(struct arena *arena, const struct memsys_config *config,
                          const struct memsys_tables *tables, memsys_serve *serve, void *context)
{
    struct memsys *m = ARENA_NEW(arena, struct memsys);
    *m = (struct memsys){.config = config,
                         .tables = *tables,
                         .backend = tables->backend ? tables->backend
                                                    : memsys_configured_dram(arena, config),
                         .arena = arena,
                         .serve = serve,
                         .context = context,
                         .pool.unused = MEMSYS_NONE};
    m->sums.requester =
        ARENA_ARRAY(arena, struct memsys_requester_stats, tables->requester_count + 1);
    m->sums.requester_cycles =
        ARENA_ARRAY(arena, struct memsys_requester_stats, tables->requester_count + 1);
    set_periods(m);
    init_networks(m);
    init_nodes(m);
    init_messages(m);
    init_map(m);
    init_masks(m);
    init_partitions(m);
    memsys_link_init(m);
    m->wake.answers = bits_new(arena, m->topology.ends);
    m->wake.refused = bits_new(arena, m->topology.ends);
    m->wake.may_send = bits_new(arena, m->topology.ends);
    m->wake.wanted = ARENA_ARRAY(arena, uint32_t, m->topology.ends);
    m->wake.wanted_class = ARENA_ARRAY(arena, uint8_t, m->topology.ends);
    return m;
}
