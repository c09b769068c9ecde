// Consequences of a divergent branch.
//
// Reconvergence points are found as in "Divergence analysis" (Sampaio and others, 2013) and LLVM's
// sync dependence: each successor of the branch is a colour that propagates along the edges. A
// block that two colours reach is a reconvergence point and starts a new colour. The walk ends at
// the branch's immediate post-dominator.
//
// Lanes may also reconverge after different numbers of executions of a block. Some lanes go from
// the branch to the reconvergence point; others first return to a block that dominates the branch,
// and execute it again. After the reconvergence point the values of that block differ (temporal
// divergence). Most such cases are natural loops that do not contain the reconvergence point: then
// all definitions of the loop differ outside it. In a loop whose header is shared with another one,
// or with a `continue`, the reconvergence point is in the loop, and the blocks after it are
// recorded one by one.
//
// The work is bounded over the whole function. Beyond the bound, and in irreducible functions,
// every phi counts as varying, and so do values of a block in a cycle that another block reads.
#include "passes/analysis/divergence/divergence_internal.h"

enum { WALKS_PER_BLOCK = 64, MIN_WALKS = 1 << 20 };

void divergence_prepare(struct finder *f)
{
    const struct ir_function *fn = f->d->fn;
    f->budget = (uint64_t)(fn->blocks.n + 1) * WALKS_PER_BLOCK + MIN_WALKS;
    f->pending = bits_new(f->scratch, fn->rpo.n + 1);
    f->colour = ARENA_ARRAY(f->scratch, uint32_t, fn->blocks.n + 1);
    f->meets = ARENA_ARRAY(f->scratch, uint32_t, fn->blocks.n + 1);
}

static void spend(struct finder *f, uint64_t work)
{
    f->budget -= work < f->budget ? work : f->budget;
}

static void mark_phis(struct finder *f, uint32_t block)
{
    const struct ir_block *b = &f->d->fn->blocks.v[block];
    if (bits_test(f->d->joins, block))
        return;
    bits_set(f->d->joins, block);
    for (uint32_t i = b->phi; i < b->phi + b->phi_count; i++)
        divergence_mark(f, f->d->fn->phis.v[i].version);
}

// Values that are read where lanes have executed their definition at different times

static bool phi_reads_apart(const struct divergence *d, const struct ir_phi *phi, uint32_t version)
{
    const uint32_t *preds = ir_preds(d->fn, phi->block);
    for (uint32_t i = 0; i < d->fn->blocks.v[phi->block].pred_count; i++)
        if (d->fn->phi_args.v[phi->args + i] == version &&
            divergence_argument_apart(d, version, preds[i], phi->block))
            return true;
    return false;
}

static void visit_apart(struct finder *f, uint32_t version)
{
    const struct ir_function *fn = f->d->fn;
    const uint32_t *uses = ir_uses(fn, version);
    spend(f, fn->versions.v[version].use_count);
    for (uint32_t i = 0; i < fn->versions.v[version].use_count; i++) {
        const struct ir_phi *phi = uses[i] & USE_PHI ? &fn->phis.v[uses[i] & ~USE_PHI] : NULL;
        uint32_t inst = phi ? IR_NONE : fn->operand_inst.v[uses[i]];
        if (phi && phi_reads_apart(f->d, phi, version))
            divergence_mark(f, phi->version);
        else if (!phi && divergence_left_apart(f->d, version, fn->insts.v[inst].block))
            divergence_classify(f, inst);
    }
}

static void visit_defined(struct finder *f, uint32_t block)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_block *b = &fn->blocks.v[block];
    for (uint32_t k = b->phi; k < b->phi + b->phi_count; k++)
        visit_apart(f, fn->phis.v[k].version);
    for (uint32_t inst = b->first; inst < b->end; inst++) {
        const struct ir_inst *at = &fn->insts.v[inst];
        for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++)
            if (fn->operands.v[k].role == ROLE_DEF && fn->operand_version.v[k] != IR_NONE)
                visit_apart(f, fn->operand_version.v[k]);
    }
}

