// Evaluates values lane by lane, operands first. A sum is built from its atoms. Other values are
// computed by the operations of affine_warp.h, or, where all sources are fully known, by the
// instruction's own operation. A value that is unknown but equal in all lanes becomes a base. A
// value with unknown differences between the lanes ends the search.
#include "passes/analysis/affine/affine_eval.h"
#include "support/bits.h"
#include <string.h>

enum { MAX_WARPS = 32, WARP_ZEROS = 5, ANY_WARP = UINT16_MAX };

static bool version_value(struct evaluation *e, uint32_t version, uint32_t block,
                          struct affine_warp_value *to);

// Returns true if the value may differ between the warps of a block, as that of a load may.
static bool parts_warps(struct affines *a, const struct affine_atom *atom, uint32_t block)
{
    if (atom->kind == AFFINE_SPECIAL)
        return isa_specials[atom->index].varies == VARIES_WARP;
    if (atom->kind != AFFINE_VERSION)
        return false;
    if (!a->between)
        a->between = divergence_new(a->arena, a->module, a->fn, a->shape, SHAPE_BETWEEN_WARPS);
    return !divergence_uniform_in(a->between, atom->index, block);
}

static bool set_atom(struct evaluation *e, uint32_t atom, uint32_t block,
                     struct affine_warp_value *to)
{
    struct affine_term term = {1, {atom, IR_NONE, IR_NONE}};
    *to = warp_constant(0);
    if (parts_warps(e->affines, &e->affines->atoms.v[atom], block))
        to->assumes |= WARP_MIXED;
    return warp_set_base(e->affines, &term, 1, &to->base);
}

// Special registers

static int64_t lane_mask(uint32_t special, uint32_t lane)
{
    uint32_t below = (UINT32_C(1) << lane) - 1, own = UINT32_C(1) << lane;
    switch (special) {
    case SPECIAL_lanemask_eq: return own;
    case SPECIAL_lanemask_le: return below | own;
    case SPECIAL_lanemask_lt: return below;
    case SPECIAL_lanemask_ge: return ~below;
    default: return ~(below | own);
    }
}

static bool is_lane_mask(uint32_t special)
{
    return special == SPECIAL_lanemask_eq || special == SPECIAL_lanemask_le ||
           special == SPECIAL_lanemask_lt || special == SPECIAL_lanemask_ge ||
           special == SPECIAL_lanemask_gt;
}

// Computes %tid.x for any warp of a one-dimensional block: the lane number plus a multiple of the
// warp size.
static bool thread_anywhere(struct evaluation *e, struct affine_warp_value *to)
{
    struct affine_atom first = {.kind = AFFINE_COMMON,
                                .bits = 32,
                                .zeros = WARP_ZEROS,
                                .aligned = WARP_ZEROS,
                                .member = W_UNKNOWN,
                                .index = IR_NONE,
                                .min = 0,
                                .max = (MAX_WARPS - 1) * WARP_LANES};
    struct affine_term term = {1, {affine_intern(e->affines, &first), IR_NONE, IR_NONE}};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        to->offset[lane] = lane;
    return warp_set_base(e->affines, &term, 1, &to->base);
}

static bool special_value(struct evaluation *e, const struct affine_atom *atom,
                          struct affine_warp_value *to)
{
    const struct block_shape *shape = &e->affines->shape;
    uint32_t special = atom->index;
    *to = warp_constant(0);
    if (special == SPECIAL_ntid && shape_is_known(shape)) {
        *to = warp_constant(shape_max(shape, atom->member));
        return true;
    }
    e->by_thread |= special == SPECIAL_tid;
    if (special == SPECIAL_tid && e->warp == ANY_WARP && atom->member == W_x)
        return thread_anywhere(e, to);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t tid[3];
        shape_thread(shape, (e->warp == ANY_WARP ? 0 : e->warp) * WARP_LANES + lane, tid);
        if (special == SPECIAL_laneid)
            to->offset[lane] = lane;
        else if (special == SPECIAL_tid && atom->member != W_w)
            to->offset[lane] = tid[atom->member == W_z ? 2 : atom->member == W_y];
        else if (is_lane_mask(special))
            to->offset[lane] = lane_mask(special, lane);
        else
            return false;
    }
    return true;
}

// Sums

static bool atom_value(struct evaluation *e, uint32_t id, uint32_t block,
                       struct affine_warp_value *to)
{
    const struct affine_atom atom = e->affines->atoms.v[id];
    struct affine_term term = {1, {id, IR_NONE, IR_NONE}};
    if (atom.kind == AFFINE_SPECIAL && special_value(e, &atom, to))
        return warp_number(e->affines, to, atom.bits, !atom.is_unsigned);
    if (atom.kind == AFFINE_VERSION && version_value(e, atom.index, block, to) &&
        warp_number(e->affines, to, atom.bits, !atom.is_unsigned))
        return true;
    struct affine own = {.terms = &term, .count = 1, .exact_bits = 64};
    return affine_uniform(e->affines, &own, block) && set_atom(e, id, block, to);
}

