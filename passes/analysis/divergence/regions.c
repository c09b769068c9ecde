// Finds regions by cycle equivalence [Johnson, Pearson, Pingali, PLDI 1994] on a graph in which
// every reachable block is an edge from its head to its tail. With an edge from the end back to the
// entry, control passes the edges of one class one after the other, and the part between two
// neighbours is a single-entry single-exit region. Loops are inserted into this tree: a natural
// loop either contains a region, is contained in it, or is disjoint from it, because an edge inside
// the loop is never equivalent to one outside.
#include "passes/analysis/divergence/regions.h"

// Nodes 2·i and 2·i + 1 are head and tail of the i-th block in reverse post-order; the last node is
// the end. Edge i is the body of that block. The edges between blocks follow, then the edges to the
// end, and last the edge from the end to the entry.
struct region_graph {
    const struct ir_function *fn;
    uint32_t blocks, nodes, edges;
    struct cycle_edge *edge;
    uint32_t *out; // per block: index in edges_out of the first edge that leaves its tail
    uint32_t *edges_out;
};

struct region_builder {
    struct arena *arena; // of the result
    struct arena scratch;
    struct region_graph graph;
    struct regions *regions;
    uint32_t *class, class_count;
    uint32_t *order; // edges in the order of a search from the entry
    uint32_t *place; // per edge: its index in its class
    uint32_t *class_size;
    uint32_t *first;     // per class: its first edge
    uint32_t *region_of; // per node: part id of the innermost region
};

bool regions_leaves(const struct ir_function *fn, uint32_t block)
{
    const struct ir_block *b = &fn->blocks.v[block];
    bool returns = b->first < b->end && fn->insts.v[b->end - 1].class == CLASS_RETURN;
    return returns || !b->succ_count;
}

// Graph

static uint32_t number_of(const struct region_graph *g, uint32_t block)
{
    return g->fn->blocks.v[block].rpo;
}

static void mark_ending(const struct region_graph *g, bool *ends, uint32_t *stack, uint32_t from)
{
    uint32_t depth = 0;
    ends[from] = true;
    stack[depth++] = from;
    while (depth) {
        uint32_t block = g->fn->rpo.v[stack[--depth]];
        for (uint32_t i = 0; i < g->fn->blocks.v[block].pred_count; i++) {
            uint32_t pred = number_of(g, ir_preds(g->fn, block)[i]);
            if (pred == IR_NONE || ends[pred])
                continue;
            ends[pred] = true;
            stack[depth++] = pred;
        }
    }
}

// Finds the blocks that get an edge to the end: those that leave, and one of each cycle without an
// exit.
static bool *find_leaving(const struct region_graph *g, struct arena *arena)
{
    bool *leaves = ARENA_ARRAY(arena, bool, g->blocks + 1);
    bool *ends = ARENA_ARRAY(arena, bool, g->blocks + 1);
    uint32_t *stack = ARENA_ARRAY(arena, uint32_t, g->blocks + 1);
    for (uint32_t i = 0; i < g->blocks; i++) {
        leaves[i] = regions_leaves(g->fn, g->fn->rpo.v[i]);
        if (leaves[i] && !ends[i])
            mark_ending(g, ends, stack, i);
    }
    for (uint32_t i = g->blocks; i-- > 0;)
        if (!ends[i]) {
            leaves[i] = true;
            mark_ending(g, ends, stack, i);
        }
    return leaves;
}

static void put_edge(struct region_graph *g, uint32_t from, uint32_t to)
{
    g->edges_out[g->out[from / 2 + 1]++] = g->edges;
    g->edge[g->edges++] = (struct cycle_edge){from, to};
}

