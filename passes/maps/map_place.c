#include "passes/maps/map_place.h"
#include "support/bits.h"
#include <stdlib.h>

struct map_placing {
    struct arena *arena;
    const struct map_hardware *hardware;
    const struct map *map;
    struct map_order_problem problem;
    struct map_order order;
    struct map_placement *to;
};

// Cores and units are spread evenly: unit u follows core (u + 1) · cores / units − 1.
bool map_position_is_lsu(const struct map_hardware *hardware, uint32_t position)
{
    uint64_t cores = hardware->cores, lsus = hardware->lsus,
             unit = position * lsus / (cores + lsus);
    for (unit = unit ? unit - 1 : 0; unit < lsus; unit++) {
        uint64_t at = (unit + 1) * cores / lsus + unit;
        if (at >= position)
            return at == position;
    }
    return false;
}

// The problem

static void add_edges(struct map_order_problem *p, const struct map *map, uint32_t number)
{
    EACH_FIFO (at, &map->nodes.v[number]) {
        uint32_t from = map_operand(&map->nodes.v[number], at)->from;
        if (from == number)
            continue;
        p->producers[number] |= UINT64_C(1) << from;
        p->consumers[from] |= UINT64_C(1) << number;
    }
}

// Finds the producers that come after a consumer, in an order of the nodes by edges without tokens.
static uint64_t find_back(const struct map *map)
{
    uint64_t placed = 0, back = 0, all = UINT64_MAX >> (64 - map->nodes.n);
    while (placed != all)
        for (uint32_t i = 0; i < map->nodes.n; i++) {
            uint64_t ahead = 0, empty = 0;
            EACH_FIFO (at, &map->nodes.v[i]) {
                uint64_t from = UINT64_C(1) << map_operand(&map->nodes.v[i], at)->from;
                ahead |= from;
                empty |= map_tokens(&map->nodes.v[i], at) ? 0 : from;
            }
            if (placed >> i & 1 || empty & ~placed)
                continue;
            back |= ahead & ~placed & ~(UINT64_C(1) << i);
            placed |= UINT64_C(1) << i;
        }
    return back;
}

static void make_problem(struct map_placing *p)
{
    uint32_t ring = p->hardware->cores + p->hardware->lsus;
    p->problem = (struct map_order_problem){.nodes = p->map->nodes.n, .states = p->problem.states};
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint32_t *next = p->problem.next[kind] = ARENA_ARRAY(p->arena, uint32_t, ring + 1);
        next[ring] = ring;
        for (uint32_t at = ring; at--;)
            next[at] = map_position_is_lsu(p->hardware, at) == kind ? at : next[at + 1];
    }
    for (uint32_t i = 0; i < p->map->nodes.n; i++) {
        if (p->map->nodes.v[i].kind != MAP_CORE)
            p->problem.lsus |= UINT64_C(1) << i;
        add_edges(&p->problem, p->map, i);
    }
    p->problem.back = find_back(p->map);
}

// The results of all producers of a node cross the gap before it, each on a lane of its own.
static uint32_t min_lanes(const struct map_order_problem *p)
{
    uint32_t min = 0;
    for (uint32_t i = 0; i < p->nodes; i++) {
        uint32_t producers = bits_count(p->producers[i]);
        min = producers > min ? producers : min;
    }
    return min;
}

// Arcs

static void set_positions(struct map_placing *p)
{
    uint32_t n = p->problem.nodes, share = p->to->positions / p->to->copies;
    for (uint32_t copy = 0; copy < p->to->copies; copy++) {
        uint32_t cursor = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t node = p->order.node[i];
            cursor = map_order_position(&p->problem, node, cursor);
            p->to->position[copy * n + node] = copy * share + cursor++;
        }
    }
}

// Returns the distance in the ring's direction.
static uint32_t distance(const struct map_placement *to, uint32_t from, uint32_t at)
{
    return at >= from ? at - from : at + to->positions - from;
}

static void add_arc(struct map_placing *p, uint32_t copy, uint32_t node)
{
    const uint32_t *position = p->to->position + copy * p->problem.nodes;
    struct map_arc arc = {.from = node, .to = MAP_NO_NODE, .begin = position[node], .copy = copy};
    for (uint64_t rest = p->problem.consumers[node]; rest; rest &= rest - 1) {
        uint32_t to = (uint32_t)__builtin_ctzll(rest);
        if (arc.to == MAP_NO_NODE ||
            distance(p->to, arc.begin, position[to]) > distance(p->to, arc.begin, position[arc.to]))
            arc.to = to;
    }
    if (arc.to == MAP_NO_NODE)
        return;
    arc.end = position[arc.to];
    vec_push(p->arena, &p->to->arcs, arc);
}

// Returns true if two arcs share a gap.
static bool overlap(const struct map_placement *to, const struct map_arc *a,
                    const struct map_arc *b)
{
    return distance(to, a->begin, b->begin) < distance(to, a->begin, a->end) ||
           distance(to, b->begin, a->begin) < distance(to, b->begin, b->end);
}

