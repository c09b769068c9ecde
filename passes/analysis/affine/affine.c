// Requires a function with its SSA overlay and its divergence; changes nothing.
//
// A value is computed on request, after its operands. A stack replaces recursion, because a chain
// of additions may be as long as the function. The phi at a loop's header is a counter, start +
// iteration × step, if all paths around the loop add the same step and the step does not change
// while the loop runs. To find the step, the loop's body is first computed with the phi as an atom
// (VIEW_BODY).
#include "passes/analysis/affine/affine_internal.h"
#include "passes/analysis/affine/address.h"

static bool lanes_alike(const struct block_shape *shape)
{
    if (!shape_is_known(shape) || shape->x % WARP_LANES == 0)
        return true;
    uint32_t plane = shape->x * shape->y, all = plane * shape->z;
    if (all <= WARP_LANES)
        return true;
    bool rows = WARP_LANES % shape->x == 0;
    return rows && (plane % WARP_LANES == 0 || WARP_LANES % plane == 0);
}

struct affines *affines_new(struct arena *arena, const struct ir_module *module,
                            const struct ir_function *fn, const struct divergence *divergence,
                            struct block_shape shape)
{
    struct affines *affines = ARENA_NEW(arena, struct affines);
    *affines = (struct affines){.arena = arena,
                                .module = module,
                                .fn = fn,
                                .divergence = divergence,
                                .shape = shape,
                                .warps_alike = lanes_alike(&shape)};
    for (int view = 0; view < VIEWS; view++)
        affines->place[view] = ARENA_ARRAY(arena, uint32_t, fn->versions.n + 1);
    return affines;
}

// Order of computation

static bool is_known(const struct affines *a, uint32_t version, enum affine_view view)
{
    uint32_t place = a->place[view][version];
    return place && place != AFFINE_OPEN;
}

static void push(struct affines *a, uint32_t version, enum affine_view view)
{
    vec_push(a->arena, &a->stack, version * VIEWS + (uint32_t)view);
}

// Pushes a value that has not been computed. A value under computation is part of a cycle; readers
// on the cycle see it as an atom.
static void ask(struct affines *a, uint32_t version, enum affine_view view)
{
    if (version != IR_NONE && !a->place[view][version])
        push(a, version, view);
}

static bool is_reachable(const struct affines *a, uint32_t block)
{
    return a->fn->blocks.v[block].rpo != IR_NONE;
}

// Returns true if the block has a back edge. It is the header of `loop`, or, with IR_NONE, part of
// a cycle that has another entry.
static bool begins_cycle(const struct affines *a, uint32_t block, uint32_t *loop)
{
    const struct ir_block *b = &a->fn->blocks.v[block];
    *loop = b->loop != IR_NONE && a->fn->loops.v[b->loop].header == block ? b->loop : IR_NONE;
    for (uint32_t i = 0; i < b->pred_count; i++) {
        uint32_t pred = ir_preds(a->fn, block)[i];
        if (is_reachable(a, pred) && a->fn->blocks.v[pred].rpo >= b->rpo)
            return true;
    }
    return false;
}

static bool is_back_edge(const struct affines *a, uint32_t loop, uint32_t pred)
{
    return loop != IR_NONE && ir_in_loop(a->fn, loop, pred);
}

static void ask_phi(struct affines *a, const struct ir_phi *phi, enum affine_view view)
{
    uint32_t loop;
    bool cycle = begins_cycle(a, phi->block, &loop);
    if (cycle && (loop == IR_NONE || view == VIEW_BODY))
        return;
    for (uint32_t i = 0; i < a->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(a->fn, phi->block)[i];
        if (is_reachable(a, pred))
            ask(a, a->fn->phi_args.v[phi->args + i],
                is_back_edge(a, loop, pred) ? VIEW_BODY : view);
    }
}

static void ask_sources(struct affines *a, uint32_t version, enum affine_view view)
{
    const struct ir_version *v = &a->fn->versions.v[version];
    if (v->kind == VERSION_PHI) {
        ask_phi(a, &a->fn->phis.v[v->index], view);
        return;
    }
    if (v->kind != VERSION_INST || !affine_follows(a, v->index))
        return;
    const struct ir_inst *inst = &a->fn->insts.v[v->index];
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
        const struct ir_operand *o = &a->fn->operands.v[i];
        if (o->role == ROLE_USE && o->kind == OPERAND_REGISTER &&
            a->fn->registers.v[o->index].bits > 1)
            ask(a, a->fn->operand_version.v[i], view);
    }
}

// Phis

static struct affine known_value(struct affines *a, uint32_t version, enum affine_view view)
{
    return is_known(a, version, view) ? a->values.v[a->place[view][version] - 1]
                                      : affine_opaque(a, version);
}

