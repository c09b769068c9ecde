// The SSA overlay: pruned phis at iterated dominance frontiers, versions by a walk over the
// dominator tree, uses by version. Unreachable blocks are numbered separately.
//
// Frontiers are not stored, since they can be quadratic in the size of the program. The walk of
// Sreedhar and Gao ("A linear time algorithm for placing phi-nodes", POPL 1995) finds them from the
// dominator tree, deepest definition first. Here it is restricted to blocks in which the register
// is live and to subtrees that an edge leaves to a block that the definition does not dominate.
//
// A walk that visits many blocks, for a long-lived value, is abandoned and replaced by a query
// (frontiers.c).
#include "ir/internal.h"
#include "support/search.h"
#include <string.h>

struct ssa {
    struct ir_work *work;
    struct arena *lists, *scratch;
    struct ir_function *fn;
    struct csr children; // of the dominator tree
    uint32_t *current;   // per register: version + 1
    uint32_t *entry;     // per register: its entry version + 1
    VEC(uint64_t) phis;  // block << 32 | register
};

static void build_children(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    uint32_t *counts = ARENA_ARRAY(s->scratch, uint32_t, fn->blocks.n);
    for (uint32_t i = 1; i < fn->rpo.n; i++)
        counts[fn->blocks.v[fn->rpo.v[i]].idom]++;
    s->children = csr_from_counts(s->scratch, counts, fn->blocks.n);
    for (uint32_t i = 1; i < fn->rpo.n; i++)
        csr_put(&s->children, fn->blocks.v[fn->rpo.v[i]].idom, fn->rpo.v[i]);
}

struct placing {
    uint32_t *level; // per block: depth in the dominator tree
    uint32_t *min;   // per block: minimum level of the join blocks that the blocks it dominates
                     // jump to
    uint32_t *queued, *visited, *placed;       // per block: register + 1
    const struct block_range *live, *live_end; // live ranges of the register
    uint32_t *stack;
    struct frontiers *frontiers; // NULL: not built yet
    struct frontier_list frontier;
    uint32_t is_long;   // register + 1 whose walk was abandoned
    VEC(uint64_t) heap; // definitions to walk from: ~level << 32 | block, smallest first
};

static void heap_push(struct ssa *s, struct placing *p, uint32_t block)
{
    uint64_t item = (uint64_t)~p->level[block] << 32 | block;
    vec_push(s->scratch, &p->heap, item);
    uint32_t at = p->heap.n - 1;
    for (; at && p->heap.v[(at - 1) / 2] > item; at = (at - 1) / 2)
        p->heap.v[at] = p->heap.v[(at - 1) / 2];
    p->heap.v[at] = item;
}

static uint32_t heap_pop(struct placing *p)
{
    uint32_t block = (uint32_t)p->heap.v[0], at = 0;
    uint64_t last = p->heap.v[--p->heap.n];
    for (uint32_t child; (child = 2 * at + 1) < p->heap.n; at = child) {
        child += child + 1 < p->heap.n && p->heap.v[child + 1] < p->heap.v[child];
        if (p->heap.v[child] >= last)
            break;
        p->heap.v[at] = p->heap.v[child];
    }
    p->heap.v[at] = last;
    return block;
}

static void queue(struct ssa *s, struct placing *p, uint32_t block, uint32_t mark)
{
    if (p->queued[block] == mark || s->fn->blocks.v[block].rpo == IR_NONE)
        return;
    p->queued[block] = mark;
    heap_push(s, p, block);
}

static bool is_live(const struct placing *p, uint32_t block)
{
    const struct block_range *low = p->live, *high = p->live_end;
    while (high - low > 1) {
        const struct block_range *middle = low + (high - low) / 2;
        if (middle->first <= block)
            low = middle;
        else
            high = middle;
    }
    return low < high && low->first <= block && block <= low->last;
}

static void place(struct ssa *s, struct placing *p, uint32_t join, uint32_t reg)
{
    if (p->placed[join] == reg + 1 || !is_live(p, join))
        return;
    p->placed[join] = reg + 1;
    vec_push(s->scratch, &s->phis, (uint64_t)join << 32 | reg);
    queue(s, p, join, reg + 1);
}

