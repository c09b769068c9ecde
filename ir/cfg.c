// Edges, reverse post-order, dominators and post-dominators, natural loops.
#include "ir/internal.h"
#include <stdlib.h>
#include <string.h>

// Edges

static void block_targets(struct ir_function *fn, uint32_t block, uint32_t *next_target,
                          void (*put)(void *, uint32_t, uint32_t), void *data)
{
    const struct ir_block *b = &fn->blocks.v[block];
    const struct ir_inst *last = b->first < b->end ? &fn->insts.v[b->end - 1] : NULL;
    bool ends = last && (last->flags & INST_TERMINATOR);
    bool falls_through = !ends || (last->flags & INST_GUARDED);
    if (ends && last->class == CLASS_BRANCH)
        for (uint32_t i = 0; i < last->operand_count; i++) {
            const struct ir_operand *operand = &fn->operands.v[last->operands + i];
            if (operand->role == ROLE_LABEL && operand->kind == OPERAND_LABEL)
                put(data, block, operand->index);
        }
    for (; *next_target < fn->targets.n && fn->targets.v[*next_target].inst < b->end;
         ++*next_target)
        put(data, block, fn->targets.v[*next_target].block);
    if (falls_through && block + 1 < fn->blocks.n)
        put(data, block, block + 1);
}

struct edge_list {
    struct arena *arena;
    VEC(uint64_t) pairs; // from << 32 | to
    uint32_t *seen;      // per block: last source with an edge to it, + 1
};

static void put_edge(void *data, uint32_t from, uint32_t to)
{
    struct edge_list *list = data;
    if (list->seen[to] == from + 1)
        return; // parallel edges are represented once
    list->seen[to] = from + 1;
    vec_push(list->arena, &list->pairs, (uint64_t)from << 32 | to);
}

void ir_build_edges(struct ir_work *work, struct ir_function *fn)
{
    struct arena *scratch = &work->scratch;
    uint32_t count = fn->blocks.n, next_target = 0;
    struct edge_list list = {.arena = scratch, .seen = ARENA_ARRAY(scratch, uint32_t, count)};
    for (uint32_t i = 0; i < count; i++)
        block_targets(fn, i, &next_target, put_edge, &list);
    uint32_t *pred_counts = ARENA_ARRAY(scratch, uint32_t, count);
    for (uint32_t i = 0; i < list.pairs.n; i++)
        pred_counts[(uint32_t)list.pairs.v[i]]++;
    vec_reserve(&work->lists, &fn->edges, list.pairs.n * 2 + 1);
    for (uint32_t i = 0; i < list.pairs.n; i++) { // already sorted by source
        struct ir_block *from = &fn->blocks.v[list.pairs.v[i] >> 32];
        if (!from->succ_count++)
            from->succ = i;
        fn->edges.v[i] = (uint32_t)list.pairs.v[i];
    }
    uint32_t at = list.pairs.n;
    for (uint32_t i = 0; i < count; i++) {
        fn->blocks.v[i].pred = at;
        at += pred_counts[i];
    }
    for (uint32_t i = 0; i < list.pairs.n; i++) {
        struct ir_block *to = &fn->blocks.v[(uint32_t)list.pairs.v[i]];
        fn->edges.v[to->pred + to->pred_count++] = (uint32_t)(list.pairs.v[i] >> 32);
    }
    fn->edges.n = at;
}

// Dominators: Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS
// 1979, with simple linking. The iterative algorithm is quadratic in the depth of nested loops.

struct graph {
    uint32_t count, root;
    struct csr succ, pred;
};

// A depth-first search from the root: nodes in the order in which they are entered and left.
struct depth_search {
    uint32_t *entered, *left; // nodes
    uint32_t *number;         // per node: its index in `entered`; IR_NONE if unreachable
    uint32_t *parent;         // per index in `entered`: the index of the node's parent
    uint32_t count;
};

static void enter(struct depth_search *search, uint32_t node, uint32_t parent)
{
    search->parent[search->count] = parent;
    search->number[node] = search->count;
    search->entered[search->count++] = node;
}