// Computes the value that all edges from outside of the loop (without a loop, all edges) carry.
// Returns false if they carry different ones.
static bool common_value(struct affines *a, const struct ir_phi *phi, enum affine_view view,
                         uint32_t loop, struct affine *to)
{
    bool found = false;
    for (uint32_t i = 0; i < a->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(a->fn, phi->block)[i];
        if (!is_reachable(a, pred) || is_back_edge(a, loop, pred))
            continue;
        struct affine value = known_value(a, a->fn->phi_args.v[phi->args + i], view);
        if (found && !affine_equal(&value, to))
            return false;
        if (found) {
            to->assumes |= value.assumes;
            to->exact_bits = value.exact_bits < to->exact_bits ? value.exact_bits : to->exact_bits;
        } else {
            *to = value;
        }
        found = true;
    }
    return found;
}

static bool atom_invariant(const struct affines *a, uint32_t atom, uint32_t loop)
{
    const struct affine_atom *at = &a->atoms.v[atom];
    if (at->kind == AFFINE_ITERATION)
        return !ir_in_loop(a->fn, loop, a->fn->loops.v[at->index].header);
    return at->kind != AFFINE_VERSION || a->fn->versions.v[at->index].kind == VERSION_ENTRY ||
           !ir_in_loop(a->fn, loop, ir_version_block(a->fn, at->index));
}

bool affine_invariant(const struct affines *a, const struct affine *value, uint32_t loop)
{
    for (uint32_t i = 0; i < value->count; i++)
        for (int k = 0; k < AFFINE_FACTORS && value->terms[i].atom[k] != IR_NONE; k++)
            if (!atom_invariant(a, value->terms[i].atom[k], loop))
                return false;
    return true;
}

// Computes the change of the phi per iteration, in VIEW_BODY. Returns false if it is not a constant
// of the loop.
static bool find_step(struct affines *a, const struct ir_phi *phi, uint32_t loop,
                      struct affine *step)
{
    struct affine self = affine_opaque(a, phi->version), added;
    unsigned bits = a->fn->registers.v[phi->reg].bits;
    bool found = false;
    for (uint32_t i = 0; i < a->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(a->fn, phi->block)[i];
        if (!is_reachable(a, pred) || !is_back_edge(a, loop, pred))
            continue;
        struct affine next = known_value(a, a->fn->phi_args.v[phi->args + i], VIEW_BODY);
        struct sum sum = sum_new();
        sum_add(&sum, &next, 1);
        sum_add(&sum, &self, -1);
        sum_cut(&sum, bits);
        if (!sum_keep(a, &sum, &added) || !affine_invariant(a, &added, loop) ||
            (found && !affine_equal(&added, step)))
            return false;
        *step = added;
        found = true;
    }
    return found;
}

// Returns the atom's version if it is a phi at a loop's header, or IR_NONE. In a loop-invariant
// step, such a phi belongs to an outer loop.
static uint32_t outer_counter(const struct affines *a, uint32_t atom)
{
    const struct affine_atom *at = &a->atoms.v[atom];
    if (at->kind != AFFINE_VERSION || at->is_unsigned)
        return IR_NONE;
    const struct ir_version *v = &a->fn->versions.v[at->index];
    uint32_t loop;
    return v->kind == VERSION_PHI && begins_cycle(a, a->fn->phis.v[v->index].block, &loop) &&
                   loop != IR_NONE
               ? at->index
               : IR_NONE;
}

// Requests the outer counters that the step contains. Returns true if all are known.
static bool ask_counters(struct affines *a, const struct affine *step)
{
    bool known = true;
    for (uint32_t i = 0; i < step->count; i++)
        for (int k = 0; k < AFFINE_FACTORS && step->terms[i].atom[k] != IR_NONE; k++) {
            uint32_t counter = outer_counter(a, step->terms[i].atom[k]);
            if (counter != IR_NONE && !a->place[VIEW_WHOLE][counter]) {
                ask(a, counter, VIEW_WHOLE);
                known = false;
            }
        }
    return known;
}

// Returns an outer counter in a sum of `bits` bits. A narrower counter has been sign-extended.
static struct affine counter_value(struct affines *a, uint32_t counter, unsigned bits)
{
    struct affine value = known_value(a, counter, VIEW_WHOLE);
    unsigned own = a->fn->registers.v[a->fn->versions.v[counter].reg].bits;
    if (own >= bits || (value.exact_bits >= own && affine_fits(a, &value, own, true)))
        return value;
    value.exact_bits = value.exact_bits < own ? value.exact_bits : (uint8_t)own;
    value.assumes |= AFFINE_SIGNED;
    return value;
}

