#include "runtime-sim/noc/noc.h"
#include "runtime-sim/noc/events.h"
#include "runtime-sim/noc/interface.h"
#include "runtime-sim/noc/shapes.h"
#include "runtime-sim/noc/tick_tmpl.h"

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/noc/noc_stats.def"
#define STATS_OF struct noc_stats
#include "runtime-sim/base/stats_keys.inc"
};

static const struct stat_key class_keys[] = {
#define STATS_DEF "runtime-sim/noc/noc_class.def"
#define STATS_OF struct noc_class_stats
#include "runtime-sim/base/stats_keys.inc"
};

// Time

void noc_tick(struct noc *noc)
{
    noc->tick(noc);
}

void noc_tick_any(struct noc *noc)
{
    noc_tick_shaped(noc);
}

uint64_t noc_cycle(const struct noc *noc)
{
    return noc->now;
}

static bool is_any(const uint64_t *mask, uint32_t words)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < words; i++)
        any |= mask[i];
    return any;
}

uint64_t noc_next(const struct noc *noc)
{
    if (is_any(noc->requests.ready_routers, noc->shape.router_words) ||
        is_any(noc->injection.sending, noc->shape.node_words) ||
        is_any(noc->requests.waiting_routers, noc->shape.router_words) ||
        is_any(noc->ejection.holding, noc->shape.node_words))
        return noc->now;
    return noc_next_event(noc);
}

void noc_skip_to(struct noc *noc, uint64_t cycle)
{
    if (cycle <= noc->now)
        return;
    noc->stats.cycles += cycle - noc->now;
    noc->stats.noc_router_clock += (cycle - noc->now) * noc->shape.routers;
    noc->now = cycle;
}

void noc_shuffle(struct noc *noc, uint64_t seed)
{
    noc->shuffle = seed;
    noc_choose_tick(noc);
}

// Observation

uint32_t noc_nodes(const struct noc *noc)
{
    return noc->shape.nodes;
}

uint32_t noc_routers(const struct noc *noc)
{
    return noc->shape.routers;
}

const struct noc_stats *noc_stats(const struct noc *noc)
{
    return &noc->stats;
}

const struct noc_class_stats *noc_class_stats(const struct noc *noc, uint32_t class)
{
    return &noc->class_stats[class];
}

void noc_stats_add(const struct noc *noc, struct stats *stats, const char *prefix,
                   const char *const *classes)
{
    stats_add(stats, prefix, stat_keys, ARRAY_LENGTH(stat_keys), &noc->stats);
    for (uint32_t i = 0; i < noc->shape.classes; i++) {
        const char *name = classes ? arena_printf(stats->arena, "%s.%s", prefix, classes[i])
                                   : arena_printf(stats->arena, "%s.class%u", prefix, i);
        stats_add(stats, name, class_keys, ARRAY_LENGTH(class_keys), &noc->class_stats[i]);
    }
}

uint32_t noc_channels(const struct noc *noc)
{
    return noc->shape.outs;
}

struct noc_channel noc_channel(const struct noc *noc, uint32_t index)
{
    uint32_t to = noc->port.out[index].to;
    enum noc_channel_kind kind = index >= noc->shape.router_outs ? NOC_CHANNEL_INJECTION
                                 : to >= noc->shape.router_ins   ? NOC_CHANNEL_EJECTION
                                                                 : NOC_CHANNEL_ROUTERS;
    return (struct noc_channel){kind, noc->port.out[index].from, noc->port.in[to].router,
                                noc->port.out[index].flits};
}

struct noc_node noc_node(const struct noc *noc, uint32_t node)
{
    const struct noc_interface *interface = &noc->interface[node];
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < noc->shape.classes; i++)
        waiting += noc_waiting_flits(noc, node, i);
    return (struct noc_node){interface->flits_entered, interface->flits_arrived,
                             interface->queue_sum + waiting * noc->now};
}

uint64_t noc_buffer_sum(const struct noc *noc, uint32_t router)
{
    const struct noc_router *at = &noc->router[router];
    return at->buffer_sum + at->buffer_now * noc->now;
}

void noc_listen(struct noc *noc, noc_trace *trace, void *context)
{
    noc->observer.trace = trace;
    noc->observer.context = context;
}

uint64_t noc_in_flight(const struct noc *noc)
{
    return noc->progress.in_flight;
}

bool noc_is_still(const struct noc *noc)
{
    return noc_next_event(noc) == UINT64_MAX;
}

uint64_t noc_moved_at(const struct noc *noc)
{
    return noc->progress.moved_at;
}