// Assigns lanes: arcs that share a gap get different ones. Tries all assignments, up to `budget`
// steps.
static bool assign_lane(struct map_placement *to, uint32_t number, uint32_t lanes, uint32_t *budget)
{
    if (number == to->arcs.n)
        return true;
    struct map_arc *arc = &to->arcs.v[number];
    uint32_t taken = 0, used = 0;
    for (uint32_t i = 0; i < number; i++) {
        used |= 1u << to->arcs.v[i].lane;
        if (overlap(to, arc, &to->arcs.v[i]))
            taken |= 1u << to->arcs.v[i].lane;
    }
    for (uint32_t lane = 0; lane < lanes && *budget; lane++) {
        bool fresh = !(used >> lane & 1);
        if (taken >> lane & 1)
            continue;
        --*budget;
        arc->lane = lane;
        if (assign_lane(to, number + 1, lanes, budget))
            return true;
        if (fresh) // other unused lanes are equivalent
            break;
    }
    return false;
}

// Arcs over position 0 come first, then those with the lowest start.
static int compare_arcs(const void *a, const void *b)
{
    const struct map_arc *x = a, *y = b;
    bool x_wraps = x->end < x->begin, y_wraps = y->end < y->begin;
    if (x_wraps != y_wraps)
        return x_wraps ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool assign_lanes(struct map_placing *p, uint32_t from)
{
    enum { STEPS = 200000 };
    p->to->arcs.n = 0;
    for (uint32_t copy = 0; copy < p->to->copies; copy++)
        for (uint32_t i = 0; i < p->problem.nodes; i++)
            add_arc(p, copy, i);
    if (p->to->arcs.n)
        qsort(p->to->arcs.v, p->to->arcs.n, sizeof *p->to->arcs.v, compare_arcs);
    for (p->to->lanes = from; p->to->lanes <= p->hardware->lanes; p->to->lanes++) {
        uint32_t budget = STEPS;
        if (assign_lane(p->to, 0, p->to->lanes, &budget))
            return true;
    }
    return false;
}

// Copies

// Each copy gets a share of whole tiles: the cores between two units, and the unit after them.
static void share_ring(struct map_placing *p, uint32_t copies)
{
    p->to->copies = p->problem.copies = copies;
    p->to->positions = p->hardware->cores + p->hardware->lsus;
    p->problem.positions = p->to->positions / copies;
    p->to->position = ARENA_ARRAY(p->arena, uint32_t, copies * p->problem.nodes);
}

static const char *place_copies(struct map_placing *p, uint32_t copies)
{
    share_ring(p, copies);
    p->to->min = min_lanes(&p->problem);
    bool proven = true;
    for (uint32_t lanes = p->to->min; lanes <= p->hardware->lanes; lanes++) {
        bool found = map_order_find(&p->order, p->arena, &p->problem, lanes);
        p->to->states += p->order.states;
        proven &= !p->order.is_cut;
        p->to->min = found ? p->to->min : proven ? lanes + 1 : p->to->min;
        if (!found)
            continue;
        set_positions(p);
        if (assign_lanes(p, lanes))
            return NULL;
    }
    return arena_printf(p->arena,
                        proven ? "no placement of %u cop%s needs %u lanes or fewer"
                               : "no placement of %u cop%s with %u lanes or fewer was found",
                        copies, copies == 1 ? "y" : "ies", p->hardware->lanes);
}

// A narrow search finds orders that a wide one does not reach.
static const char *place_widely(struct map_placing *p, uint32_t copies)
{
    uint32_t states = p->problem.states;
    const char *fault = place_copies(p, copies);
    if (!fault || states <= MAP_STATES_FEW)
        return fault;
    p->problem.states = MAP_STATES_FEW;
    fault = place_copies(p, copies);
    p->problem.states = states;
    return fault;
}

static uint32_t max_copies(const struct map_hardware *hardware, const struct map *map)
{
    struct map_counts counts = map_count(map);
    const uint32_t needs[] = {counts.cores, counts.lsus, counts.sfus};
    const uint32_t room[] = {hardware->cores, hardware->lsus, hardware->sfus};
    uint32_t max = hardware->cores + hardware->lsus;
    for (uint32_t i = 0; i < 3; i++)
        if (needs[i] && room[i] / needs[i] < max)
            max = room[i] / needs[i];
    return max;
}

const char *map_place(struct map_placement *placement, struct arena *arena,
                      const struct map_hardware *hardware, const struct map *map, uint32_t copies,
                      uint32_t states)
{
    struct map_placing p = {.arena = arena,
                            .hardware = hardware,
                            .map = map,
                            .to = placement,
                            .problem = {.states = states}};
    uint32_t node, max = max_copies(hardware, map);
    struct map_hardware own = map_hardware_of(hardware, map, 1);
    const char *fault = map_misfit(arena, &own, map, &node);
    *placement = (struct map_placement){0};
    if (fault)
        return fault;
    if (map->nodes.n > MAP_ORDER_NODES)
        return arena_printf(arena, "the map has %u nodes, but the mapper can place only %u",
                            map->nodes.n, (uint32_t)MAP_ORDER_NODES);
    if (copies > max)
        return arena_printf(arena, "%u copies of the map are requested, but only %u fit", copies,
                            max);
    make_problem(&p);
    for (uint32_t i = copies ? copies : max; i; i--) {
        own = map_hardware_of(hardware, map, i);
        fault = map_misfit(arena, &own, map, &node);
        fault = fault ? fault : place_widely(&p, i);
        if (!fault || copies)
            return fault;
    }
    return fault;
}