// Replaces the outer counters of a step by their values. Returns false if the sum gets too long.
static bool resolve(struct affines *a, const struct affine *step, unsigned bits, struct affine *to)
{
    struct sum sum = sum_new();
    sum.constant = step->constant;
    sum.exact_bits = step->exact_bits;
    sum.assumes = step->assumes;
    for (uint32_t i = 0; i < step->count; i++) {
        struct affine product = affine_constant(step->terms[i].coefficient);
        for (int k = 0; k < AFFINE_FACTORS && step->terms[i].atom[k] != IR_NONE; k++) {
            uint32_t counter = outer_counter(a, step->terms[i].atom[k]);
            struct affine factor = counter != IR_NONE
                                       ? counter_value(a, counter, bits)
                                       : affine_of_atom(a, &a->atoms.v[step->terms[i].atom[k]]);
            struct sum next = sum_new();
            sum_product(&next, &product, &factor);
            if (!sum_keep(a, &next, &product))
                return false;
        }
        sum_add(&sum, &product, 1);
    }
    return sum_keep(a, &sum, to);
}

// Computes start + iteration × step. Returns false if another value must be computed first.
static bool count_up(struct affines *a, const struct ir_phi *phi, uint32_t loop, struct affine *to)
{
    struct affine start, step;
    struct sum sum = sum_new();
    struct affine_atom atom = {
        .kind = AFFINE_ITERATION, .bits = 64, .index = loop, .min = 0, .max = INT64_MAX};
    *to = affine_opaque(a, phi->version);
    if (!common_value(a, phi, VIEW_WHOLE, loop, &start) || !find_step(a, phi, loop, &step))
        return true;
    if (!ask_counters(a, &step))
        return false;
    if (!resolve(a, &step, a->fn->registers.v[phi->reg].bits, &step))
        return true;
    struct affine iteration = affine_of_atom(a, &atom);
    sum_product(&sum, &iteration, &step);
    sum_add(&sum, &start, 1);
    sum_cut(&sum, a->fn->registers.v[phi->reg].bits);
    sum_keep(a, &sum, to);
    return true;
}

static bool phi_value(struct affines *a, uint32_t version, enum affine_view view, struct affine *to)
{
    const struct ir_phi *phi = &a->fn->phis.v[a->fn->versions.v[version].index];
    uint32_t loop;
    bool cycle = begins_cycle(a, phi->block, &loop);
    if (cycle && loop != IR_NONE && view == VIEW_WHOLE)
        return count_up(a, phi, loop, to);
    if (cycle || !common_value(a, phi, view, IR_NONE, to))
        *to = affine_opaque(a, version);
    return true;
}

// Returns false if another value must be computed first.
static bool compute(struct affines *a, uint32_t version, enum affine_view view, struct affine *to)
{
    const struct ir_version *v = &a->fn->versions.v[version];
    if (v->kind == VERSION_PHI)
        return phi_value(a, version, view, to);
    if (v->kind == VERSION_ENTRY || !affine_of_inst(a, view, version, to))
        *to = affine_opaque(a, version);
    return true;
}

static void evaluate(struct affines *a, uint32_t asked)
{
    ask(a, asked, VIEW_WHOLE);
    while (a->stack.n) {
        uint32_t top = a->stack.v[a->stack.n - 1], version = top / VIEWS;
        enum affine_view view = (enum affine_view)(top % VIEWS);
        struct affine value;
        if (!a->place[view][version]) {
            a->place[view][version] = AFFINE_OPEN;
            ask_sources(a, version, view);
            continue;
        }
        if (is_known(a, version, view)) {
            a->stack.n--;
        } else if (compute(a, version, view, &value)) {
            vec_push(a->arena, &a->values, value);
            a->place[view][version] = a->values.n;
            a->stack.n--;
        }
    }
}

struct affine affine_of_version(struct affines *a, uint32_t version)
{
    evaluate(a, version);
    return known_value(a, version, VIEW_WHOLE);
}

bool affine_of_operand(struct affines *a, uint32_t operand, struct affine *to)
{
    const struct ir_operand *o = &a->fn->operands.v[operand];
    uint32_t version = a->fn->operand_version.v[operand];
    unsigned bits = ir_type_bits(a->fn->insts.v[a->fn->operand_inst.v[operand]].type);
    if (o->kind == OPERAND_REGISTER && version != IR_NONE && a->fn->registers.v[o->index].bits > 1)
        evaluate(a, version);
    return affine_read(a, VIEW_WHOLE, operand, bits ? bits : 64, to);
}

bool affine_of_address(struct affines *a, uint32_t inst, struct affine *address)
{
    uint32_t operand = ir_find_operand(a->fn, inst, ROLE_ADDRESS, 0);
    if (operand == IR_NONE)
        return false;
    const struct ir_operand *o = &a->fn->operands.v[operand];
    if (o->kind == OPERAND_IMMEDIATE) {
        *address = affine_constant(o->value);
        return true;
    }
    if (!affine_of_operand(a, operand, address))
        return false;
    if (o->kind == OPERAND_REGISTER)
        address->constant = (int64_t)((uint64_t)address->constant + (uint64_t)o->value);
    return true;
}