static struct depth_search search_from_root(struct arena *arena, const struct graph *graph)
{
    uint32_t room = graph->count + 1, depth = 0, left = 0;
    struct depth_search search = {
        ARENA_ARRAY(arena, uint32_t, room), ARENA_ARRAY(arena, uint32_t, room),
        ARENA_ARRAY(arena, uint32_t, room), ARENA_ARRAY(arena, uint32_t, room), 0};
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, room);
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, room);
    memset(search.number, 0xff, room * sizeof *search.number);
    memcpy(next, graph->succ.at, graph->count * sizeof *next);
    enter(&search, graph->root, 0);
    stack[depth++] = graph->root;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next[node] == graph->succ.at[node + 1]) {
            search.left[left++] = node;
            depth--;
            continue;
        }
        uint32_t to = graph->succ.item[next[node]++];
        if (search.number[to] != IR_NONE)
            continue;
        enter(&search, to, search.number[node]);
        stack[depth++] = to;
    }
    return search;
}

// Nodes are indices into `search.entered`.
struct dominating {
    struct arena *arena;
    const struct graph *graph;
    struct depth_search search;
    uint32_t *semi;     // semidominator
    uint32_t *ancestor; // in the forest of processed nodes, or IR_NONE
    uint32_t *label;    // node with the minimum semidominator on the path to the ancestor
    uint32_t *idom, *stack;
    uint32_t *bucket, *next; // lists of nodes by semidominator
};

// Returns the node with the minimum semidominator on the path from `node` to its tree's root, which
// is excluded. Compresses the path.
static uint32_t evaluate(struct dominating *d, uint32_t node)
{
    uint32_t depth = 0;
    if (d->ancestor[node] == IR_NONE)
        return node;
    for (uint32_t at = node; d->ancestor[d->ancestor[at]] != IR_NONE; at = d->ancestor[at])
        d->stack[depth++] = at;
    while (depth) {
        uint32_t at = d->stack[--depth], above = d->ancestor[at];
        if (d->semi[d->label[above]] < d->semi[d->label[at]])
            d->label[at] = d->label[above];
        d->ancestor[at] = d->ancestor[above];
    }
    return d->label[node];
}

static void find_semidominator(struct dominating *d, uint32_t node)
{
    uint32_t name = d->search.entered[node];
    for (uint32_t i = d->graph->pred.at[name]; i < d->graph->pred.at[name + 1]; i++) {
        uint32_t pred = d->search.number[d->graph->pred.item[i]];
        if (pred == IR_NONE)
            continue;
        uint32_t semi = d->semi[evaluate(d, pred)];
        d->semi[node] = semi < d->semi[node] ? semi : d->semi[node];
    }
}

static struct dominating new_dominating(struct arena *arena, const struct graph *graph)
{
    struct dominating d = {.arena = arena, .graph = graph};
    d.search = search_from_root(arena, graph);
    uint32_t **arrays[] = {&d.semi, &d.ancestor, &d.label, &d.idom, &d.stack, &d.bucket, &d.next};
    for (size_t i = 0; i < ARRAY_LENGTH(arrays); i++)
        *arrays[i] = ARENA_ARRAY(arena, uint32_t, d.search.count);
    for (uint32_t i = 0; i < d.search.count; i++) {
        d.semi[i] = d.label[i] = i;
        d.ancestor[i] = d.bucket[i] = IR_NONE;
    }
    return d;
}

