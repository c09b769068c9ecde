// The keys of a memory system, and checks of combinations of values.
#include "runtime-sim/base/clock.h"
#include "runtime-sim/memsys/memsys_state.h"
#include "runtime-sim/noc/topology.h"
#include "support/bits.h"

const struct config_key memsys_keys[] = {
#define CONFIG_DEF "runtime-sim/memsys/memsys.def"
#define CONFIG_OF struct memsys_keys
#include "runtime-sim/base/config_keys.inc"
};
const uint32_t memsys_key_count = ARRAY_LENGTH(memsys_keys);

void memsys_sections(struct config_section sections[MEMSYS_SECTIONS], struct memsys_config *config)
{
    const struct config_section all[MEMSYS_SECTIONS] = {
        {"memory", memsys_keys, memsys_key_count, &config->memory},
        {"request_network", noc_keys, noc_key_count, &config->request_network},
        {"reply_network", noc_keys, noc_key_count, &config->reply_network},
        {"llc", cache_keys, cache_key_count, &config->llc},
        {"dram", dram_keys, dram_key_count, &config->dram},
    };
    for (uint32_t i = 0; i < MEMSYS_SECTIONS; i++)
        sections[i] = all[i];
}

static const char *check_network(struct arena *arena, const struct noc_config *network,
                                 uint32_t class, const char *which)
{
    const char *wrong = noc_check(arena, network);
    if (wrong)
        return arena_printf(arena, "%s_network: %s", which, wrong);
    if (class >= network->classes)
        return arena_printf(arena, "memory.%s_class is %u, but %s_network.classes is %u", which,
                            class, which, network->classes);
    if (!network->vc_buffer) // a network alone may have such buffers
        return arena_printf(arena, "%s_network.vc_buffer is 0: no packet would arrive", which);
    return NULL;
}

// Requests and replies of a core and a partition pass the same routers only if one network has the
// channels of the other in reverse. Otherwise a computing router would not be on both routes.
static const char *check_routers(struct arena *arena, const struct memsys_config *config)
{
    const struct noc_config *request = &config->request_network, *reply = &config->reply_network;
    if (!request->router_nodes && !reply->router_nodes)
        return NULL;
    if (!request->router_nodes || !reply->router_nodes)
        return arena_printf(arena, "%s_network.router_nodes needs %s_network.router_nodes",
                            request->router_nodes ? "request" : "reply",
                            request->router_nodes ? "reply" : "request");
    if (request->reversed || !reply->reversed)
        return arena_printf(arena, "router_nodes needs request_network.reversed: false and "
                                   "reply_network.reversed: true");
    if (request->radix != reply->radix || request->stages != reply->stages)
        return arena_printf(arena, "router_nodes needs butterflies of the same radix and stages");
    return NULL;
}

uint8_t memsys_add_class(struct arena *arena, struct noc_config *network, uint32_t from,
                         uint32_t vcs, bool lends)
{
    uint32_t count = network->classes;
    uint32_t *all = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *borrows = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i <= count; i++)
        borrows[i] = i < network->class_borrows.n ? network->class_borrows.v[i] : i;
    if (lends && network->routing != NOC_ADAPTIVE && borrows[from] == from)
        borrows[from] = count;
    for (uint32_t i = 0; i < count; i++)
        all[i] = network->class_vcs.n ? network->class_vcs.v[i]
                                      : network->vcs / count + (i < network->vcs % count);
    all[from] -= vcs;
    all[count] = vcs;
    network->classes = count + 1;
    network->class_vcs = (struct config_list){.v = all, .n = count + 1};
    network->class_borrows = (struct config_list){.v = borrows, .n = count + 1};
    return (uint8_t)count;
}

uint32_t memsys_config_routers(const struct memsys_config *config)
{
    const struct noc_config *network = &config->request_network;
    return network->router_nodes ? noc_node_count(network) - noc_fly_terminals(network) : 0;
}

uint32_t memsys_read_unit(const struct memsys_config *config)
{
    if (config->named_reads)
        return 1;
    return config->memory.sectors ? config->memory.sector_bytes : config->llc.line_bytes;
}

