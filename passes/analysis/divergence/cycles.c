// The algorithm of Johnson, Pearson and Pingali (The Program Structure Tree, PLDI 1994, figure 4).
// In an undirected depth-first tree, two tree edges are cycle equivalent exactly if the same back
// edges, their brackets, span both. The brackets of each tree edge form a list with the innermost
// one on top; top and size identify the set. Where two subtrees with brackets merge, a capping
// bracket is added so that the top stays unique.
#include "passes/analysis/divergence/regions.h"

enum { NONE = UINT32_MAX };

// A list of brackets; a bracket is an edge, or `edge count` + node for the capping one of a node.
struct cycle_list {
    uint32_t top, bottom, size;
};

struct cycles {
    const struct cycle_edge *edges;
    uint32_t nodes, count, class_count;
    uint32_t *classes;
    uint32_t *incident_at, *incident; // edges of each node
    uint32_t *number, *node_of;       // depth-first number and its inverse; the root has 0
    uint32_t *parent_edge;
    uint32_t *up, *next_up;     // per node: back edges that go up from it
    uint32_t *down, *next_down; // per node: back edges and capping brackets that end at it
    uint32_t *above, *below;    // neighbours of a bracket in its list
    uint32_t *recent_size, *recent_class;
    uint32_t *high1, *high2; // of a node's children: the two smallest numbers that brackets reach
    struct cycle_list *lists;
};

static uint32_t *filled(struct arena *arena, uint32_t count)
{
    uint32_t *array = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        array[i] = NONE;
    return array;
}

static void list_incident(struct cycles *c, struct arena *arena)
{
    c->incident_at = ARENA_ARRAY(arena, uint32_t, c->nodes + 2);
    c->incident = ARENA_ARRAY(arena, uint32_t, c->count * 2 + 1);
    uint32_t *at = c->incident_at + 1; // one row ahead, so that filling leaves row starts
    for (uint32_t i = 0; i < c->count; i++) {
        at[c->edges[i].from]++;
        at[c->edges[i].to]++;
    }
    for (uint32_t i = 0, sum = 0; i < c->nodes; i++) {
        uint32_t row = at[i];
        at[i] = sum;
        sum += row;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        c->incident[at[c->edges[i].from]++] = i;
        c->incident[at[c->edges[i].to]++] = i;
    }
}

// A back edge is always found from its lower end first.
static void note_back_edge(struct cycles *c, uint32_t edge, uint32_t lower, uint32_t upper)
{
    c->next_up[edge] = c->up[lower];
    c->up[lower] = edge;
    c->next_down[edge] = c->down[upper];
    c->down[upper] = edge;
}

static void walk(struct cycles *c, struct arena *arena)
{
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, c->nodes + 1);
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, c->nodes + 1);
    uint8_t *used = ARENA_ARRAY(arena, uint8_t, c->count + 1);
    uint32_t depth = 0, reached = 0;
    for (uint32_t i = 0; i < c->nodes; i++)
        next[i] = c->incident_at[i];
    c->node_of[reached] = 0;
    c->number[0] = reached++;
    stack[depth++] = 0;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next[node] == c->incident_at[node + 1]) {
            depth--;
            continue;
        }
        uint32_t edge = c->incident[next[node]++];
        if (used[edge])
            continue;
        used[edge] = 1;
        uint32_t other = c->edges[edge].from == node ? c->edges[edge].to : c->edges[edge].from;
        if (other == node) {
            c->classes[edge] = c->class_count++;
        } else if (c->number[other] != NONE) {
            note_back_edge(c, edge, node, other);
        } else {
            c->parent_edge[other] = edge;
            c->node_of[reached] = other;
            c->number[other] = reached++;
            stack[depth++] = other;
        }
    }
}

static void push(struct cycles *c, struct cycle_list *list, uint32_t bracket)
{
    c->above[bracket] = NONE;
    c->below[bracket] = list->top;
    if (list->size)
        c->above[list->top] = bracket;
    else
        list->bottom = bracket;
    list->top = bracket;
    list->size++;
}

static void remove_bracket(struct cycles *c, struct cycle_list *list, uint32_t bracket)
{
    uint32_t above = c->above[bracket], below = c->below[bracket];
    if (above == NONE)
        list->top = below;
    else
        c->below[above] = below;
    if (below == NONE)
        list->bottom = above;
    else
        c->above[below] = above;
    list->size--;
}