// Returns the immediate dominators. idom[root] = root; IR_NONE if unreachable. `order`: nodes in
// the order in which they are left.
static uint32_t *dominators(struct arena *arena, const struct graph *graph, uint32_t **order,
                            uint32_t *reached)
{
    struct dominating dominating = new_dominating(arena, graph), *d = &dominating;
    for (uint32_t node = d->search.count; node-- > 1;) {
        uint32_t parent = d->search.parent[node];
        find_semidominator(d, node);
        d->next[node] = d->bucket[d->semi[node]];
        d->bucket[d->semi[node]] = node;
        d->ancestor[node] = parent;
        for (uint32_t i = d->bucket[parent]; i != IR_NONE; i = d->next[i]) {
            uint32_t min = evaluate(d, i);
            d->idom[i] = d->semi[min] < d->semi[i] ? min : parent;
        }
        d->bucket[parent] = IR_NONE;
    }
    uint32_t *idom = ARENA_ARRAY(arena, uint32_t, graph->count + 1);
    memset(idom, 0xff, (graph->count + 1) * sizeof *idom);
    idom[graph->root] = graph->root;
    for (uint32_t node = 1; node < d->search.count; node++) {
        if (d->idom[node] != d->semi[node])
            d->idom[node] = d->idom[d->idom[node]];
        idom[d->search.entered[node]] = d->search.entered[d->idom[node]];
    }
    *order = d->search.left;
    *reached = d->search.count;
    return idom;
}

// Numbers a tree by entry and exit times, so that testing for an ancestor takes two comparisons.
static void number_tree(struct arena *arena, uint32_t count, uint32_t root, const uint32_t *idom,
                        uint32_t *in, uint32_t *out)
{
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (i != root && idom[i] != IR_NONE)
            counts[idom[i]]++;
    struct csr children = csr_from_counts(arena, counts, count);
    for (uint32_t i = 0; i < count; i++)
        if (i != root && idom[i] != IR_NONE)
            csr_put(&children, idom[i], i);
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, count + 1);
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, count + 1);
    memcpy(next, children.at, count * sizeof *next);
    uint32_t depth = 0, time = 1; // time 0: not in the tree
    stack[depth++] = root;
    in[root] = time++;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next[node] < children.at[node + 1]) {
            uint32_t child = children.item[next[node]++];
            in[child] = time++;
            stack[depth++] = child;
        } else {
            out[node] = time++;
            depth--;
        }
    }
}

// Returns the reversed graph with the virtual exit as last node. Its dominators from the exit are
// the post-dominators.
static struct graph reversed_graph(struct arena *arena, const struct ir_function *fn)
{
    uint32_t count = fn->blocks.n, nodes = count + 1;
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, nodes), *in = ARENA_ARRAY(arena, uint32_t, nodes);
    bool *leaves = ARENA_ARRAY(arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_block *b = &fn->blocks.v[i];
        bool returns = b->first < b->end && fn->insts.v[b->end - 1].class == CLASS_RETURN;
        leaves[i] = returns || !b->succ_count;
        out[i] += b->pred_count;
        in[i] += b->succ_count + leaves[i];
        out[count] += leaves[i];
    }
    struct graph graph = {nodes, count, csr_from_counts(arena, out, nodes),
                          csr_from_counts(arena, in, nodes)};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < fn->blocks.v[i].pred_count; k++)
            csr_put(&graph.succ, i, ir_preds(fn, i)[k]);
        for (uint32_t k = 0; k < fn->blocks.v[i].succ_count; k++)
            csr_put(&graph.pred, i, ir_succs(fn, i)[k]);
        if (leaves[i]) {
            csr_put(&graph.succ, count, i);
            csr_put(&graph.pred, i, count);
        }
    }
    return graph;
}

static struct graph forward_graph(struct arena *arena, const struct ir_function *fn)
{
    uint32_t count = fn->blocks.n;
    uint32_t *out = ARENA_ARRAY(arena, uint32_t, count), *in = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = fn->blocks.v[i].succ_count;
        in[i] = fn->blocks.v[i].pred_count;
    }
    struct graph graph = {count, 0, csr_from_counts(arena, out, count),
                          csr_from_counts(arena, in, count)};
    for (uint32_t i = 0; i < count; i++) {
        memcpy(graph.succ.item + graph.succ.at[i], ir_succs(fn, i),
               fn->blocks.v[i].succ_count * sizeof(uint32_t));
        memcpy(graph.pred.item + graph.pred.at[i], ir_preds(fn, i),
               fn->blocks.v[i].pred_count * sizeof(uint32_t));
    }
    return graph;
}

