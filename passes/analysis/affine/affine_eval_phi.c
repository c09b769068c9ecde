// Evaluates phis lane by lane. At a reconvergence point the branch chooses between the two paths.
// At a loop's header the lanes keep the distances that they had at the entry if each iteration adds
// the same value to all of them.
#include "passes/analysis/affine/affine_eval.h"

enum { ROUNDS = 3 }; // limit on the rounds that narrow the common divisor of the steps

static bool is_reachable(const struct ir_function *fn, uint32_t block)
{
    return fn->blocks.v[block].rpo != IR_NONE;
}

// Evaluates the argument of a predecessor. It must be valid both at the predecessor's end and at
// the phi.
static bool evaluate_argument(struct evaluation *e, const struct ir_phi *phi, uint32_t pred,
                              struct affine_warp_value *to)
{
    const struct affines *a = e->affines;
    uint32_t version = a->fn->phi_args.v[phi->args + pred];
    uint32_t block = ir_preds(a->fn, phi->block)[pred];
    if (!divergence_left_apart(a->divergence, version, block))
        block = phi->block;
    return evaluate_version(e, version, block, to);
}

// Branches

// Returns the position, among the successors of the branch, of the one that leads to the phi
// through this predecessor, or IR_NONE.
static uint32_t way_to(const struct ir_function *fn, uint32_t branch, uint32_t pred, uint32_t block)
{
    uint32_t found = IR_NONE;
    for (uint32_t i = 0; i < fn->blocks.v[branch].succ_count; i++) {
        uint32_t to = ir_succs(fn, branch)[i];
        bool alone = fn->blocks.v[to].pred_count == 1;
        if (pred == branch ? to != block : !alone || !ir_dominates(fn, to, pred))
            continue;
        if (found != IR_NONE)
            return IR_NONE;
        found = i;
    }
    return found;
}

// Evaluates the guard of the block's two-way branch. *first is true if lanes whose guard is 1 take
// successor 0.
static bool condition_of(struct evaluation *e, uint32_t branch, struct affine_warp_value *to,
                         bool *first)
{
    const struct ir_function *fn = e->affines->fn;
    const struct ir_block *b = &fn->blocks.v[branch];
    const struct ir_inst *at = &fn->insts.v[b->end - 1];
    if (b->first == b->end || at->op != OP_bra || !(at->flags & INST_GUARDED) || b->succ_count != 2)
        return false;
    uint32_t label = ir_find_operand(fn, b->end - 1, ROLE_LABEL, 0);
    uint32_t guard = ir_find_operand(fn, b->end - 1, ROLE_GUARD, 0);
    if (label == IR_NONE || guard == IR_NONE || fn->operands.v[label].kind != OPERAND_LABEL ||
        ir_succs(fn, branch)[0] == ir_succs(fn, branch)[1])
        return false;
    bool taken_first = fn->operands.v[label].index == ir_succs(fn, branch)[0];
    *first = taken_first != ((at->flags & INST_GUARD_NEGATED) != 0);
    return evaluate_operand(e, guard, 1, branch, to);
}

static bool join(struct evaluation *e, const struct ir_phi *phi, struct affine_warp_value *to)
{
    const struct ir_function *fn = e->affines->fn;
    uint32_t branch = fn->blocks.v[phi->block].idom, ways = 0;
    struct affine_warp_value condition, values[2];
    struct warp_operation at = {e->affines, phi->version, fn->registers.v[phi->reg].bits, true};
    bool first;
    if (branch == IR_NONE || fn->blocks.v[branch].loop != fn->blocks.v[phi->block].loop ||
        fn->blocks.v[phi->block].pred_count != 2 || !condition_of(e, branch, &condition, &first))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t pred = ir_preds(fn, phi->block)[i], way = IR_NONE;
        if (is_reachable(fn, pred))
            way = way_to(fn, branch, pred, phi->block);
        if (way == IR_NONE || !evaluate_argument(e, phi, i, &values[way]))
            return false;
        ways |= 1u << way;
    }
    return ways == 3 && warp_choose(&at, &condition, &values[!first], &values[first], to);
}

