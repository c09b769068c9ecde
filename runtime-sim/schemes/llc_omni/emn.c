#include "runtime-sim/schemes/llc_omni/emn.h"
#include <string.h>

enum axis { X, Y };

struct placement *placement_mesh(struct arena *arena, uint32_t width, uint32_t height,
                                 const uint32_t *llc, uint32_t llcs)
{
    uint32_t nodes = width * height;
    struct placement *made = ARENA_NEW(arena, struct placement);
    bool *taken = ARENA_ARRAY(arena, bool, nodes + 1);
    *made = (struct placement){.width = width, .height = height, .llcs = llcs};
    made->llc = ARENA_ARRAY(arena, uint16_t, llcs + 1);
    made->core = ARENA_ARRAY(arena, uint16_t, nodes + 1);
    for (uint32_t i = 0; i < llcs; i++) {
        if (llc[i] >= nodes || taken[llc[i]])
            return NULL;
        taken[llc[i]] = true;
        made->llc[i] = (uint16_t)llc[i];
    }
    for (uint32_t node = 0; node < nodes; node++)
        if (!taken[node])
            made->core[made->cores++] = (uint16_t)node;
    return made;
}

// Routes

struct mesh_route {
    uint32_t from, to;
    enum axis first; // axis of the first leg
};

static const enum axis orders[] = {X, Y};

static uint32_t coordinate(const struct placement *placement, uint32_t node, enum axis axis)
{
    return axis == X ? node % placement->width : node / placement->width;
}

static bool between(uint32_t value, uint32_t a, uint32_t b)
{
    return a < b ? value >= a && value <= b : value >= b && value <= a;
}

// Returns true if the route passes the node. A route has two legs that meet in a corner: the first
// leg keeps the second coordinate of the source, the second leg the first coordinate of the target.
static bool passes(const struct placement *placement, const struct mesh_route *route, uint32_t node)
{
    enum axis one = route->first, two = one == X ? Y : X;
    uint32_t a = coordinate(placement, node, one), b = coordinate(placement, node, two);
    uint32_t from_a = coordinate(placement, route->from, one);
    uint32_t from_b = coordinate(placement, route->from, two);
    uint32_t to_a = coordinate(placement, route->to, one);
    uint32_t to_b = coordinate(placement, route->to, two);
    return (b == from_b && between(a, from_a, to_a)) || (a == to_a && between(b, from_b, to_b));
}

static uint32_t step_towards(const struct placement *placement, const struct mesh_route *route,
                             uint32_t node)
{
    enum axis axis = route->first;
    if (coordinate(placement, node, axis) == coordinate(placement, route->to, axis))
        axis = axis == X ? Y : X;
    uint32_t stride = axis == X ? 1 : placement->width;
    bool up = coordinate(placement, node, axis) < coordinate(placement, route->to, axis);
    return up ? node + stride : node - stride;
}

struct best {
    uint32_t node, distance;
};

static void search(const struct placement *placement, const struct mesh_route *first,
                   const struct mesh_route *second, struct best *best)
{
    uint32_t node = first->from;
    while (node != first->to) {
        node = step_towards(placement, first, node);
        uint32_t distance = placement_distance(placement, node, first->to) +
                            placement_distance(placement, node, second->to);
        if (distance < best->distance && passes(placement, second, node))
            *best = (struct best){node, distance};
    }
}

static bool is_llc(const struct placement *placement, uint32_t node)
{
    for (uint32_t i = 0; i < placement->llcs; i++)
        if (placement->llc[i] == node)
            return true;
    return false;
}

uint16_t emn_find(const struct placement *placement, uint32_t core, uint32_t first, uint32_t second,
                  enum emn_at_llc at_llc)
{
    struct best best = {EMN_NONE, UINT32_MAX};
    if (first == second)
        return at_llc == EMN_LLC_NONE ? EMN_NONE : placement->llc[first];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            struct mesh_route one = {core, placement->llc[first], orders[i]};
            struct mesh_route two = {core, placement->llc[second], orders[j]};
            search(placement, &one, &two, &best);
        }
    if (at_llc != EMN_LLC_ANY && is_llc(placement, best.node))
        return EMN_NONE;
    return (uint16_t)best.node;
}

uint16_t *emn_tables(struct arena *arena, const struct placement *placement, enum emn_at_llc at_llc)
{
    uint32_t llcs = placement->llcs;
    uint16_t *tables = ARENA_ARRAY(arena, uint16_t, placement->cores * llcs * llcs + 1);
    for (uint32_t core = 0; core < placement->cores; core++)
        for (uint32_t first = 0; first < llcs; first++)
            for (uint32_t second = 0; second < llcs; second++)
                tables[(core * llcs + first) * llcs + second] =
                    emn_find(placement, placement->core[core], first, second, at_llc);
    return tables;
}

// The target's digits, from the highest to digit s, determine the channel after stage s. The digits
// before digit s determine the router in stage s.
uint32_t meet_fly_stage(const struct noc_config *network, uint32_t first, uint32_t second)
{
    uint32_t radix = network->radix, stage = network->stages - 1;
    for (first /= radix, second /= radix; first != second; first /= radix, second /= radix)
        stage--;
    return stage;
}

uint32_t meet_fly_router(const struct noc_config *network, uint32_t from, const uint32_t *to,
                         uint32_t count)
{
    uint32_t stage = network->stages - 1;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t common = meet_fly_stage(network, to[0], to[i]);
        stage = common < stage ? common : stage;
    }
    return noc_fly_router(network, stage, from, to[0]);
}
