// Computes the distances between the lanes of a warp, from %tid and %laneid.
#include "passes/analysis/affine/affine_internal.h"

static bool atom_uniform(const struct affines *a, uint32_t atom, uint32_t block)
{
    const struct affine_atom *at = &a->atoms.v[atom];
    switch (at->kind) {
    case AFFINE_SPECIAL: return !at->varies;
    case AFFINE_ITERATION:
        return !a->fn->irreducible && divergence_iterates(a->divergence, at->index, block);
    case AFFINE_VERSION: return divergence_uniform_in(a->divergence, at->index, block);
    default: return true;
    }
}

bool affine_uniform(const struct affines *a, const struct affine *value, uint32_t block)
{
    for (uint32_t i = 0; i < value->count; i++)
        for (int k = 0; k < AFFINE_FACTORS && value->terms[i].atom[k] != IR_NONE; k++)
            if (!atom_uniform(a, value->terms[i].atom[k], block))
                return false;
    return true;
}

static bool is_flat(const int64_t values[WARP_LANES], uint32_t lanes)
{
    for (uint32_t lane = 1; lane < lanes; lane++)
        if (values[lane] != values[0])
            return false;
    return true;
}

// Returns true if the distances between the lanes are equal in all warps that a block may have.
static bool is_alike(struct affines *a, uint32_t atom)
{
    if (a->atoms.v[atom].kind != AFFINE_VERSION)
        return a->warps_alike;
    return !shape_is_known(&a->shape) && affine_all_warps(a, atom).alike;
}

struct spread {
    struct affines *affines;
    uint32_t block, warp;
    struct affine_lanes lanes;
    uint32_t present; // lanes of this warp that exist
};

// After a loop that lanes leave in different iterations, their values are unrelated.
static bool is_left_apart(const struct spread *s, uint32_t atom)
{
    const struct affine_atom *at = &s->affines->atoms.v[atom];
    return at->kind == AFFINE_VERSION &&
           divergence_left_apart(s->affines->divergence, at->index, s->block);
}

// Adds one product. Factors that differ between lanes are multiplied lane by lane. An unknown
// factor that is equal in all lanes leaves the distances unknown.
static bool add_term(struct spread *s, const struct affine_term *term)
{
    int64_t product[WARP_LANES];
    uint32_t varying = 0, same = IR_NONE;
    bool alike = true, exact = true;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        product[lane] = term->coefficient;
    for (int i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        if (atom_uniform(s->affines, term->atom[i], s->block)) {
            same = term->atom[i];
            continue;
        }
        s->lanes.because = term->atom[i];
        const struct affine_warp *at = affine_warp(s->affines, term->atom[i], s->warp);
        if (!at || (!at->exact && is_left_apart(s, term->atom[i])))
            return false;
        varying++;
        exact &= at->exact;
        s->lanes.assumes |= at->assumes;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            product[lane] = (int64_t)((uint64_t)product[lane] * (uint64_t)at->value[lane]);
        alike &= is_alike(s->affines, term->atom[i]);
    }
    if (!varying)
        return true;
    if (!exact && varying > 1)
        return false;
    // A value that is equal in all lanes of this warp may differ in another one: %tid.y.
    s->lanes.same_in_all_warps &= varying == 1 && alike;
    if (is_flat(product, s->present))
        return true;
    if (same != IR_NONE) {
        s->lanes.because = same;
        return false;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        s->lanes.offset[lane] = (int64_t)((uint64_t)s->lanes.offset[lane] +
                                          (uint64_t)product[lane] - (uint64_t)product[0]);
    return true;
}

static uint32_t present_lanes(const struct block_shape *shape, uint32_t warp)
{
    uint32_t threads = shape->x * shape->y * shape->z, first = warp * WARP_LANES;
    if (!shape_is_known(shape) || first + WARP_LANES <= threads)
        return WARP_LANES;
    return first < threads ? threads - first : 0;
}

struct affine_lanes affine_lanes(struct affines *a, const struct affine *value, uint32_t block,
                                 uint32_t warp)
{
    struct spread s = {.affines = a, .block = block, .warp = warp};
    s.present = present_lanes(&a->shape, warp);
    s.lanes.active = s.present == WARP_LANES ? UINT32_MAX : (UINT32_C(1) << s.present) - 1;
    s.lanes.same_in_all_warps = true;
    s.lanes.known = true;
    for (uint32_t i = 0; i < value->count && s.lanes.known; i++)
        s.lanes.known = add_term(&s, &value->terms[i]);
    if (s.lanes.known)
        s.lanes.because = IR_NONE;
    return s.lanes;
}
