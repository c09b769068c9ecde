// Maximum cycle ratio: starts with the ratio of a known cycle and searches for a better one by
// Bellman-Ford on the weights latency · tokens* − tokens · latency*, until no cycle is positive.
// All numbers are integers, so the result is exact.
#include "passes/maps/map_rate.h"
#include <string.h>

// The graph

static void add_fifo(struct map_graph *graph, struct arena *arena, const struct map *map,
                     const struct map_hardware *hardware, uint32_t number, uint32_t at)
{
    const struct map_node *node = &map->nodes.v[number];
    uint32_t from = map_operand(node, at)->from, tokens = map_tokens(node, at);
    uint32_t entries = map_capacity(hardware, node, at);
    int32_t latency = (int32_t)map_latency(hardware, &map->nodes.v[from]);
    // The entry of a token that a node pops from its own FIFO is free at once.
    int32_t space = from == number ? 0 : (int32_t)hardware->space_delay;
    // A result may wait in each stage of the pipeline for its entry.
    if (hardware->space == MAP_ARRIVAL)
        entries += (uint32_t)latency;
    vec_push(arena, &graph->edges,
             (struct map_edge){from, number, latency, tokens, number, at, false});
    vec_push(arena, &graph->edges,
             (struct map_edge){number, from, space, entries - tokens, number, at, true});
}

void map_graph_make(struct map_graph *graph, struct arena *arena, const struct map *map,
                    const struct map_hardware *hardware)
{
    *graph = (struct map_graph){.nodes = map->nodes.n};
    for (uint32_t i = 0; i < map->nodes.n; i++) {
        const struct map_node *node = &map->nodes.v[i];
        vec_push(arena, &graph->edges,
                 (struct map_edge){i, i, (int32_t)map_interval(hardware, node), 1, MAP_NO_NODE, 0,
                                   false});
        EACH_FIFO (at, node)
            add_fifo(graph, arena, map, hardware, i, at);
    }
}

// The rate

struct rate_search {
    const struct map_graph *graph;
    int64_t *far;   // per node: length of the longest path to it
    uint32_t *by;   // per node: last edge of this path, or UINT32_MAX
    uint32_t *seen; // per node: number of the walk that visited it
    uint64_t tokens, cycles;
};

static int64_t weight_of(const struct rate_search *s, const struct map_edge *edge)
{
    return (int64_t)s->tokens * edge->latency - (int64_t)s->cycles * edge->tokens;
}

// Returns false if no path got longer.
static bool relax(struct rate_search *s)
{
    bool longer = false;
    for (uint32_t i = 0; i < s->graph->edges.n; i++) {
        const struct map_edge *edge = &s->graph->edges.v[i];
        int64_t far = s->far[edge->from] + weight_of(s, edge);
        if (far <= s->far[edge->to])
            continue;
        s->far[edge->to] = far;
        s->by[edge->to] = i;
        longer = true;
    }
    return longer;
}

// Returns a node on a cycle of last edges, or UINT32_MAX.
static uint32_t find_cycle(struct rate_search *s)
{
    memset(s->seen, 0, s->graph->nodes * sizeof *s->seen);
    for (uint32_t i = 0; i < s->graph->nodes; i++) {
        uint32_t at = i;
        while (!s->seen[at] && s->by[at] != UINT32_MAX) {
            s->seen[at] = i + 1;
            at = s->graph->edges.v[s->by[at]].from;
        }
        if (s->by[at] != UINT32_MAX && s->seen[at] == i + 1)
            return at;
    }
    return UINT32_MAX;
}

// Records the cycle through a node as the one that limits the rate.
static void record_cycle(struct rate_search *s, struct arena *arena, struct map_rate *rate,
                         uint32_t node)
{
    int64_t latency = 0;
    uint32_t at = node;
    s->tokens = 0;
    rate->cycle.n = 0;
    do {
        const struct map_edge *edge = &s->graph->edges.v[s->by[at]];
        latency += edge->latency;
        s->tokens += edge->tokens;
        vec_push(arena, &rate->cycle, s->by[at]);
        at = edge->from;
    } while (at != node);
    for (uint32_t i = 0; i < rate->cycle.n / 2; i++) { // reverses the list
        uint32_t other = rate->cycle.v[rate->cycle.n - 1 - i];
        rate->cycle.v[rate->cycle.n - 1 - i] = rate->cycle.v[i];
        rate->cycle.v[i] = other;
    }
    s->cycles = (uint64_t)latency;
}

// Finds a cycle that limits the rate further. Returns false if no cycle does.
static bool improve(struct rate_search *s, struct arena *arena, struct map_rate *rate)
{
    memset(s->far, 0, s->graph->nodes * sizeof *s->far);
    memset(s->by, 0xff, s->graph->nodes * sizeof *s->by);
    for (uint32_t i = 0; relax(s); i++) {
        uint32_t node = i >= s->graph->nodes || i % 8 == 7 ? find_cycle(s) : UINT32_MAX;
        if (node == UINT32_MAX)
            continue;
        record_cycle(s, arena, rate, node);
        return true;
    }
    return false;
}

void map_rate_of(struct map_rate *rate, struct arena *arena, const struct map_graph *graph)
{
    struct rate_search s = {.graph = graph,
                            .far = ARENA_ARRAY(arena, int64_t, graph->nodes),
                            .by = ARENA_ARRAY(arena, uint32_t, graph->nodes),
                            .seen = ARENA_ARRAY(arena, uint32_t, graph->nodes)};
    *rate = (struct map_rate){0};
    for (uint32_t i = 0; i < graph->edges.n; i++) { // a node's interval is a cycle
        const struct map_edge *edge = &graph->edges.v[i];
        if (edge->from != edge->to || edge->node != MAP_NO_NODE)
            continue;
        if (rate->cycle.n && weight_of(&s, edge) <= 0)
            continue;
        rate->cycle.n = 0;
        vec_push(arena, &rate->cycle, i);
        s.tokens = edge->tokens;
        s.cycles = (uint64_t)edge->latency;
    }
    while (s.tokens && improve(&s, arena, rate))
        ;
    uint64_t divisor = larger(1, common_divisor(s.tokens, s.cycles));
    rate->tokens = s.tokens / divisor;
    rate->cycles = s.cycles / divisor;
}

// Texts

const char *map_rate_text(struct arena *arena, const struct map *map,
                          const struct map_hardware *hardware, const struct map_graph *graph,
                          const struct map_rate *rate)
{
    const char *text = "";
    uint64_t tokens = 0;
    int64_t cycles = 0;
    for (uint32_t i = 0; i < rate->cycle.n; i++) {
        const struct map_edge *edge = &graph->edges.v[rate->cycle.v[i]];
        const char *from = map->nodes.v[edge->from].name.text;
        tokens += edge->tokens;
        cycles += edge->latency;
        if (edge->node == MAP_NO_NODE)
            text = arena_printf(arena, "%sinterval of %s", text, from);
        else if (edge->is_space)
            text = arena_printf(arena, "%s%sFIFO of %u between %s and %s", text, *text ? ", " : "",
                                map_capacity(hardware, &map->nodes.v[edge->node], edge->operand),
                                map->nodes.v[edge->to].name.text, from);
        else
            text = arena_printf(arena, "%s%s%s to %s", text, *text ? ", " : "", from,
                                map->nodes.v[edge->to].name.text);
    }
    return arena_printf(arena, "%s: %llu token%s in %lld cycles", text, (unsigned long long)tokens,
                        tokens == 1 ? "" : "s", (long long)cycles);
}
