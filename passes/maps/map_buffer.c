// A FIFO with too few entries limits the rate by a cycle over its free entries. A pass core on the
// edge has a FIFO of its own: the cycle gains D entries, and one instruction of latency. Adds such
// cores one at a time, each where it raises the rate most.
#include "passes/maps/map_rate.h"
#include <string.h>

static int compare_rates(const struct map_rate *a, const struct map_rate *b)
{
    uint64_t x = a->tokens * b->cycles, y = b->tokens * a->cycles;
    return x < y ? -1 : x > y;
}

static void rate_of(struct map_rate *rate, struct arena *arena, const struct map *map,
                    const struct map_hardware *hardware, struct map_graph *graph)
{
    map_graph_make(graph, arena, map, hardware);
    map_rate_of(rate, arena, graph);
}

static bool is_result(const struct map *map, uint32_t node, uint32_t operand)
{
    for (uint32_t i = 0; i < map->results.n; i++)
        if (map->results.v[i].node == node && map->results.v[i].operand == operand)
            return true;
    return false;
}

static struct map_text text_of(struct arena *arena, const char *text)
{
    return (struct map_text){.text = arena_strndup(arena, text, strlen(text)),
                             .length = (uint32_t)strlen(text)};
}

// Returns a copy of the map with a pass core before an operand.
static struct map *add_pass(struct arena *arena, const struct map *map, uint32_t node,
                            uint32_t operand)
{
    struct map *made = ARENA_NEW(arena, struct map);
    struct map_node pass = {.kind = MAP_CORE, .unit = MAP_INT, .operand_count = 1};
    *made = *map;
    made->nodes.v = ARENA_ARRAY(arena, struct map_node, map->nodes.n + 1);
    made->nodes.capacity = map->nodes.n + 1;
    memcpy(made->nodes.v, map->nodes.v, map->nodes.n * sizeof *map->nodes.v);
    struct map_operand *to = operand == MAP_OPERANDS ? &made->nodes.v[node].predicate
                                                     : &made->nodes.v[node].operands[operand];
    pass.name = text_of(arena, arena_printf(arena, "pass%u", map->nodes.n));
    pass.op = text_of(arena, "mov.b32");
    pass.operands[0] = (struct map_operand){.from = to->from, .from_text = to->from_text};
    pass.predicate.from = MAP_NO_NODE;
    to->from = map->nodes.n;
    to->from_text = pass.name;
    made->nodes.v[made->nodes.n++] = pass;
    return made;
}

// Returns the map with one more pass core, placed for the highest rate, or NULL.
static const struct map *add_best(struct arena *arena, const struct map *map,
                                  const struct map_hardware *hardware, struct map_rate *rate)
{
    const struct map *best = NULL;
    struct map_rate before, found = {0}, here;
    struct map_graph graph, other;
    rate_of(&before, arena, map, hardware, &graph);
    for (uint32_t i = 0; i < before.cycle.n; i++) {
        const struct map_edge *edge = &graph.edges.v[before.cycle.v[i]];
        if (!edge->is_space || edge->from == edge->to || is_result(map, edge->node, edge->operand))
            continue;
        const struct map *made = add_pass(arena, map, edge->node, edge->operand);
        rate_of(&here, arena, made, hardware, &other);
        if (best && compare_rates(&here, &found) <= 0)
            continue;
        best = made;
        found = here;
    }
    *rate = found;
    return best && compare_rates(&found, &before) >= 0 ? best : NULL;
}

const struct map *map_buffer(struct arena *arena, const struct map *map,
                             const struct map_hardware *hardware, uint32_t cores,
                             struct map_rate *rate)
{
    const struct map *best = map;
    struct map_rate here;
    struct map_graph graph;
    uint32_t have = map_count(map).cores;
    rate_of(rate, arena, map, hardware, &graph);
    // A core may have no effect until another cycle of the same rate gets one, too.
    while (map && have++ < cores) {
        map = add_best(arena, map, hardware, &here);
        if (!map || compare_rates(&here, rate) <= 0)
            continue;
        best = map;
        *rate = here;
    }
    return best;
}
