#include "passes/blocks/select.h"
#include <stdlib.h>

enum { NONE = UINT32_MAX };

struct interval_node {
    struct block_span *span;
    uint32_t parent;
    double inside; // best saving of the spans within it
    bool covered;  // a chosen span without a condition contains it
};

static int outer_first(const void *a, const void *b)
{
    const struct block_span *x = ((const struct interval_node *)a)->span,
                            *y = ((const struct interval_node *)b)->span;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void find_parents(struct interval_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = i ? i - 1 : NONE;
        while (parent != NONE && nodes[parent].span->end <= nodes[i].span->begin)
            parent = nodes[parent].parent;
        nodes[i].parent = parent;
    }
}

static bool is_better(const struct interval_node *node)
{
    return node->span->weight > 0 && node->span->weight >= node->inside;
}

static void sum_up(struct interval_node *nodes, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (nodes[i].parent != NONE)
            nodes[nodes[i].parent].inside +=
                is_better(&nodes[i]) ? nodes[i].span->weight : nodes[i].inside;
}

static bool covers(const struct interval_node *node)
{
    return node->covered || (node->span->chosen && !node->span->conditional);
}

// A span loses to a chosen one within it, or otherwise to the innermost chosen one around it.
static void choose(struct interval_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct block_span *span = nodes[i].span;
        const struct interval_node *parent =
            nodes[i].parent == NONE ? NULL : &nodes[nodes[i].parent];
        nodes[i].covered = parent && covers(parent);
        span->rival = !parent ? NONE : parent->span->chosen ? nodes[i].parent : parent->span->rival;
        span->chosen = !nodes[i].covered && is_better(&nodes[i]);
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = nodes[i].parent, inside = nodes[i].span->rival;
        if (parent == NONE || nodes[i].covered || nodes[parent].span->chosen)
            continue;
        if (nodes[i].span->chosen)
            nodes[parent].span->rival = i;
        else if (inside != NONE && inside > i)
            nodes[parent].span->rival = inside;
    }
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i].span->chosen)
            nodes[i].span->rival = NONE;
}

void select_best(struct arena *scratch, struct block_span *spans, uint32_t count)
{
    struct interval_node *nodes = ARENA_ARRAY(scratch, struct interval_node, count + 1);
    for (uint32_t i = 0; i < count; i++)
        nodes[i].span = &spans[i];
    if (count)
        qsort(nodes, count, sizeof *nodes, outer_first);
    find_parents(nodes, count);
    sum_up(nodes, count);
    choose(nodes, count);
    for (uint32_t i = 0; i < count; i++)
        if (spans[i].rival != NONE)
            spans[i].rival = (uint32_t)(nodes[spans[i].rival].span - spans);
}