static bool add_term(struct evaluation *e, const struct affine_term *term, uint32_t block,
                     struct affine_warp_value *total)
{
    struct affine_warp_value product, factor;
    if (!atom_value(e, term->atom[0], block, &product))
        return false;
    for (int k = 1; k < AFFINE_FACTORS && term->atom[k] != IR_NONE; k++)
        if (!atom_value(e, term->atom[k], block, &factor) ||
            !warp_product(e->affines, &product, &factor, &product))
            return false;
    return warp_sum(e->affines, total, &product, term->coefficient, total);
}

static bool sum_value(struct evaluation *e, const struct affine *sum, uint32_t block,
                      struct affine_warp_value *to)
{
    *to = warp_constant(sum->constant);
    to->assumes = sum->assumes;
    for (uint32_t i = 0; i < sum->count; i++)
        if (!add_term(e, &sum->terms[i], block, to))
            return false;
    return true;
}

bool evaluate_operand(struct evaluation *e, uint32_t operand, unsigned bits, uint32_t block,
                      struct affine_warp_value *to)
{
    const struct ir_operand *o = &e->affines->fn->operands.v[operand];
    uint32_t version = e->affines->fn->operand_version.v[operand];
    struct affine value;
    if (o->kind == OPERAND_REGISTER)
        return !o->negated && !o->part && o->member == W_UNKNOWN && version != IR_NONE &&
               evaluate_version(e, version, block, to);
    return affine_read(e->affines, VIEW_WHOLE, operand, bits, &value) &&
           sum_value(e, &value, block, to);
}

// Versions

// Returns true if the lanes that read the version may have left its loop in different iterations,
// and so hold different values.
static bool is_left_apart(const struct evaluation *e, uint32_t version, uint32_t block)
{
    return e->affines->fn->irreducible ||
           divergence_left_apart(e->affines->divergence, version, block);
}

static bool is_itself(const struct affines *a, const struct affine *value, uint32_t version)
{
    return value->count == 1 && !value->constant && value->terms[0].coefficient == 1 &&
           value->terms[0].atom[1] == IR_NONE &&
           a->atoms.v[value->terms[0].atom[0]].kind == AFFINE_VERSION &&
           a->atoms.v[value->terms[0].atom[0]].index == version;
}

static bool compute_version(struct evaluation *e, uint32_t version, uint32_t block,
                            struct affine_warp_value *to)
{
    const struct ir_function *fn = e->affines->fn;
    const struct ir_version *v = &fn->versions.v[version];
    if (fn->registers.v[v->reg].bits > 1) {
        struct affine value = affine_of_version(e->affines, version);
        if (!is_itself(e->affines, &value, version))
            return sum_value(e, &value, block, to);
    }
    switch (v->kind) {
    case VERSION_INST: return evaluate_inst(e, version, to);
    case VERSION_PHI: return evaluate_phi(e, v->index, to);
    default: return false;
    }
}

static bool known_value(struct evaluation *e, uint32_t version, struct affine_warp_value *to)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->versions[i] == version) {
            *to = e->values[i];
            return true;
        }
    return false;
}

bool evaluation_keep(struct evaluation *e, uint32_t version, const struct affine_warp_value *value)
{
    if (e->count == EVALUATION_MAX)
        return false;
    e->versions[e->count] = version;
    e->values[e->count++] = *value;
    return true;
}

// A search that failed for the first warp is not repeated for others: time stays linear where many
// values depend on the same one.
static bool find_version(struct evaluation *e, uint32_t version, uint32_t block,
                         struct affine_warp_value *to)
{
    struct affines *a = e->affines;
    if (!a->hopeless)
        a->hopeless = bits_new(a->arena, a->fn->versions.n);
    if (bits_test(a->hopeless, version) || e->steps++ == EVALUATION_STEPS ||
        e->depth == EVALUATION_DEPTH)
        return false;
    e->depth++;
    bool known = compute_version(e, version, block, to);
    e->depth--;
    if (!known && !e->warp)
        bits_set(a->hopeless, version);
    return known && evaluation_keep(e, version, to);
}

static bool version_value(struct evaluation *e, uint32_t version, uint32_t block,
                          struct affine_warp_value *to)
{
    if (!known_value(e, version, to) && !find_version(e, version, block, to))
        return false;
    return warp_is_exact(to) || !is_left_apart(e, version, block);
}