static void build_graph(struct region_graph *g, const struct ir_function *fn, struct arena *arena)
{
    g->fn = fn;
    g->blocks = fn->rpo.n;
    g->nodes = g->blocks * 2 + 1;
    const bool *leaves = find_leaving(g, arena);
    uint32_t max = g->blocks * 2 + 1;
    for (uint32_t i = 0; i < g->blocks; i++)
        max += fn->blocks.v[fn->rpo.v[i]].succ_count;
    g->edge = ARENA_ARRAY(arena, struct cycle_edge, max);
    g->edges_out = ARENA_ARRAY(arena, uint32_t, max);
    g->out = ARENA_ARRAY(arena, uint32_t, g->blocks + 2);
    for (; g->edges < g->blocks; g->edges++)
        g->edge[g->edges] = (struct cycle_edge){g->edges * 2, g->edges * 2 + 1};
    for (uint32_t i = 0; i < g->blocks; i++) {
        uint32_t block = fn->rpo.v[i];
        g->out[i + 1] = g->out[i];
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++)
            put_edge(g, i * 2 + 1, number_of(g, ir_succs(fn, block)[k]) * 2);
        if (leaves[i])
            put_edge(g, i * 2 + 1, g->blocks * 2);
    }
    g->edge[g->edges++] = (struct cycle_edge){g->blocks * 2, 0};
}

// Classes in order

static void add_edge(struct region_builder *b, uint32_t edge, uint32_t *met)
{
    uint32_t class = b->class[edge];
    if (!b->class_size[class])
        b->first[class] = edge;
    b->place[edge] = b->class_size[class]++;
    b->order[(*met)++] = edge;
}