static void place_frontier(struct ssa *s, struct placing *p, uint32_t root, uint32_t reg)
{
    if (!p->frontiers)
        p->frontiers = frontiers_new(s->scratch, s->fn, p->level);
    p->is_long = reg + 1;
    p->frontier.blocks.n = 0;
    struct block_range joins = {p->live[0].first, p->live_end[-1].last};
    frontiers_find(p->frontiers, s->scratch, root, joins, &p->frontier);
    for (uint32_t i = 0; i < p->frontier.blocks.n; i++)
        place(s, p, p->frontier.blocks.v[i], reg);
}

enum { MAX_WALKED = 64 }; // limit of a walk, in blocks

// Places phis at the targets of edges that leave the subtree of `root`: join blocks that are not
// deeper than it.
static void walk(struct ssa *s, struct placing *p, uint32_t root, uint32_t reg)
{
    struct ir_function *fn = s->fn;
    uint32_t depth = 0, mark = reg + 1, walked = 0;
    if (p->min[root] > p->level[root])
        return;
    p->visited[root] = mark;
    p->stack[depth++] = root;
    while (depth) {
        uint32_t block = p->stack[--depth];
        if (p->is_long == mark || walked++ == MAX_WALKED) {
            place_frontier(s, p, root, reg);
            return;
        }
        for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++) {
            uint32_t join = ir_succs(fn, block)[i];
            if (p->level[join] <= p->level[root] && fn->blocks.v[join].idom != block)
                place(s, p, join, reg);
        }
        for (uint32_t i = s->children.at[block]; i < s->children.at[block + 1]; i++) {
            uint32_t child = s->children.item[i];
            if (p->min[child] > p->level[root] || p->visited[child] == mark || !is_live(p, child))
                continue;
            p->visited[child] = mark;
            p->stack[depth++] = child;
        }
    }
}

// Computes the minimum levels bottom-up: blocks are dominated by blocks that precede them in
// reverse post-order.
static void find_min(const struct ir_function *fn, struct placing *p)
{
    for (uint32_t i = 0; i < fn->rpo.n; i++)
        p->min[fn->rpo.v[i]] = UINT32_MAX;
    for (uint32_t i = fn->rpo.n; i-- > 0;) {
        uint32_t block = fn->rpo.v[i], idom = fn->blocks.v[block].idom;
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++) {
            uint32_t join = ir_succs(fn, block)[k];
            if (fn->blocks.v[join].idom != block && p->level[join] < p->min[block])
                p->min[block] = p->level[join];
        }
        if (i && p->min[block] < p->min[idom])
            p->min[idom] = p->min[block];
    }
}

static struct placing new_placing(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    uint32_t count = fn->blocks.n;
    struct placing p = {.level = ARENA_ARRAY(s->scratch, uint32_t, count),
                        .min = ARENA_ARRAY(s->scratch, uint32_t, count),
                        .queued = ARENA_ARRAY(s->scratch, uint32_t, count),
                        .visited = ARENA_ARRAY(s->scratch, uint32_t, count),
                        .placed = ARENA_ARRAY(s->scratch, uint32_t, count),
                        .stack = ARENA_ARRAY(s->scratch, uint32_t, count + 1)};
    for (uint32_t i = 1; i < fn->rpo.n; i++)
        p.level[fn->rpo.v[i]] = p.level[fn->blocks.v[fn->rpo.v[i]].idom] + 1;
    find_min(fn, &p);
    return p;
}

static void place_phis(struct ssa *s)
{
    const struct csr *definitions = &s->work->definitions;
    struct placing p = new_placing(s);
    for (uint32_t reg = 0; reg < s->fn->registers.n; reg++) {
        uint32_t first = s->fn->live_at.v[reg], end = s->fn->live_at.v[reg + 1];
        if (first == end)
            continue;
        p.live = &s->fn->live.v[first];
        p.live_end = &s->fn->live.v[end];
        for (uint32_t i = definitions->at[reg]; i < definitions->at[reg + 1]; i++)
            queue(s, &p, definitions->item[i], reg + 1);
        while (p.heap.n)
            walk(s, &p, heap_pop(&p), reg);
    }
}

