// Parts of a kernel that a launch skips. If a compiler unrolls a loop with any number of
// iterations, a second loop, or a sequence of branches, executes the remaining iterations. A map of
// the unrolled loop requires that no iteration remains.
#include "passes/maps/compile_internal.h"
#include <stdlib.h>

// Returns the change per iteration of the value that ends a loop, or 0 if it is unknown.
static uint64_t pace_of(const struct map_compiler *c, uint32_t loop)
{
    struct affine a;
    uint32_t version, taken;
    bool negated;
    if (!map_condition(c, c->fn->loops.v[loop].latch, &version, &negated, &taken) ||
        c->fn->versions.v[version].kind != VERSION_INST)
        return 0;
    uint32_t inst = c->fn->versions.v[version].index;
    uint32_t use = ir_find_operand(c->fn, inst, ROLE_USE, 0);
    if (c->fn->insts.v[inst].op != OP_setp || !affine_of_operand(c->affines, use, &a))
        return 0;
    for (uint32_t i = 0; i < a.count; i++) {
        const struct affine_atom *atom = affine_atom(c->affines, a.terms[i].atom[0]);
        if (atom->kind == AFFINE_ITERATION && atom->index == loop && a.terms[i].atom[1] == IR_NONE)
            return (uint64_t)llabs(a.terms[i].coefficient);
    }
    return 0;
}

// Returns true if the second loop executes several iterations of the first one at once.
static bool is_unrolled(const struct map_compiler *c, uint32_t loop, uint32_t other)
{
    uint64_t pace = pace_of(c, loop), others = pace_of(c, other);
    return c->fn->loops.v[loop].parent == c->fn->loops.v[other].parent && pace && others > pace &&
           others % pace == 0;
}

// Returns true if a loop that the block does not dominate is the unrolled one, or is nested more
// deeply: compilers make a copy without the inner loop for launches that skip it.
static bool has_other(const struct map_compiler *c, uint32_t loop, uint32_t block)
{
    for (uint32_t i = 0; i < c->fn->loops.n; i++)
        if (!ir_dominates(c->fn, block, c->fn->loops.v[i].header) &&
            (is_unrolled(c, loop, i) || c->fn->loops.v[i].depth > c->fn->loops.v[loop].depth))
            return true;
    return false;
}

// Returns true if an unrolled loop is in the same loop as the block.
static bool is_beside_unrolled(const struct map_compiler *c, uint32_t block)
{
    for (uint32_t i = 0; i < c->fn->loops.n; i++)
        if (c->fn->loops.v[i].parent == c->fn->blocks.v[block].loop && pace_of(c, i) > 1)
            return true;
    return false;
}

// Returns true if the block dominates the remainder of an unrolled loop: a loop, or branches.
static bool is_rest(const struct map_compiler *c, uint32_t block)
{
    bool loops = false;
    for (uint32_t i = 0; i < c->fn->loops.n; i++) {
        if (!ir_dominates(c->fn, block, c->fn->loops.v[i].header))
            continue;
        if (!has_other(c, i, block))
            return false;
        loops = true;
    }
    return loops || is_beside_unrolled(c, block);
}

// Returns true if one branch is the only entry to the part that the block dominates.
static bool has_one_way_in(const struct map_compiler *c, uint32_t block)
{
    uint32_t ways = 0;
    for (uint32_t i = 0; i < c->fn->blocks.v[block].pred_count; i++)
        ways += !ir_dominates(c->fn, block, ir_preds(c->fn, block)[i]);
    return ways == 1;
}

// Returns true if the launch should not branch from the block to its successor `to`.
static bool is_skip(const struct map_compiler *c, uint32_t block, uint32_t to)
{
    const uint32_t *succs = ir_succs(c->fn, block);
    uint32_t other = succs[0] == to ? succs[1] : succs[0];
    return to != other && has_one_way_in(c, to) && is_rest(c, to);
}

// Skips the part that `to` dominates. Returns false if the launch does not decide the branch.
static bool skip(struct map_compiler *c, uint32_t block, uint32_t to)
{
    const uint32_t *succs = ir_succs(c->fn, block);
    if (!map_decide(c, block, succs[0] == to ? succs[1] : succs[0]))
        return false;
    for (uint32_t i = 0; i < c->fn->blocks.n; i++)
        if (c->fn->blocks.v[i].rpo != IR_NONE && ir_dominates(c->fn, to, i))
            c->blocks[i].skipped = true;
    return true;
}

void map_skip(struct map_compiler *c)
{
    enum { LIMIT = 16 }; // loops and parts; one map cannot hold more
    uint32_t skips = 0;
    for (uint32_t i = 0; c->fn->loops.n <= LIMIT && skips < LIMIT && i < c->fn->rpo.n; i++) {
        uint32_t block = c->fn->rpo.v[i];
        const uint32_t *succs = ir_succs(c->fn, block);
        for (uint32_t k = 0; k < 2 && c->fn->blocks.v[block].succ_count == 2 &&
                             !c->blocks[block].skipped && !c->blocks[block].bounds;
             k++)
            skips += is_skip(c, block, succs[k]) && skip(c, block, succs[k]);
    }
}