// Any search visits the edges of a class in order: control reaches each one only through the
// previous one.
static void order_edges(struct region_builder *b)
{
    struct region_graph *g = &b->graph;
    uint32_t *stack = ARENA_ARRAY(&b->scratch, uint32_t, g->blocks + 1);
    bool *seen = ARENA_ARRAY(&b->scratch, bool, g->blocks + 1);
    uint32_t depth = 0, met = 0;
    add_edge(b, g->edges - 1, &met);
    stack[depth++] = 0;
    seen[0] = true;
    while (depth) {
        uint32_t block = stack[--depth];
        add_edge(b, block, &met);
        for (uint32_t i = g->out[block]; i < g->out[block + 1]; i++) {
            uint32_t to = g->edge[g->edges_out[i]].to / 2;
            add_edge(b, g->edges_out[i], &met);
            if (to == g->blocks || seen[to])
                continue;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
}

// Parts: sequences (one per class), regions (one per edge that starts one), loops, units.

static uint32_t region_part(const struct region_builder *b, uint32_t edge)
{
    return b->class_count + edge;
}

static uint32_t unit_part_of(const struct region_builder *b, uint32_t block, enum unit_part unit)
{
    return b->regions->loops + b->graph.fn->loops.n + block * 3 + unit;
}

// A node belongs to the region that starts at the edge to it.
static void place_nodes(struct region_builder *b)
{
    const struct region_graph *g = &b->graph;
    uint32_t root_class = b->class[g->edges - 1];
    for (uint32_t i = 0; i < g->nodes; i++)
        b->region_of[i] = IR_NONE;
    for (uint32_t i = 0; i < g->edges; i++) {
        uint32_t edge = b->order[i], class = b->class[edge];
        bool last = b->place[edge] + 1 == b->class_size[class] && class != root_class;
        uint32_t to = g->edge[edge].to;
        if (b->region_of[to] == IR_NONE)
            b->region_of[to] =
                last ? b->region_of[g->edge[b->first[class]].from] : region_part(b, edge);
    }
}

static uint32_t block_of_node(const struct region_builder *b, uint32_t node)
{
    return node / 2 < b->graph.blocks ? b->graph.fn->rpo.v[node / 2] : IR_NONE;
}

// Returns the deeper part, given the innermost region and loop. The loop is deeper if the region
// contains its header directly.
static uint32_t innermost(const struct region_builder *b, uint32_t region, uint32_t loop)
{
    if (loop == IR_NONE)
        return region;
    uint32_t header = number_of(&b->graph, b->graph.fn->loops.v[loop].header);
    return b->region_of[header * 2] == region ? b->regions->loops + loop : region;
}

static uint32_t common_loop(const struct ir_function *fn, uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t depth_a = a == IR_NONE ? 0 : fn->loops.v[a].depth;
        uint32_t depth_b = b == IR_NONE ? 0 : fn->loops.v[b].depth;
        if (depth_a >= depth_b)
            a = fn->loops.v[a].parent;
        if (depth_b >= depth_a)
            b = fn->loops.v[b].parent;
    }
    return a;
}

static uint32_t loop_of_edge(const struct region_builder *b, uint32_t edge)
{
    const struct ir_function *fn = b->graph.fn;
    uint32_t from = block_of_node(b, b->graph.edge[edge].from);
    uint32_t to = block_of_node(b, b->graph.edge[edge].to);
    if (from == IR_NONE || to == IR_NONE)
        return IR_NONE;
    return common_loop(fn, fn->blocks.v[from].loop, fn->blocks.v[to].loop);
}

static void make_sequences(struct region_builder *b)
{
    const struct region_graph *g = &b->graph;
    for (uint32_t class = 0; class < b->class_count; class ++) {
        uint32_t first = b->first[class];
        bool root = first == g->edges - 1;
        uint32_t region = root ? IR_NONE : b->region_of[g->edge[first].from];
        uint32_t parent = root ? IR_NONE : innermost(b, region, loop_of_edge(b, first));
        b->regions->parts[class] = (struct region_part){.kind = PART_SEQUENCE, .parent = parent};
        if (root)
            b->regions->root = class;
    }
}

// Returns, for each edge, the next one of its class, or IR_NONE after the last.
static uint32_t *find_next(struct region_builder *b)
{
    uint32_t *next = ARENA_ARRAY(&b->scratch, uint32_t, b->graph.edges);
    uint32_t *latest = ARENA_ARRAY(&b->scratch, uint32_t, b->class_count);
    for (uint32_t i = 0; i < b->graph.edges; i++) {
        uint32_t edge = b->order[i], class = b->class[edge];
        next[edge] = IR_NONE;
        if (b->place[edge])
            next[latest[class]] = edge;
        latest[class] = edge;
    }
    return next;
}

static void make_regions(struct region_builder *b)
{
    const struct region_graph *g = &b->graph;
    const uint32_t *next = find_next(b);
    uint32_t root_class = b->class[g->edges - 1];
    for (uint32_t edge = 0; edge < g->edges; edge++) {
        struct region_part *part = &b->regions->parts[region_part(b, edge)];
        bool body = edge < g->blocks, open = next[edge] == IR_NONE;
        *part = (struct region_part){
            .kind = PART_REGION, .parent = IR_NONE, .at_block = !body, .open = open};
        if (open && b->class[edge] != root_class)
            continue; // last of its class: no region starts here
        part->parent = b->class[edge];
        part->entry = block_of_node(b, body ? g->edge[edge].from : g->edge[edge].to);
        part->exit = open ? IR_NONE : block_of_node(b, g->edge[next[edge]].from);
        if (!open && next[edge] >= g->blocks)
            part->exit = block_of_node(b, g->edge[next[edge]].to);
    }
}

static void make_loops(struct region_builder *b)
{
    const struct ir_function *fn = b->graph.fn;
    for (uint32_t i = 0; i < fn->loops.n; i++) {
        uint32_t region = b->region_of[number_of(&b->graph, fn->loops.v[i].header) * 2];
        b->regions->parts[b->regions->loops + i] = (struct region_part){
            .kind = PART_LOOP, .index = i, .parent = innermost(b, region, fn->loops.v[i].parent)};
    }
}

static void make_units(struct region_builder *b)
{
    const struct ir_function *fn = b->graph.fn;
    for (uint32_t block = 0; block < fn->blocks.n; block++)
        for (enum unit_part unit = UNIT_HEAD; unit <= UNIT_TAIL; unit++) {
            uint32_t number = number_of(&b->graph, block), parent = IR_NONE;
            if (number != IR_NONE && unit == UNIT_BODY)
                parent = b->class[number];
            else if (number != IR_NONE)
                parent = innermost(b, b->region_of[number * 2 + (unit == UNIT_TAIL)],
                                   fn->blocks.v[block].loop);
            b->regions->parts[unit_part_of(b, block, unit)] = (struct region_part){
                .kind = PART_UNIT, .unit = (uint8_t)unit, .index = block, .parent = parent};
        }
}

// Tree

static void put_child(struct regions *r, uint32_t *fill, uint32_t child)
{
    if (r->parts[child].parent != IR_NONE)
        r->children[fill[r->parts[child].parent]++] = child;
}

// A sequence keeps the order in which the edges were visited; elsewhere blocks are in reverse
// post-order.
static void list_children(struct region_builder *b)
{
    struct regions *r = b->regions;
    const struct ir_function *fn = b->graph.fn;
    uint32_t *fill = ARENA_ARRAY(&b->scratch, uint32_t, r->part_count);
    for (uint32_t i = 0; i < r->part_count; i++)
        if (r->parts[i].parent != IR_NONE)
            r->parts[r->parts[i].parent].child_count++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < r->part_count; i++) {
        fill[i] = r->parts[i].child = sum;
        sum += r->parts[i].child_count;
    }
    r->children = ARENA_ARRAY(b->arena, uint32_t, sum + 1);
    for (uint32_t i = 0; i < b->graph.edges; i++) {
        uint32_t edge = b->order[i];
        if (edge < b->graph.blocks)
            put_child(r, fill, unit_part_of(b, fn->rpo.v[edge], UNIT_BODY));
        put_child(r, fill, region_part(b, edge));
        if (!b->place[edge])
            put_child(r, fill, b->class[edge]);
    }
    for (uint32_t i = 0; i < fn->loops.n; i++)
        put_child(r, fill, r->loops + i);
    for (uint32_t i = 0; i < fn->rpo.n; i++) {
        put_child(r, fill, unit_part_of(b, fn->rpo.v[i], UNIT_HEAD));
        put_child(r, fill, unit_part_of(b, fn->rpo.v[i], UNIT_TAIL));
    }
}