void ir_build_dominators(struct ir_work *work, struct ir_function *fn)
{
    struct arena *scratch = &work->scratch;
    uint32_t count = fn->blocks.n, reached, *order;
    uint32_t *in = ARENA_ARRAY(scratch, uint32_t, count + 1),
             *out = ARENA_ARRAY(scratch, uint32_t, count + 1);
    struct graph graph = forward_graph(scratch, fn);
    uint32_t *idom = dominators(scratch, &graph, &order, &reached);
    number_tree(scratch, count, 0, idom, in, out);
    vec_reserve(&work->lists, &fn->rpo, reached + 1);
    for (uint32_t i = 0; i < count; i++)
        fn->blocks.v[i].rpo = IR_NONE;
    for (uint32_t i = reached; i-- > 0;) {
        fn->blocks.v[order[i]].rpo = fn->rpo.n;
        fn->rpo.v[fn->rpo.n++] = order[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ir_block *b = &fn->blocks.v[i];
        b->idom = i ? idom[i] : IR_NONE;
        b->dom_in = in[i];
        b->dom_out = out[i];
    }
    memset(in, 0, (count + 1) * sizeof *in);
    graph = reversed_graph(scratch, fn);
    idom = dominators(scratch, &graph, &order, &reached);
    number_tree(scratch, count + 1, count, idom, in, out);
    for (uint32_t i = 0; i < count; i++) {
        struct ir_block *b = &fn->blocks.v[i];
        b->ipdom = idom[i];
        b->pdom_in = in[i];
        b->pdom_out = out[i];
    }
}

bool ir_dominates(const struct ir_function *fn, uint32_t a, uint32_t b)
{
    const struct ir_block *upper = &fn->blocks.v[a], *lower = &fn->blocks.v[b];
    return upper->dom_in && lower->dom_in && upper->dom_in <= lower->dom_in &&
           lower->dom_out <= upper->dom_out;
}

bool ir_post_dominates(const struct ir_function *fn, uint32_t a, uint32_t b)
{
    const struct ir_block *upper = &fn->blocks.v[a], *lower = &fn->blocks.v[b];
    return upper->pdom_in && lower->pdom_in && upper->pdom_in <= lower->pdom_in &&
           lower->pdom_out <= upper->pdom_out;
}

// Loops

struct loop_finder {
    struct ir_function *fn;
    uint32_t *stack;
    uint32_t *outer; // per loop: an enclosing loop, or itself; paths are compressed
};

static uint32_t outermost(struct loop_finder *f, uint32_t loop)
{
    while (f->outer[loop] != loop)
        loop = f->outer[loop] = f->outer[f->outer[loop]];
    return loop;
}

static bool is_back_edge(const struct ir_function *fn, uint32_t from, uint32_t to)
{
    return fn->blocks.v[from].rpo != IR_NONE && ir_dominates(fn, to, from);
}

// Collects the blocks of a loop by walking back from its latches. Inner loops, which were found
// before, are added as a whole by their headers.
static void collect(struct loop_finder *f, uint32_t loop)
{
    struct ir_function *fn = f->fn;
    uint32_t header = fn->loops.v[loop].header, depth = 0;
    fn->blocks.v[header].loop = loop;
    for (uint32_t i = 0; i < fn->blocks.v[header].pred_count; i++)
        if (is_back_edge(fn, ir_preds(fn, header)[i], header))
            f->stack[depth++] = ir_preds(fn, header)[i];
    while (depth) {
        uint32_t block = f->stack[--depth], inner = fn->blocks.v[block].loop;
        if (inner != IR_NONE && outermost(f, inner) == loop)
            continue;
        if (inner == IR_NONE) {
            fn->blocks.v[block].loop = loop;
        } else {
            inner = outermost(f, inner);
            fn->loops.v[inner].parent = f->outer[inner] = loop;
            block = fn->loops.v[inner].header;
        }
        for (uint32_t i = 0; i < fn->blocks.v[block].pred_count; i++) {
            uint32_t pred = ir_preds(fn, block)[i];
            if (fn->blocks.v[pred].rpo != IR_NONE)
                f->stack[depth++] = pred;
        }
    }
}

static void find_headers(struct ir_work *work, struct ir_function *fn)
{
    for (uint32_t i = 0; i < fn->rpo.n; i++) {
        uint32_t block = fn->rpo.v[i];
        struct ir_loop loop = {.header = block, .parent = IR_NONE, .latch = IR_NONE};
        for (uint32_t k = 0; k < fn->blocks.v[block].pred_count; k++) {
            uint32_t pred = ir_preds(fn, block)[k];
            if (fn->blocks.v[pred].rpo == IR_NONE || fn->blocks.v[pred].rpo < i)
                continue;
            if (is_back_edge(fn, pred, block)) {
                loop.latch = pred;
                loop.latch_count++;
            } else {
                fn->irreducible = true;
            }
        }
        if (loop.latch_count)
            vec_push(&work->lists, &fn->loops, loop);
    }
}

static void include(struct ir_loop *loop, uint32_t first, uint32_t last)
{
    loop->first = first < loop->first ? first : loop->first;
    loop->last = last > loop->last ? last : loop->last;
}

// Counts the blocks of each loop and finds their range. Adds inner loops to outer ones, which
// precede them.
static void measure_loops(struct ir_function *fn)
{
    for (uint32_t i = 0; i < fn->loops.n; i++) {
        struct ir_loop *loop = &fn->loops.v[i];
        loop->depth = loop->parent == IR_NONE ? 1 : fn->loops.v[loop->parent].depth + 1;
        loop->first = UINT32_MAX;
    }
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        uint32_t loop = fn->blocks.v[block].loop;
        if (loop == IR_NONE)
            continue;
        fn->loops.v[loop].block_count++;
        include(&fn->loops.v[loop], block, block);
    }
    for (uint32_t i = fn->loops.n; i-- > 0;) {
        const struct ir_loop *loop = &fn->loops.v[i];
        if (loop->parent == IR_NONE)
            continue;
        fn->loops.v[loop->parent].block_count += loop->block_count;
        include(&fn->loops.v[loop->parent], loop->first, loop->last);
    }
}