static uint32_t new_version(struct ssa *s, uint32_t reg, enum ir_version_kind kind, uint32_t index,
                            uint32_t operand)
{
    struct ir_version version = {
        .reg = reg, .kind = (uint8_t)kind, .index = index, .operand = operand};
    vec_push(s->lists, &s->fn->versions, version);
    return s->fn->versions.n - 1;
}

static uint32_t entry_version(struct ssa *s, uint32_t reg)
{
    if (!s->entry[reg])
        s->entry[reg] = new_version(s, reg, VERSION_ENTRY, IR_NONE, IR_NONE) + 1;
    return s->entry[reg] - 1;
}

// Returns the version that an operand or a phi uses, and counts the use.
static uint32_t use_version(struct ssa *s, uint32_t reg)
{
    uint32_t version = s->current[reg] ? s->current[reg] - 1 : entry_version(s, reg);
    s->fn->versions.v[version].use_count++;
    return version;
}

// Makes the phis in the order of their blocks, each with its version and room for its arguments.
static void make_phis(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    uint32_t *counts = ARENA_ARRAY(s->scratch, uint32_t, fn->blocks.n);
    for (uint32_t i = 0; i < s->phis.n; i++)
        counts[s->phis.v[i] >> 32]++;
    struct csr rows = csr_from_counts(s->scratch, counts, fn->blocks.n);
    for (uint32_t i = 0; i < s->phis.n; i++)
        csr_put(&rows, (uint32_t)(s->phis.v[i] >> 32), (uint32_t)s->phis.v[i]);
    for (uint32_t block = 0; block < fn->blocks.n; block++) {
        struct ir_block *b = &fn->blocks.v[block];
        b->phi = fn->phis.n;
        b->phi_count = rows.at[block + 1] - rows.at[block];
        for (uint32_t i = rows.at[block]; i < rows.at[block + 1]; i++) {
            struct ir_phi phi = {block, rows.item[i],
                                 new_version(s, rows.item[i], VERSION_PHI, fn->phis.n, IR_NONE),
                                 fn->phi_args.n};
            vec_push(s->lists, &fn->phis, phi);
            for (uint32_t k = 0; k < b->pred_count; k++)
                vec_push(s->lists, &fn->phi_args, IR_NONE);
        }
    }
}

struct ssa_frame {
    uint32_t block, next_child, undo;
};

struct renaming {
    VEC(struct ssa_frame) frames;
    VEC(uint64_t) undo; // register << 32 | previous version + 1
};

static void define(struct ssa *s, struct renaming *r, uint32_t reg, uint32_t version)
{
    vec_push(s->scratch, &r->undo, (uint64_t)reg << 32 | s->current[reg]);
    s->current[reg] = version + 1;
}

static void rename_instruction(struct ssa *s, struct renaming *r, uint32_t inst)
{
    struct ir_function *fn = s->fn;
    uint32_t first = fn->insts.v[inst].operands, end = first + fn->insts.v[inst].operand_count;
    for (uint32_t i = first; i < end; i++)
        if (fn->operands.v[i].kind == OPERAND_REGISTER && fn->operands.v[i].role != ROLE_DEF)
            fn->operand_version.v[i] = use_version(s, fn->operands.v[i].index);
    for (uint32_t i = first; i < end; i++)
        if (fn->operands.v[i].kind == OPERAND_REGISTER && fn->operands.v[i].role == ROLE_DEF) {
            fn->operand_version.v[i] =
                new_version(s, fn->operands.v[i].index, VERSION_INST, inst, i);
            define(s, r, fn->operands.v[i].index, fn->operand_version.v[i]);
        }
}