static void append(struct cycles *c, struct cycle_list *list, const struct cycle_list *more)
{
    if (!more->size)
        return;
    if (!list->size) {
        *list = *more;
        return;
    }
    c->below[list->bottom] = more->top;
    c->above[more->top] = list->bottom;
    list->bottom = more->bottom;
    list->size += more->size;
}

static void end_brackets(struct cycles *c, uint32_t node)
{
    for (uint32_t i = c->down[node]; i != NONE; i = c->next_down[i]) {
        remove_bracket(c, &c->lists[node], i);
        if (i < c->count && c->classes[i] == NONE)
            c->classes[i] = c->class_count++;
    }
}

// Returns the smallest number that a back edge from the node itself reaches.
static uint32_t begin_brackets(struct cycles *c, uint32_t node)
{
    uint32_t high = NONE;
    for (uint32_t i = c->up[node]; i != NONE; i = c->next_up[i]) {
        uint32_t from = c->edges[i].from, upper = from == node ? c->edges[i].to : from;
        if (c->number[upper] < high)
            high = c->number[upper];
        push(c, &c->lists[node], i);
    }
    return high;
}

static void cap(struct cycles *c, uint32_t node, uint32_t high)
{
    uint32_t reach = c->high2[node];
    if (reach >= high || reach >= c->number[node])
        return;
    uint32_t bracket = c->count + node, upper = c->node_of[reach];
    push(c, &c->lists[node], bracket);
    c->next_down[bracket] = c->down[upper];
    c->down[upper] = bracket;
}

static void name_parent_edge(struct cycles *c, uint32_t node)
{
    uint32_t edge = c->parent_edge[node];
    const struct cycle_list *list = &c->lists[node];
    if (!list->size) { // a bridge
        c->classes[edge] = c->class_count++;
        return;
    }
    uint32_t top = list->top;
    if (c->recent_size[top] != list->size) {
        c->recent_size[top] = list->size;
        c->recent_class[top] = c->class_count++;
    }
    c->classes[edge] = c->recent_class[top];
    if (list->size == 1 && top < c->count)
        c->classes[top] = c->classes[edge];
}

static void hand_up(struct cycles *c, uint32_t node, uint32_t high)
{
    const struct cycle_edge *edge = &c->edges[c->parent_edge[node]];
    uint32_t parent = edge->from == node ? edge->to : edge->from;
    if (high < c->high1[parent]) {
        c->high2[parent] = c->high1[parent];
        c->high1[parent] = high;
    } else if (high < c->high2[parent]) {
        c->high2[parent] = high;
    }
    append(c, &c->lists[parent], &c->lists[node]);
}

static void allocate(struct cycles *c, struct arena *arena)
{
    uint32_t brackets = c->count + c->nodes;
    c->number = filled(arena, c->nodes);
    c->node_of = filled(arena, c->nodes);
    c->parent_edge = filled(arena, c->nodes);
    c->up = filled(arena, c->nodes);
    c->down = filled(arena, c->nodes);
    c->high1 = filled(arena, c->nodes);
    c->high2 = filled(arena, c->nodes);
    c->next_up = filled(arena, c->count);
    c->next_down = filled(arena, brackets);
    c->above = filled(arena, brackets);
    c->below = filled(arena, brackets);
    c->recent_size = filled(arena, brackets);
    c->recent_class = filled(arena, brackets);
    c->lists = ARENA_ARRAY(arena, struct cycle_list, c->nodes + 1);
    for (uint32_t i = 0; i < c->nodes; i++)
        c->lists[i] = (struct cycle_list){NONE, NONE, 0};
}

uint32_t cycle_classes(struct arena *scratch, uint32_t nodes, const struct cycle_edge *edges,
                       uint32_t count, uint32_t *classes)
{
    struct cycles cycles = {.edges = edges, .nodes = nodes, .count = count, .classes = classes};
    for (uint32_t i = 0; i < count; i++)
        classes[i] = NONE;
    if (!nodes)
        return 0;
    allocate(&cycles, scratch);
    list_incident(&cycles, scratch);
    walk(&cycles, scratch);
    for (uint32_t i = nodes; i-- > 0;) {
        uint32_t node = cycles.node_of[i];
        if (node == NONE)
            continue;
        end_brackets(&cycles, node);
        uint32_t high = begin_brackets(&cycles, node);
        cap(&cycles, node, high);
        if (!node)
            break;
        name_parent_edge(&cycles, node);
        hand_up(&cycles, node, cycles.high1[node] < high ? cycles.high1[node] : high);
    }
    return cycles.class_count;
}
