// Utilization of nodes, routers and channels between routers, as statistics. The integrals over
// time are updated on each change and, here, before they are read.
#include "runtime-sim/noc/router.h"

struct node_use {
#define STATS_DEF "runtime-sim/noc/noc_node.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t cycles;
};

struct router_use {
#define STATS_DEF "runtime-sim/noc/noc_router.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t cycles;
};

struct link_use {
#define STATS_DEF "runtime-sim/noc/noc_link.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t cycles;
    uint32_t channel;
};

struct noc_use {
    struct node_use *nodes;
    struct router_use *routers;
    struct link_use *links;
    uint32_t link_count;
};

static const struct stat_key node_keys[] = {
#define STATS_DEF "runtime-sim/noc/noc_node.def"
#define STATS_OF struct node_use
#include "runtime-sim/base/stats_keys.inc"
};

static const struct stat_key router_keys[] = {
#define STATS_DEF "runtime-sim/noc/noc_router.def"
#define STATS_OF struct router_use
#include "runtime-sim/base/stats_keys.inc"
};

static const struct stat_key link_keys[] = {
#define STATS_DEF "runtime-sim/noc/noc_link.def"
#define STATS_OF struct link_use
#include "runtime-sim/base/stats_keys.inc"
};

#define ADD(stats, collection, keys, value, ...)                                                   \
    stats_add_member(stats, collection, arena_printf((stats)->arena, __VA_ARGS__), keys,           \
                     ARRAY_LENGTH(keys), value)

static void add_links(struct noc *noc, struct stats *stats, const char *prefix)
{
    struct noc_use *use = noc->observer.use;
    const char *all = arena_printf(stats->arena, "%s.link*", prefix);
    use->links = ARENA_ARRAY(stats->arena, struct link_use, noc->shape.router_outs);
    for (uint32_t i = 0; i < noc->shape.router_outs; i++) {
        struct noc_channel channel = noc_channel(noc, i);
        if (channel.kind != NOC_CHANNEL_ROUTERS)
            continue;
        struct link_use *link = &use->links[use->link_count++];
        link->channel = i;
        ADD(stats, all, link_keys, link, "%s.link%u_%u", prefix, channel.from, channel.to);
    }
}

void noc_use_add(struct noc *noc, struct stats *stats, const char *prefix)
{
    struct noc_use *use = noc->observer.use = ARENA_NEW(stats->arena, struct noc_use);
    const char *nodes = arena_printf(stats->arena, "%s.node*", prefix);
    const char *routers = arena_printf(stats->arena, "%s.router*", prefix);
    use->nodes = ARENA_ARRAY(stats->arena, struct node_use, noc->shape.nodes);
    use->routers = ARENA_ARRAY(stats->arena, struct router_use, noc->shape.routers);
    for (uint32_t i = 0; i < noc->shape.nodes; i++)
        ADD(stats, nodes, node_keys, &use->nodes[i], "%s.node%u", prefix, i);
    for (uint32_t i = 0; i < noc->shape.routers; i++)
        ADD(stats, routers, router_keys, &use->routers[i], "%s.router%u", prefix, i);
    add_links(noc, stats, prefix);
    noc_use_refresh(noc);
}

static uint64_t router_flits(const struct noc *noc, uint32_t router)
{
    const struct noc_router *at = &noc->router[router];
    uint64_t flits = 0;
    for (uint32_t i = at->out0; i < at->out0 + at->outs; i++)
        flits += noc->port.out[i].flits;
    return flits;
}

void noc_use_refresh(struct noc *noc)
{
    struct noc_use *use = noc->observer.use;
    uint64_t cycles = noc->stats.cycles;
    if (!use)
        return;
    for (uint32_t i = 0; i < noc->shape.nodes; i++) {
        const struct noc_interface *from = &noc->interface[i];
        use->nodes[i] = (struct node_use){.packets_sent = from->packets_sent,
                                          .flits_entered = from->flits_entered,
                                          .flits_arrived = from->flits_arrived,
                                          .queue_sum = noc_node(noc, i).queue_sum,
                                          .queue_most = from->queue_most,
                                          .cycles = cycles};
    }
    for (uint32_t i = 0; i < noc->shape.routers; i++)
        use->routers[i] = (struct router_use){.flits = router_flits(noc, i),
                                              .buffer_sum = noc_buffer_sum(noc, i),
                                              .buffer_most = noc->router[i].buffer_most,
                                              .cycles = cycles};
    for (uint32_t i = 0; i < use->link_count; i++) {
        use->links[i].flits = noc->port.out[use->links[i].channel].flits;
        use->links[i].cycles = cycles;
    }
}