static void place_unit(struct regions *r, const struct region_part *part)
{
    r->place[part->unit][part->index] = r->unit_count;
    r->units[r->unit_count++] = (struct region_unit){part->index, part->unit};
}

static void number_units(struct region_builder *b)
{
    struct regions *r = b->regions;
    uint32_t blocks = b->graph.fn->blocks.n, depth = 0;
    uint32_t *stack = ARENA_ARRAY(&b->scratch, uint32_t, r->part_count + 1);
    uint32_t *next = ARENA_ARRAY(&b->scratch, uint32_t, r->part_count + 1);
    r->units = ARENA_ARRAY(b->arena, struct region_unit, blocks * 3 + 1);
    r->bottom_up = ARENA_ARRAY(b->arena, uint32_t, r->part_count + 1);
    for (enum unit_part unit = UNIT_HEAD; unit <= UNIT_TAIL; unit++) {
        r->place[unit] = ARENA_ARRAY(b->arena, uint32_t, blocks + 1);
        for (uint32_t i = 0; i < blocks; i++)
            r->place[unit][i] = IR_NONE;
    }
    stack[depth++] = r->root;
    while (depth) {
        struct region_part *part = &r->parts[stack[depth - 1]];
        uint32_t *at = &next[stack[depth - 1]];
        if (!*at)
            part->begin = r->unit_count;
        if (!*at && part->kind == PART_UNIT)
            place_unit(r, part);
        if (*at < part->child_count) {
            stack[depth++] = r->children[part->child + (*at)++];
            continue;
        }
        part->end = r->unit_count;
        r->bottom_up[r->bottom_up_count++] = stack[--depth];
    }
}

void regions_build(struct regions *regions, struct arena *arena, const struct ir_function *fn)
{
    struct region_builder b = {.arena = arena, .regions = regions};
    *regions = (struct regions){0};
    arena_init(&b.scratch, arena->memory);
    build_graph(&b.graph, fn, &b.scratch);
    uint32_t edges = b.graph.edges;
    b.class = ARENA_ARRAY(&b.scratch, uint32_t, edges);
    b.class_count = cycle_classes(&b.scratch, b.graph.nodes, b.graph.edge, edges, b.class);
    b.order = ARENA_ARRAY(&b.scratch, uint32_t, edges);
    b.place = ARENA_ARRAY(&b.scratch, uint32_t, edges);
    b.class_size = ARENA_ARRAY(&b.scratch, uint32_t, b.class_count);
    b.first = ARENA_ARRAY(&b.scratch, uint32_t, b.class_count);
    b.region_of = ARENA_ARRAY(&b.scratch, uint32_t, b.graph.nodes);
    regions->loops = b.class_count + edges;
    regions->part_count = regions->loops + fn->loops.n + fn->blocks.n * 3;
    regions->parts = ARENA_ARRAY(arena, struct region_part, regions->part_count);
    order_edges(&b);
    place_nodes(&b);
    make_sequences(&b);
    make_regions(&b);
    make_loops(&b);
    make_units(&b);
    list_children(&b);
    number_units(&b);
    arena_free(&b.scratch);
}
