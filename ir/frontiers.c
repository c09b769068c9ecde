// A join block is in the frontier of every block from each of its predecessors up to, and without,
// its immediate dominator. So the frontier of a block consists of the join blocks that are the
// targets of edges from the subtree that it dominates, unless they are deeper than the block.
//
// Edges are in the order of a walk over the dominator tree, in which a subtree is a range. Each
// edge has the minimum level of the blocks for which it counts; above the point where the paths of
// two edges to one join block merge, only the first edge counts. A query finds, with a tree of
// minima, the edges of the range with at most the level of the block whose targets are the
// requested join blocks.
#include "ir/internal.h"

struct minima {
    uint32_t count;
    uint32_t *min; // node i has the children 2 i and 2 i + 1; leaves are consecutive from `count`
                   // on
};

struct frontiers {
    const struct ir_function *fn;
    const uint32_t *level;
    uint32_t *position; // per block: its position in the walk
    uint32_t *first;    // per position: its first edge; after the last one, the end
    uint32_t *join;     // target of each edge
    struct minima edges;
    uint32_t *low, *high; // per node of the tree: range of the join blocks
};

static struct minima minima_new(struct arena *arena, uint32_t count)
{
    uint32_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    struct minima m = {leaves, ARENA_ARRAY(arena, uint32_t, 2 * leaves)};
    for (uint32_t i = 0; i < 2 * leaves; i++)
        m.min[i] = UINT32_MAX;
    return m;
}

static void minima_build(struct minima *m)
{
    for (uint32_t i = m->count; i-- > 1;)
        m->min[i] = m->min[2 * i] < m->min[2 * i + 1] ? m->min[2 * i] : m->min[2 * i + 1];
}

// Returns the minimum of the leaves [first, end).
static uint32_t minima_of(const struct minima *m, uint32_t first, uint32_t end)
{
    uint32_t min = UINT32_MAX;
    for (first += m->count, end += m->count; first < end; first /= 2, end /= 2) {
        if (first & 1) {
            min = m->min[first] < min ? m->min[first] : min;
            first++;
        }
        if (end & 1) {
            end--;
            min = m->min[end] < min ? m->min[end] : min;
        }
    }
    return min;
}

// Returns the reachable blocks in the order of the walk.
static uint32_t *walk_order(struct arena *arena, const struct ir_function *fn)
{
    uint32_t times = 2 * fn->blocks.n + 2, n = 0;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, fn->rpo.n + 1);
    uint32_t *at = ARENA_ARRAY(arena, uint32_t, times); // per entry time: block + 1
    for (uint32_t i = 0; i < fn->rpo.n; i++)
        at[fn->blocks.v[fn->rpo.v[i]].dom_in] = fn->rpo.v[i] + 1;
    for (uint32_t i = 0; i < times; i++)
        if (at[i])
            order[n++] = at[i] - 1;
    return order;
}

static bool is_listed(const struct ir_function *fn, uint32_t block, uint32_t join)
{
    return fn->blocks.v[join].idom != block;
}

static uint32_t count_edges(const struct ir_function *fn)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fn->rpo.n; i++)
        for (uint32_t k = 0; k < fn->blocks.v[fn->rpo.v[i]].succ_count; k++)
            count += is_listed(fn, fn->rpo.v[i], ir_succs(fn, fn->rpo.v[i])[k]);
    return count;
}

static void measure_joins(struct frontiers *f, struct arena *arena, uint32_t count)
{
    uint32_t leaves = f->edges.count;
    f->low = ARENA_ARRAY(arena, uint32_t, 2 * leaves);
    f->high = ARENA_ARRAY(arena, uint32_t, 2 * leaves);
    for (uint32_t i = 0; i < leaves; i++) {
        f->low[leaves + i] = i < count ? f->join[i] : UINT32_MAX;
        f->high[leaves + i] = i < count ? f->join[i] : 0;
    }
    for (uint32_t i = leaves; i-- > 1;) {
        f->low[i] = f->low[2 * i] < f->low[2 * i + 1] ? f->low[2 * i] : f->low[2 * i + 1];
        f->high[i] = f->high[2 * i] > f->high[2 * i + 1] ? f->high[2 * i] : f->high[2 * i + 1];
    }
}

struct frontiers *frontiers_new(struct arena *arena, const struct ir_function *fn,
                                const uint32_t *level)
{
    struct frontiers *f = ARENA_NEW(arena, struct frontiers);
    uint32_t *order = walk_order(arena, fn), count = fn->rpo.n, edge = 0;
    uint32_t *seen = ARENA_ARRAY(arena, uint32_t, fn->blocks.n); // per join block: position + 1
    uint32_t edges = count_edges(fn);
    struct minima levels = minima_new(arena, count);
    *f = (struct frontiers){.fn = fn, .level = level, .edges = minima_new(arena, edges)};
    f->position = ARENA_ARRAY(arena, uint32_t, fn->blocks.n);
    f->first = ARENA_ARRAY(arena, uint32_t, count + 1);
    f->join = ARENA_ARRAY(arena, uint32_t, edges + 1);
    for (uint32_t i = 0; i < count; i++)
        levels.min[levels.count + i] = level[order[i]];
    minima_build(&levels);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = order[i];
        f->position[block] = i;
        f->first[i] = edge;
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++) {
            uint32_t join = ir_succs(fn, block)[k], before = seen[join], from = level[join];
            if (!is_listed(fn, block, join) || before == i + 1)
                continue;
            // Only below the block where the paths from both predecessors merge.
            uint32_t meets = before ? minima_of(&levels, before, i + 1) : 0;
            f->edges.min[f->edges.count + edge] = meets > from ? meets : from;
            f->join[edge++] = join;
            seen[join] = i + 1;
        }
    }
    f->first[count] = edge;
    minima_build(&f->edges);
    measure_joins(f, arena, edge);
    return f;
}

struct query {
    const struct frontiers *of;
    struct arena *arena;
    uint32_t first, end, max; // range of edges; maximum level
    struct block_range joins;
    struct frontier_list *list;
};

// Lists the edges at the `width` leaves below a node, the first of which is `from`.
static void list_edges(const struct query *q, uint32_t node, uint32_t from, uint32_t width)
{
    const struct minima *m = &q->of->edges;
    bool outside = q->of->low[node] > q->joins.last || q->of->high[node] < q->joins.first;
    if (from >= q->end || from + width <= q->first || m->min[node] > q->max || outside)
        return;
    if (node >= m->count) {
        vec_push(q->arena, &q->list->blocks, q->of->join[from]);
        return;
    }
    list_edges(q, 2 * node, from, width / 2);
    list_edges(q, 2 * node + 1, from + width / 2, width / 2);
}

void frontiers_find(const struct frontiers *f, struct arena *arena, uint32_t block,
                    struct block_range joins, struct frontier_list *list)
{
    const struct ir_block *at = &f->fn->blocks.v[block];
    uint32_t size = (at->dom_out - at->dom_in + 1) / 2, position = f->position[block];
    struct query query = {.of = f,
                          .arena = arena,
                          .first = f->first[position],
                          .end = f->first[position + size],
                          .max = f->level[block],
                          .joins = joins,
                          .list = list};
    list_edges(&query, 1, 0, f->edges.count);
}
