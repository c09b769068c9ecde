// A circular order is a set of wrapping producers, whose arcs pass the first gap, and a sequence of
// the nodes. A state is the set of placed nodes and the set of wrapping producers whose arc has
// ended. The order of the placed nodes affects the others only by the ring position that is
// reached, of which the minimum is kept. States of one size are a layer (dynamic programming).
#include "passes/maps/map_place.h"
#include "support/bits.h"
#include <stdlib.h>
#include <string.h>

enum { BEAM_PART = 100 }; // a layer keeps 1 / BEAM_PART of the states

struct order_state {
    uint64_t placed, closed;
    uint32_t cursor; // ring positions in use
    uint32_t before; // its predecessor in the previous layer
    uint32_t arcs;   // over the gap after the placed nodes
    uint8_t node;    // the node placed last
};

struct order_layer {
    struct order_state *list;
    uint32_t count, capacity;
    uint32_t *table; // by hash: number + 1, or 0
    uint32_t mask;
};

struct order_search {
    const struct map_order_problem *p;
    struct arena arena; // of the layers
    struct map_order *order;
    uint64_t wraps; // wrapping producers
    uint32_t max;   // maximum number of arcs over a gap
    bool beam;
    uint32_t *cores_left; // by position: number of cores from there on
    struct order_layer layers[MAP_ORDER_NODES + 1];
};

uint32_t map_order_position(const struct map_order_problem *p, uint32_t node, uint32_t from)
{
    uint32_t next = p->next[p->lsus >> node & 1][from];
    return next < p->positions ? next : p->positions;
}

// Layers

static uint32_t hash_of(uint64_t placed, uint64_t closed)
{
    uint64_t x = (placed ^ closed * UINT64_C(0xc2b2ae3d27d4eb4f)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15); // each bit changes the low ones
    return (uint32_t)(x >> 32);
}

static void grow_table(struct order_search *s, struct order_layer *layer)
{
    uint32_t size = layer->mask ? (layer->mask + 1) * 2 : 64;
    layer->table = ARENA_ARRAY(&s->arena, uint32_t, size);
    layer->mask = size - 1;
    for (uint32_t i = 0; i < layer->count; i++) {
        uint32_t at = hash_of(layer->list[i].placed, layer->list[i].closed) & layer->mask;
        while (layer->table[at])
            at = (at + 1) & layer->mask;
        layer->table[at] = i + 1;
    }
}

// Clears the layers. Keeps their memory if it is small, because most searches end soon.
static void clear_layers(struct order_search *s)
{
    enum { SMALL = 255 };
    bool is_small = true;
    for (uint32_t depth = 0; depth <= s->p->nodes; depth++)
        is_small &= s->layers[depth].mask <= SMALL;
    if (!is_small) {
        arena_free(&s->arena);
        memset(s->layers, 0, sizeof s->layers);
        return;
    }
    for (struct order_layer *layer = s->layers; layer <= &s->layers[s->p->nodes]; layer++) {
        layer->count = 0;
        if (layer->table)
            memset(layer->table, 0, (layer->mask + 1) * sizeof *layer->table);
    }
}

// Adds a state. Of equal states, the one with the minimum cursor is kept.
static void add_state(struct order_search *s, struct order_layer *layer,
                      const struct order_state *state)
{
    if (layer->count * 2 >= layer->mask)
        grow_table(s, layer);
    uint32_t at = hash_of(state->placed, state->closed) & layer->mask;
    for (; layer->table[at]; at = (at + 1) & layer->mask) {
        struct order_state *known = &layer->list[layer->table[at] - 1];
        if (known->placed != state->placed || known->closed != state->closed)
            continue;
        if (state->cursor < known->cursor)
            *known = *state;
        return;
    }
    if (layer->count == layer->capacity) {
        uint32_t capacity = layer->capacity ? layer->capacity * 2 : 64;
        layer->list = arena_grow(&s->arena, layer->list, layer->capacity * sizeof *layer->list,
                                 capacity * sizeof *layer->list);
        layer->capacity = capacity;
    }
    layer->list[layer->count++] = *state;
    layer->table[at] = layer->count;
}

// Counts the arcs over the gap after the placed nodes.
static uint32_t count_arcs(const struct order_search *s, uint64_t placed, uint64_t closed)
{
    uint32_t arcs = bits_count(s->wraps & (placed | ~closed));
    for (uint64_t rest = placed & ~s->wraps; rest; rest &= rest - 1)
        arcs += (s->p->consumers[__builtin_ctzll(rest)] & ~placed) != 0;
    return arcs;
}

// Returns true if the nodes that are not placed fit at and after the cursor.
static bool has_room(const struct order_search *s, uint64_t placed, uint32_t cursor)
{
    const struct map_order_problem *p = s->p;
    uint64_t rest = ~placed & (UINT64_MAX >> (64 - p->nodes));
    uint32_t cores = s->cores_left[cursor], lsus = p->positions - cursor - cores;
    return bits_count(rest & ~p->lsus) <= cores && bits_count(rest & p->lsus) <= lsus;
}