bool evaluate_version(struct evaluation *e, uint32_t version, uint32_t block,
                      struct affine_warp_value *to)
{
    struct affine own;
    if (version_value(e, version, block, to))
        return true;
    if (!divergence_uniform_in(e->affines->divergence, version, block))
        return false;
    own = affine_opaque(e->affines, version);
    return set_atom(e, own.terms[0].atom[0], block, to);
}

// Atoms

static uint32_t atom_block(const struct affines *a, const struct affine_atom *atom)
{
    return atom->kind == AFFINE_VERSION ? ir_version_block(a->fn, atom->index) : 0;
}

static bool find_warp(struct affines *a, uint32_t atom, uint32_t warp, struct affine_warp *to)
{
    struct evaluation e;
    struct affine_warp_value value;
    e.affines = a;
    e.warp = warp;
    e.by_thread = false;
    e.count = e.steps = e.depth = 0;
    a->bases = e.bases; // not from the arena, in which every search would leave them
    a->base_count = 0;
    if (!atom_value(&e, atom, atom_block(a, &a->atoms.v[atom]), &value))
        return false;
    to->exact = warp_is_exact(&value);
    to->anywhere = !e.by_thread;
    to->apart = to->exact || !(value.assumes & WARP_MIXED);
    to->assumes = value.assumes & ~WARP_MIXED;
    to->granule = UINT64_C(1) << warp_zeros(a, &value.base, true);
    memcpy(to->value, value.offset, sizeof to->value);
    return true;
}

// Caches a few results, since several callers request the same, and remembers atoms without a
// result.
const struct affine_warp *affine_warp(struct affines *a, uint32_t atom, uint32_t warp)
{
    while (a->failed.n <= atom)
        vec_push(a->arena, &a->failed, false);
    if (a->failed.v[atom])
        return NULL;
    if (!a->kept)
        a->kept = ARENA_ARRAY(a->arena, struct kept_warp, KEPT_WARPS);
    struct kept_warp *kept = &a->kept[atom % KEPT_WARPS];
    if (kept->known && kept->atom == atom && (kept->warp == warp || kept->value.anywhere))
        return &kept->value;
    kept->atom = atom;
    kept->warp = warp;
    kept->known = find_warp(a, atom, warp, &kept->value);
    a->failed.v[atom] = !kept->known;
    return kept->known ? &kept->value : NULL;
}

// Evaluates the atom for all warps at once.
static bool find_anywhere(struct affines *a, uint32_t atom, struct affine_all_warps *to)
{
    struct affine_warp at;
    if (!find_warp(a, atom, ANY_WARP, &at))
        return false;
    *to = (struct affine_all_warps){.known = true,
                                    .alike = true,
                                    .same = at.exact,
                                    .anywhere = at.anywhere && at.apart,
                                    .assumes = at.assumes,
                                    .first = at.value[0],
                                    .divisor = at.exact ? 1 : at.granule};
    return true;
}

static struct affine_all_warps find_all_warps(struct affines *a, uint32_t atom)
{
    struct affine_all_warps to = {.known = true, .alike = true, .same = true, .divisor = 1};
    int64_t first[WARP_LANES];
    uint64_t bits = 0;
    for (uint32_t warp = 0; warp < MAX_WARPS; warp++) {
        const struct affine_warp *at = affine_warp(a, atom, warp);
        if (!at)
            return (struct affine_all_warps){.divisor = 1};
        if (!warp)
            memcpy(first, at->value, sizeof first);
        for (uint32_t lane = 1; lane < WARP_LANES; lane++)
            to.alike &= (uint64_t)at->value[lane] - (uint64_t)at->value[0] ==
                        (uint64_t)first[lane] - (uint64_t)first[0];
        to.same &= at->exact && at->value[0] == first[0];
        to.assumes |= at->assumes;
        bits |= ((uint64_t)at->value[0] - (uint64_t)first[0]) | (at->exact ? 0 : at->granule);
        if (at->anywhere)
            break;
    }
    to.first = first[0];
    to.divisor = bits ? bits & -bits : 1;
    return to;
}

struct affine_all_warps affine_all_warps(struct affines *a, uint32_t atom)
{
    while (a->places.n <= atom)
        vec_push(a->arena, &a->places, NULL);
    struct affine_all_warps **at = &a->places.v[atom];
    if (!*at) {
        struct affine_all_warps found;
        if (!find_anywhere(a, atom, &found))
            found = find_all_warps(a, atom);
        at = &a->places.v[atom];
        *at = ARENA_NEW(a->arena, struct affine_all_warps);
        **at = found;
    }
    return **at;
}