static void fill_phi_arguments(struct ssa *s, uint32_t block)
{
    struct ir_function *fn = s->fn;
    for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++) {
        uint32_t succ = ir_succs(fn, block)[i];
        const struct ir_block *to = &fn->blocks.v[succ];
        if (!to->phi_count)
            continue;
        uint32_t place = SEARCH(k, 0, to->pred_count, ir_preds(fn, succ)[k] < block);
        for (uint32_t k = 0; k < to->phi_count; k++) {
            const struct ir_phi *phi = &fn->phis.v[to->phi + k];
            fn->phi_args.v[phi->args + place] = use_version(s, phi->reg);
        }
    }
}

static void enter_block(struct ssa *s, struct renaming *r, uint32_t block)
{
    struct ir_function *fn = s->fn;
    struct ssa_frame frame = {block, s->children.at[block], r->undo.n};
    vec_push(s->scratch, &r->frames, frame);
    for (uint32_t i = 0; i < fn->blocks.v[block].phi_count; i++) {
        const struct ir_phi *phi = &fn->phis.v[fn->blocks.v[block].phi + i];
        define(s, r, phi->reg, phi->version);
    }
    for (uint32_t inst = fn->blocks.v[block].first; inst < fn->blocks.v[block].end; inst++)
        rename_instruction(s, r, inst);
    fill_phi_arguments(s, block);
}

static void rename_from(struct ssa *s, struct renaming *r, uint32_t root)
{
    enter_block(s, r, root);
    while (r->frames.n) {
        struct ssa_frame *top = &r->frames.v[r->frames.n - 1];
        if (top->next_child < s->children.at[top->block + 1]) {
            enter_block(s, r, s->children.item[top->next_child++]);
            continue;
        }
        while (r->undo.n > top->undo) {
            uint64_t last = r->undo.v[--r->undo.n];
            s->current[last >> 32] = (uint32_t)last;
        }
        r->frames.n--;
    }
}

static void rename_all(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    struct renaming r = {0};
    rename_from(s, &r, 0);
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        if (fn->blocks.v[i].rpo == IR_NONE)
            rename_from(s, &r, i); // unreachable blocks have no children
}

// Reserves the uses of each version, which renaming has counted.
static void place_uses(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    uint32_t at = 0;
    for (uint32_t i = 0; i < fn->versions.n; i++) {
        fn->versions.v[i].use = at;
        at += fn->versions.v[i].use_count;
        fn->versions.v[i].use_count = 0;
    }
    vec_reserve(s->lists, &fn->uses, at + 1);
    fn->uses.n = at;
}

static void put_use(struct ir_function *fn, uint32_t version, uint32_t use)
{
    struct ir_version *v = &fn->versions.v[version];
    fn->uses.v[v->use + v->use_count++] = use;
}

static void build_uses(struct ssa *s)
{
    struct ir_function *fn = s->fn;
    place_uses(s);
    for (uint32_t i = 0; i < fn->operands.n; i++)
        if (fn->operand_version.v[i] != IR_NONE && fn->operands.v[i].role != ROLE_DEF)
            put_use(fn, fn->operand_version.v[i], i);
    for (uint32_t i = 0; i < fn->phis.n; i++)
        for (uint32_t k = 0; k < fn->blocks.v[fn->phis.v[i].block].pred_count; k++)
            put_use(fn, fn->phi_args.v[fn->phis.v[i].args + k], i | USE_PHI);
}

void ir_build_ssa(struct ir_work *work, struct ir_function *fn)
{
    struct ssa s = {.work = work, .lists = &work->lists, .scratch = &work->scratch, .fn = fn};
    s.current = ARENA_ARRAY(s.scratch, uint32_t, fn->registers.n);
    s.entry = ARENA_ARRAY(s.scratch, uint32_t, fn->registers.n);
    vec_reserve(&work->lists, &fn->operand_version, fn->operands.n + 1);
    fn->operand_version.n = fn->operands.n;
    memset(fn->operand_version.v, 0xff, fn->operands.n * sizeof *fn->operand_version.v); // IR_NONE
    build_children(&s);
    place_phis(&s);
    make_phis(&s);
    rename_all(&s);
    build_uses(&s);
}