// Handles a loop that lanes leave in different iterations: its definitions vary after it.
static void leave_apart(struct finder *f, uint32_t loop)
{
    const struct ir_loop *l = &f->d->fn->loops.v[loop];
    if (bits_test(f->d->leaves, loop))
        return;
    bits_set(f->d->leaves, loop);
    IR_LOOP_EACH (block, f->d->fn, loop) {
        uint32_t *around = &f->d->leaving[block];
        if (*around == IR_NONE || ir_in_loop(f->d->fn, *around, l->header))
            *around = loop;
    }
    IR_LOOP_EACH (block, f->d->fn, loop)
        visit_defined(f, block);
}

static void reach(struct finder *f, uint32_t from, uint32_t block)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_block *root = &fn->blocks.v[from];
    if (block == from)
        bits_set(f->d->mixed, root->loop);
    if (block == from || !ir_dominates(fn, from, block) ||
        bits_test(f->d->late[from], fn->blocks.v[block].dom_in - root->dom_in))
        return;
    bits_set(f->d->late[from], fn->blocks.v[block].dom_in - root->dom_in);
    vec_push(f->scratch, &f->reached, block);
}

// Lanes that executed `from` at different times reconverge at `to`: the values of `from` vary
// there, and in all blocks that are reachable without executing `from` again.
static void reconverge_late(struct finder *f, uint32_t from, uint32_t to)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_block *root = &fn->blocks.v[from];
    spend(f, 1);
    if (from == to || divergence_apart(f->d, from, to))
        return;
    if (!ir_dominates(fn, from, to)) { // only its phis read these values
        mark_phis(f, to);
        return;
    }
    uint32_t size = root->dom_out - root->dom_in;
    if (!f->d->late[from])
        f->d->late[from] = bits_new(f->d->arena, size);
    spend(f, bits_words(size));
    f->reached.n = 0;
    reach(f, from, to);
    for (uint32_t i = 0; i < f->reached.n; i++) {
        uint32_t block = f->reached.v[i];
        spend(f, 1);
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++)
            reach(f, from, ir_succs(fn, block)[k]);
    }
    visit_defined(f, from);
}

// Coarse results

// Returns the blocks that are in a cycle or reachable from one.
static uint64_t *find_cyclic(struct finder *f)
{
    const struct ir_function *fn = f->d->fn;
    uint64_t *cyclic = bits_new(f->d->arena, fn->blocks.n + 1);
    uint32_t *left = ARENA_ARRAY(f->scratch, uint32_t, fn->blocks.n + 1);
    VEC(uint32_t) done = {0};
    for (uint32_t i = 0; i < fn->blocks.n; i++) {
        bits_set(cyclic, i);
        left[i] = fn->blocks.v[i].pred_count;
        if (!left[i])
            vec_push(f->scratch, &done, i);
    }
    for (uint32_t i = 0; i < done.n; i++) {
        uint32_t block = done.v[i];
        bits_clear(cyclic, block);
        for (uint32_t k = 0; k < fn->blocks.v[block].succ_count; k++)
            if (!--left[ir_succs(fn, block)[k]])
                vec_push(f->scratch, &done, ir_succs(fn, block)[k]);
    }
    return cyclic;
}

// Falls back to coarse results, which do without reconvergence points.
static void make_coarse(struct finder *f)
{
    struct divergence *d = f->d;
    if (d->cyclic)
        return;
    d->cyclic = find_cyclic(f);
    for (uint32_t block = 0; block < d->fn->blocks.n; block++) {
        d->leaving[block] = d->fn->blocks.v[block].loop;
        bits_set(d->partial, block);
        mark_phis(f, block);
    }
    for (uint32_t inst = 0; inst < d->fn->insts.n; inst++)
        divergence_classify(f, inst);
}

// Reconvergence points of one branch