// Places a node after a state, for each choice of wrapping arcs that end at it.
static void place_node(struct order_search *s, uint32_t depth, uint32_t before, uint32_t node)
{
    const struct map_order_problem *p = s->p;
    const struct order_state from = s->layers[depth].list[before];
    uint64_t ahead = p->producers[node] & ~from.placed;
    if (ahead & ~(s->wraps & ~from.closed))
        return;
    uint32_t position = map_order_position(p, node, from.cursor);
    if (position >= p->positions || !has_room(s, from.placed | UINT64_C(1) << node, position + 1))
        return;
    struct order_state next = {.placed = from.placed | UINT64_C(1) << node,
                               .cursor = position + 1,
                               .before = before,
                               .node = (uint8_t)node};
    // Only wrapping arcs cross the last gap.
    for (uint64_t ends = ahead;; ends = (ends - 1) & ahead) {
        next.closed = from.closed | ends;
        next.arcs = count_arcs(s, next.placed, next.closed);
        if (depth + 1 == p->nodes || next.arcs <= s->max)
            add_state(s, &s->layers[depth + 1], &next);
        if (!ends)
            break;
    }
}

// States with few arcs come first.
static int compare_states(const void *a, const void *b)
{
    const struct order_state *x = a, *y = b;
    if (x->arcs != y->arcs)
        return x->arcs < y->arcs ? -1 : 1;
    if (x->cursor != y->cursor)
        return x->cursor < y->cursor ? -1 : 1;
    if (x->placed != y->placed)
        return x->placed < y->placed ? -1 : 1;
    return x->closed < y->closed ? -1 : x->closed > y->closed;
}

static void cut_layer(struct order_search *s, struct order_layer *layer)
{
    uint32_t max = s->p->states / BEAM_PART;
    if (layer->count <= max)
        return;
    qsort(layer->list, layer->count, sizeof *layer->list, compare_states);
    layer->count = max;
    s->order->is_cut = true;
}

static void read_back(struct order_search *s)
{
    uint32_t at = 0;
    for (uint32_t depth = s->p->nodes; depth; depth--) {
        const struct order_state *state = &s->layers[depth].list[at];
        s->order->node[depth - 1] = state->node;
        at = state->before;
    }
    s->order->wraps = bits_count(s->wraps);
}

// Returns true if an order with these wrapping producers is found.
static bool search(struct order_search *s)
{
    struct order_state first = {0};
    bool found = false;
    clear_layers(s);
    add_state(s, &s->layers[0], &first);
    for (uint32_t depth = 0; depth < s->p->nodes && s->order->states < s->p->states; depth++) {
        struct order_layer *layer = &s->layers[depth];
        if (s->beam)
            cut_layer(s, layer);
        s->order->states += layer->count;
        for (uint32_t i = 0; i < layer->count; i++)
            for (uint64_t rest = ~layer->list[i].placed & (UINT64_MAX >> (64 - s->p->nodes)); rest;
                 rest &= rest - 1)
                place_node(s, depth, i, (uint32_t)__builtin_ctzll(rest));
        found = depth + 1 == s->p->nodes && s->layers[depth + 1].count;
    }
    if (found)
        read_back(s);
    return found;
}

// Wrapping producers

// Tries each set of `count` producers from number `from` on, added to s->wraps.
static bool try_sets(struct order_search *s, uint32_t from, uint32_t count)
{
    if (!count)
        return search(s);
    for (uint32_t i = from; i < s->p->nodes && s->order->states < s->p->states; i++) {
        if (!s->p->consumers[i])
            continue;
        s->wraps |= UINT64_C(1) << i;
        if (try_sets(s, i + 1, count - 1))
            return true;
        s->wraps &= ~(UINT64_C(1) << i);
    }
    return false;
}

static bool find_order(struct order_search *s, uint32_t lanes)
{
    const struct map_order_problem *problem = s->p;
    // Arcs that wrap cross the other copies, too.
    for (uint32_t wraps = 0; wraps * problem->copies <= lanes; wraps++) {
        s->wraps = 0;
        s->max = lanes - wraps * (problem->copies - 1);
        if (try_sets(s, 0, wraps))
            return true;
    }
    if (s->order->states < problem->states)
        return false;
    // Too many states: keep the best of each layer, with the wrapping producers of an order that
    // follows the edges without tokens.
    uint32_t wraps = bits_count(problem->back);
    *s->order = (struct map_order){.is_cut = true};
    s->beam = true;
    s->wraps = problem->back;
    if (wraps * problem->copies > lanes)
        return false;
    s->max = lanes - wraps * (problem->copies - 1);
    return search(s);
}

bool map_order_find(struct map_order *order, struct arena *arena,
                    const struct map_order_problem *problem, uint32_t lanes)
{
    struct order_search s = {.p = problem, .order = order};
    *order = (struct map_order){0};
    arena_init(&s.arena, arena->memory);
    s.cores_left = ARENA_ARRAY(arena, uint32_t, problem->positions + 1);
    for (uint32_t at = problem->positions; at--;)
        s.cores_left[at] = s.cores_left[at + 1] + (problem->next[false][at] == at);
    bool found = find_order(&s, lanes);
    arena_free(&s.arena);
    return found;
}