// Loops

static bool is_header(const struct ir_function *fn, uint32_t block)
{
    uint32_t loop = fn->blocks.v[block].loop;
    return loop != IR_NONE && fn->loops.v[loop].header == block;
}

static bool comes_back(const struct ir_function *fn, uint32_t block, uint32_t pred)
{
    return ir_in_loop(fn, fn->blocks.v[block].loop, pred);
}

// Evaluates the argument of the only edge into the loop. Returns false if there are several.
static bool entering(struct evaluation *e, const struct ir_phi *phi, struct affine_warp_value *to)
{
    const struct ir_function *fn = e->affines->fn;
    uint32_t found = 0;
    for (uint32_t i = 0; i < fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(fn, phi->block)[i];
        if (!is_reachable(fn, pred) || comes_back(fn, phi->block, pred))
            continue;
        if (found++ || !evaluate_argument(e, phi, i, to))
            return false;
    }
    return found == 1;
}

// Returns true if every back edge adds the same value to `start` in all lanes. Lowers *zeros and
// *aligned to the zero bits that the phi keeps.
static bool comes_round(struct evaluation *e, const struct ir_phi *phi,
                        const struct affine_warp_value *start, unsigned *zeros, unsigned *aligned,
                        uint8_t *assumes)
{
    const struct ir_function *fn = e->affines->fn;
    for (uint32_t i = 0; i < fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(fn, phi->block)[i];
        struct affine_warp_value next;
        if (!is_reachable(fn, pred) || !comes_back(fn, phi->block, pred))
            continue;
        if (!evaluate_argument(e, phi, i, &next))
            return false;
        for (uint32_t lane = 1; lane < WARP_LANES; lane++)
            if ((uint64_t)next.offset[lane] - (uint64_t)next.offset[0] !=
                (uint64_t)start->offset[lane] - (uint64_t)start->offset[0])
                return false;
        uint64_t step = (uint64_t)next.offset[0] - (uint64_t)start->offset[0];
        unsigned own = step ? (unsigned)__builtin_ctzll(step) : 64;
        *zeros = smaller(*zeros, smaller(own, warp_zeros(e->affines, &next.base, false)));
        *aligned = smaller(*aligned, smaller(own, warp_zeros(e->affines, &next.base, true)));
        *assumes |= next.assumes | (step ? WARP_MIXED : 0);
    }
    return true;
}

// Values kept in a round are valid only if its assumption holds; otherwise they are discarded.
static bool go_round(struct evaluation *e, const struct ir_phi *phi,
                     const struct affine_warp_value *start, struct affine_warp_value *to)
{
    struct warp_operation at = {e->affines, phi->version,
                                e->affines->fn->registers.v[phi->reg].bits, true};
    unsigned zeros = warp_zeros(e->affines, &start->base, false);
    unsigned aligned = warp_zeros(e->affines, &start->base, true);
    uint8_t assumes = start->assumes;
    uint32_t count = e->count;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned found = zeros, found_aligned = aligned;
        e->count = count;
        *to = *start;
        if (!warp_set_common(&at, zeros, INT64_MIN, INT64_MAX, to))
            break;
        warp_align(e->affines, to, aligned);
        to->assumes = assumes;
        if (!evaluation_keep(e, phi->version, to) ||
            !comes_round(e, phi, start, &found, &found_aligned, &assumes))
            break;
        if (found == zeros && found_aligned == aligned && to->assumes == assumes)
            return true;
        zeros = found;
        aligned = found_aligned;
    }
    e->count = count;
    return false;
}

bool evaluate_phi(struct evaluation *e, uint32_t index, struct affine_warp_value *to)
{
    const struct ir_phi *phi = &e->affines->fn->phis.v[index];
    struct affine_warp_value start;
    if (e->affines->fn->irreducible)
        return false;
    if (!is_header(e->affines->fn, phi->block))
        return join(e, phi, to);
    return e->affines->fn->registers.v[phi->reg].bits > 1 && entering(e, phi, &start) &&
           go_round(e, phi, &start, to);
}
