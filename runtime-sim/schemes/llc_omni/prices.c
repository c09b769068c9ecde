#include "runtime-sim/schemes/llc_omni/prices.h"

static struct prices_part *parts_new(struct arena *arena, uint32_t count)
{
    struct prices_part *parts = ARENA_ARRAY(arena, struct prices_part, count + 1);
    for (uint32_t i = 0; i < count; i++)
        parts[i].price = 1;
    return parts;
}

struct prices *prices_new(struct arena *arena, const struct memsys *memsys,
                          const struct memsys_config *config, struct service *services,
                          uint32_t ends)
{
    struct prices *prices = ARENA_NEW(arena, struct prices);
    *prices = (struct prices){.memsys = memsys,
                              .next = PRICES_WINDOW,
                              .partitions = config->memory.partition_nodes.n,
                              .slice_clocks = config->memory.llc_clock * config->llc.banks,
                              .per_cycles = config->memory.core_clock,
                              .services = services,
                              .ends = ends,
                              .busiest = 1};
    for (int network = 0; network < PRICES_NETWORKS; network++) {
        const struct noc *noc = memsys_noc(memsys, (enum memsys_network)network);
        prices->enters[network] = parts_new(arena, noc_nodes(noc));
        prices->arrives[network] = parts_new(arena, noc_nodes(noc));
        prices->channel[network] = parts_new(arena, noc_channels(noc));
        prices->hop[network] = 1;
        prices->relief[network] = ARENA_ARRAY(arena, int64_t, noc_nodes(noc));
        prices->relieved[network] = ARENA_ARRAY(arena, int64_t, noc_nodes(noc));
        prices->demand[network] = ARENA_ARRAY(arena, int64_t, noc_nodes(noc));
    }
    prices->slices = parts_new(arena, prices->partitions);
    prices->buffers = parts_new(arena, ends);
    prices->chains = ARENA_ARRAY(arena, uint64_t, ends);
    prices->hold = ARENA_ARRAY(arena, uint32_t, ends);
    return prices;
}

static uint32_t square(uint32_t use)
{
    return use * use / PRICES_FULL;
}

// Ends the window of a part whose counter is now `count`, and that could have counted up to `most`.
static void update(struct prices *prices, struct prices_part *part, uint64_t count, uint64_t most)
{
    uint64_t use = most ? (count - part->counted) * PRICES_FULL / most : 0;
    use = use < PRICES_FULL ? use : PRICES_FULL;
    part->use = (uint32_t)((part->use * (PRICES_KEEPS - 1) + use) / PRICES_KEEPS);
    part->counted = count;
    part->price = 1 + square(square(square(part->use)));
    prices->busiest = part->price > prices->busiest ? part->price : prices->busiest;
}

// Adds the window to the average use that a port would have without offloading: `flits` have passed
// it in these cycles.
static void update_demand(struct prices *prices, int network, uint32_t node, uint64_t flits,
                          uint64_t cycles)
{
    int64_t relief = prices->relief[network][node];
    int64_t more = (int64_t)flits + relief - prices->relieved[network][node];
    int64_t use = cycles ? more * PRICES_FULL / (int64_t)cycles : 0;
    int64_t *demand = &prices->demand[network][node];
    *demand = (*demand * (PRICES_KEEPS - 1) + use) / PRICES_KEEPS;
    prices->relieved[network][node] = relief;
    prices->most_demand = *demand > prices->most_demand ? *demand : prices->most_demand;
}

static void update_network(struct prices *prices, int network)
{
    const struct noc *noc = memsys_noc(prices->memsys, (enum memsys_network)network);
    uint64_t cycles = noc_cycle(noc) - prices->cycle[network], sum = 0;
    uint32_t channels = noc_channels(noc), between = 0;
    for (uint32_t i = 0; i < noc_nodes(noc); i++) {
        struct noc_node node = noc_node(noc, i);
        bool requests = network == MEMSYS_REQUESTS;
        const struct prices_part *port =
            requests ? &prices->arrives[network][i] : &prices->enters[network][i];
        update_demand(prices, network, i,
                      (requests ? node.flits_arrived : node.flits_entered) - port->counted, cycles);
        update(prices, &prices->enters[network][i], node.flits_entered, cycles);
        update(prices, &prices->arrives[network][i], node.flits_arrived, cycles);
    }
    for (uint32_t i = 0; i < channels; i++) {
        struct noc_channel channel = noc_channel(noc, i);
        if (channel.kind != NOC_CHANNEL_ROUTERS)
            continue;
        update(prices, &prices->channel[network][i], channel.flits, cycles);
        sum += prices->channel[network][i].price;
        between++;
    }
    prices->hop[network] = between ? (uint32_t)(sum / between) : 0;
    prices->cycle[network] += cycles;
}

static void update_buffer(struct prices *prices, uint64_t now, uint32_t end)
{
    struct service *service = &prices->services[end];
    uint32_t entries = service->config->buffer;
    service_count_buffer(service, now);
    uint64_t chains = service->chains_buffered - prices->chains[end];
    uint64_t cycles = service->buffer_cycles - prices->buffers[end].counted;
    update(prices, &prices->buffers[end], service->buffer_cycles, (now - prices->begun) * entries);
    prices->chains[end] = service->chains_buffered;
    if (chains)
        prices->hold[end] = (uint32_t)(cycles / chains / entries);
}

void prices_update(struct prices *prices, uint64_t now)
{
    uint64_t clocks = (now - prices->begun) * prices->slice_clocks / prices->per_cycles;
    prices->busiest = 0;
    prices->most_demand = 0;
    for (int network = 0; network < PRICES_NETWORKS; network++)
        update_network(prices, network);
    for (uint32_t i = 0; i < prices->partitions; i++)
        update(prices, &prices->slices[i], memsys_port_clocks(prices->memsys, i), clocks);
    for (uint32_t i = 0; i < prices->ends; i++)
        update_buffer(prices, now, i);
    prices->begun = now;
    prices->next = now - now % PRICES_WINDOW + PRICES_WINDOW;
}