// Numbers the loops so that inner loops follow the loop that contains them.
static void number_loops(struct ir_work *work, struct ir_function *fn)
{
    uint32_t *next = ARENA_ARRAY(&work->scratch, uint32_t, fn->loops.n), outermost = 0;
    for (uint32_t i = fn->loops.n; i-- > 0;) {
        struct ir_loop *loop = &fn->loops.v[i];
        loop->inner_count++;
        if (loop->parent != IR_NONE)
            fn->loops.v[loop->parent].inner_count += loop->inner_count;
    }
    for (uint32_t i = 0; i < fn->loops.n; i++) {
        struct ir_loop *loop = &fn->loops.v[i];
        uint32_t *at = loop->parent == IR_NONE ? &outermost : &next[loop->parent];
        loop->number = *at;
        next[i] = *at + 1;
        *at += loop->inner_count;
    }
}

void ir_build_loops(struct ir_work *work, struct ir_function *fn)
{
    struct loop_finder finder = {.fn = fn};
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        fn->blocks.v[i].loop = IR_NONE;
    finder.stack = ARENA_ARRAY(&work->scratch, uint32_t, fn->edges.n + fn->blocks.n * 2 + 1);
    find_headers(work, fn);
    finder.outer = ARENA_ARRAY(&work->scratch, uint32_t, fn->loops.n);
    for (uint32_t i = 0; i < fn->loops.n; i++)
        finder.outer[i] = i;
    for (uint32_t i = fn->loops.n; i-- > 0;) // inner loops are later in reverse post-order
        collect(&finder, i);
    number_loops(work, fn);
    measure_loops(fn);
}

bool ir_in_loop(const struct ir_function *fn, uint32_t loop, uint32_t block)
{
    uint32_t inner = fn->blocks.v[block].loop;
    if (inner == IR_NONE)
        return false;
    const struct ir_loop *outer = &fn->loops.v[loop];
    return fn->loops.v[inner].number - outer->number < outer->inner_count;
}