static void colour(struct finder *f, uint32_t block, uint32_t hue, uint32_t from, uint32_t to)
{
    uint32_t *at = &f->colour[block];
    if (!*at)
        vec_push(f->scratch, &f->coloured, block);
    if (*at == hue + 1)
        return;
    if (*at && f->meets[block] != f->walks) { // a second colour
        f->meets[block] = f->walks;
        vec_push(f->scratch, &f->meeting, block);
        mark_phis(f, block);
    }
    if (*at == block + 1)
        return;
    *at = (*at ? block : hue) + 1;
    uint32_t place = f->d->fn->blocks.v[block].rpo;
    if (block == from || block == to || place == IR_NONE || bits_test(f->pending, place))
        return;
    bits_set(f->pending, place);
    f->waiting++;
    f->first = place < f->first ? place : f->first;
}

// Follows the paths from a branch until all of them have reconverged or ended.
static void walk(struct finder *f, uint32_t from, uint32_t to)
{
    const struct ir_function *fn = f->d->fn;
    f->first = fn->rpo.n;
    f->walks++;
    for (uint32_t i = 0; i < fn->blocks.v[from].succ_count; i++)
        colour(f, ir_succs(fn, from)[i], ir_succs(fn, from)[i], from, to);
    while (f->waiting && f->budget) {
        f->first = bits_next(f->pending, f->first, fn->rpo.n);
        uint32_t block = fn->rpo.v[f->first];
        bits_clear(f->pending, f->first);
        f->waiting--;
        f->budget--;
        for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++)
            colour(f, ir_succs(fn, block)[i], f->colour[block] - 1, from, to);
    }
}

// Handles a block that lanes of one colour execute again before they reconverge with others.
static void reconverge_colours_late(struct finder *f, uint32_t block, uint32_t from)
{
    const struct ir_function *fn = f->d->fn;
    uint32_t hue = f->colour[block] - 1;
    if (f->meets[hue] == f->walks)
        return;
    for (uint32_t i = 0; i < f->meeting.n && f->budget; i++)
        reconverge_late(f, block, f->meeting.v[i]);
    if (f->colour[from] != hue + 1)
        return;
    for (uint32_t i = 0; i < fn->blocks.v[from].succ_count && f->budget; i++)
        if (ir_succs(fn, from)[i] != hue)
            reconverge_late(f, block, ir_succs(fn, from)[i]);
}

static void classify_shuffles(struct finder *f, uint32_t block)
{
    const struct ir_block *b = &f->d->fn->blocks.v[block];
    if (bits_test(f->d->partial, block))
        return;
    bits_set(f->d->partial, block);
    for (uint32_t inst = b->first; inst < b->end; inst++)
        if (f->d->fn->insts.v[inst].op == OP_shfl)
            divergence_classify(f, inst);
}

static void classify_coloured(struct finder *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < f->coloured.n && f->budget; i++) {
        uint32_t block = f->coloured.v[i];
        if (block == to)
            continue;
        classify_shuffles(f, block);
        if (!ir_dominates(f->d->fn, block, from))
            continue;
        if (to < f->d->fn->blocks.n)
            reconverge_late(f, block, to);
        reconverge_colours_late(f, block, from);
    }
}

void divergence_follow(struct finder *f, uint32_t block)
{
    const struct ir_function *fn = f->d->fn;
    uint32_t to = fn->blocks.v[block].ipdom, loop = fn->blocks.v[block].loop;
    if (f->d->cyclic)
        return;
    if (fn->irreducible) {
        make_coarse(f);
        return;
    }
    for (; loop != IR_NONE && !(to < fn->blocks.n && ir_in_loop(fn, loop, to));
         loop = fn->loops.v[loop].parent)
        leave_apart(f, loop);
    walk(f, block, to);
    classify_coloured(f, block, to);
    for (uint32_t i = 0; i < f->coloured.n; i++)
        f->colour[f->coloured.v[i]] = 0;
    f->coloured.n = f->meeting.n = 0;
    if (!f->budget)
        make_coarse(f);
}