static const char *check_nodes(struct arena *arena, const struct memsys_config *config)
{
    const struct config_list *at = &config->memory.partition_nodes;
    uint32_t nodes = noc_node_count(&config->request_network);
    uint32_t others = noc_node_count(&config->reply_network);
    uint64_t *taken = bits_new(arena, nodes);
    if (nodes != others)
        return arena_printf(arena, "request_network has %u nodes, reply_network %u", nodes, others);
    nodes -= memsys_config_routers(config); // computing routers have neither cores nor partitions
    if (!at->n)
        return "memory.partition_nodes is empty";
    for (uint32_t i = 0; i < at->n; i++) {
        if (at->v[i] >= nodes)
            return arena_printf(arena, "memory.partition_nodes contains %u, but there are %u nodes",
                                at->v[i], nodes);
        if (bits_test(taken, at->v[i]))
            return arena_printf(arena, "memory.partition_nodes contains %u twice", at->v[i]);
        bits_set(taken, at->v[i]);
    }
    if (at->n % config->memory.channel_slices)
        return arena_printf(arena,
                            "memory.partition_nodes has %u elements, not a multiple of "
                            "memory.channel_slices: %u",
                            at->n, config->memory.channel_slices);
    uint32_t room = (nodes - at->n) * config->memory.node_cores;
    if (config->memory.cores > room)
        return arena_printf(arena,
                            "memory.cores is %u, but %u nodes, %u of them with a partition, leave "
                            "room for %u",
                            config->memory.cores, nodes, at->n, room);
    return NULL;
}

static const char *check_multiple(struct arena *arena, const char *name, uint32_t value,
                                  const char *of, uint32_t part)
{
    if (!(value % part))
        return NULL;
    return arena_printf(arena, "%s is %u, not a multiple of %s: %u", name, value, of, part);
}

static const char *check_sizes(struct arena *arena, const struct memsys_config *config)
{
    uint32_t line = config->llc.line_bytes, request = config->dram.request_bytes;
    const char *wrong =
        check_multiple(arena, "memory.chunk", config->memory.chunk, "llc.line_bytes", line);
    if (!wrong)
        wrong = check_multiple(arena, "llc.line_bytes", line, "memory.sector_bytes",
                               config->memory.sector_bytes);
    if (!wrong && request < line)
        wrong = check_multiple(arena, "llc.line_bytes", line, "dram.request_bytes", request);
    if (!wrong && config->llc.forward_misses && request < line)
        wrong = "llc.forward_misses needs dram.request_bytes to be a line, because one write is "
                "acknowledged";
    return wrong;
}

static const char *check_sectors(struct arena *arena, const struct memsys_config *config)
{
    const struct memsys_keys *memory = &config->memory;
    if (memory->sector_replies && !memory->sectors)
        return "memory.sector_replies needs memory.sectors: true";
    if (memory->core_sides.n && memory->core_sides.n != memory->cores)
        return arena_printf(arena, "memory.core_sides has %u elements, but there are %u cores",
                            memory->core_sides.n, memory->cores);
    return NULL;
}

static const char *check_rule(struct arena *arena, const struct memsys_config *config)
{
    struct partition_range range = {.last = UINT64_MAX,
                                    .rule = (enum partition_rule)config->memory.rule,
                                    .count = config->memory.partition_nodes.n,
                                    .chunk = config->memory.chunk};
    if (partition_is_good(&range))
        return NULL;
    return arena_printf(arena,
                        "memory.rule: xor needs a power of two as the number of partitions, "
                        "not %u",
                        range.count);
}

static const char *check_clocks(struct arena *arena, const struct memsys_config *config)
{
    struct clocks clocks;
    uint64_t hertz[] = {config->memory.core_clock * CLOCK_MHZ,
                        config->memory.network_clock * CLOCK_MHZ,
                        config->memory.llc_clock * CLOCK_MHZ, config->dram.clock * CLOCK_MHZ};
    if (clocks_init(&clocks, arena, hertz, 4))
        return NULL;
    return "memory.core_clock, .network_clock, .llc_clock and dram.clock have no common time unit "
           "that is long enough";
}

const char *memsys_check(struct arena *arena, const struct memsys_config *config)
{
    const char *wrong =
        check_network(arena, &config->request_network, config->memory.request_class, "request");
    if (!wrong)
        wrong = check_network(arena, &config->reply_network, config->memory.reply_class, "reply");
    if (!wrong)
        wrong = check_routers(arena, config);
    if (!wrong)
        wrong = check_nodes(arena, config);
    if (!wrong)
        wrong = cache_config_fault(&config->llc, "llc", arena);
    if (!wrong)
        wrong = dram_config_fault(&config->dram, arena);
    if (!wrong)
        wrong = check_sizes(arena, config);
    if (!wrong)
        wrong = check_sectors(arena, config);
    if (!wrong)
        wrong = check_rule(arena, config);
    return wrong ? wrong : check_clocks(arena, config);
}
