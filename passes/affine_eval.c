// Values that are computed from a thread's place in its block alone, lane by lane: `%tid.x & 15`,
// `%tid.x / 12`. Expressions do not look into them.
#include "passes/affine_internal.h"
#include <string.h>

enum { MOST_STEPS = 32 }; // instructions looked at for one value

struct evaluation {
    const struct affines *affines;
    uint32_t warp, steps;
};

// What one lane computes. False: not an operation on integers that is known here.
typedef bool compute_fn(uint64_t *to, const uint64_t s[3], unsigned bits, bool is_signed);

#define COMPUTE(name, ...)                                                                         \
    static bool name(uint64_t *to, const uint64_t s[3], unsigned bits, bool is_signed)             \
    {                                                                                              \
        (void)bits, (void)is_signed;                                                               \
        *to = (__VA_ARGS__);                                                                       \
        return true;                                                                               \
    }
COMPUTE(copy, s[0])
COMPUTE(sum_of, s[0] + s[1])
COMPUTE(difference_of, s[0] - s[1])
COMPUTE(product_of, s[0] * s[1])
COMPUTE(mad_of, s[0] * s[1] + s[2])
COMPUTE(and_of, s[0] & s[1])
COMPUTE(or_of, s[0] | s[1])
COMPUTE(xor_of, s[0] ^ s[1])
COMPUTE(shl_of, (uint32_t)s[1] < bits ? s[0] << (uint32_t)s[1] : 0)

static bool shr_of(uint64_t *to, const uint64_t s[3], unsigned bits, bool is_signed)
{
    uint32_t by = (uint32_t)s[1] < bits ? (uint32_t)s[1] : bits - 1;
    bool all = (uint32_t)s[1] >= bits;
    *to = is_signed ? (uint64_t)((int64_t)s[0] >> by) : all ? 0 : s[0] >> by;
    return true;
}

static bool div_of(uint64_t *to, const uint64_t s[3], unsigned bits, bool is_signed)
{
    (void)bits;
    if (!s[1] || (is_signed && s[1] == UINT64_MAX))
        return false;
    *to = is_signed ? (uint64_t)((int64_t)s[0] / (int64_t)s[1]) : s[0] / s[1];
    return true;
}

static bool rem_of(uint64_t *to, const uint64_t s[3], unsigned bits, bool is_signed)
{
    (void)bits;
    if (!s[1] || (is_signed && s[1] == UINT64_MAX))
        return false;
    *to = is_signed ? (uint64_t)((int64_t)s[0] % (int64_t)s[1]) : s[0] % s[1];
    return true;
}

struct operation {
    uint16_t op, word; // modifier that must be there, or W_UNKNOWN
    uint8_t sources;
    bool wide; // the result has twice the bits
    compute_fn *compute;
};

static const struct operation operations[] = {
    {OP_mov, W_UNKNOWN, 1, false, copy},   {OP_cvt, W_UNKNOWN, 1, false, copy},
    {OP_add, W_UNKNOWN, 2, false, sum_of}, {OP_sub, W_UNKNOWN, 2, false, difference_of},
    {OP_mul, W_wide, 2, true, product_of}, {OP_mul, W_lo, 2, false, product_of},
    {OP_mad, W_wide, 3, true, mad_of},     {OP_mad, W_lo, 3, false, mad_of},
    {OP_and, W_UNKNOWN, 2, false, and_of}, {OP_or, W_UNKNOWN, 2, false, or_of},
    {OP_xor, W_UNKNOWN, 2, false, xor_of}, {OP_shl, W_UNKNOWN, 2, false, shl_of},
    {OP_shr, W_UNKNOWN, 2, false, shr_of}, {OP_div, W_UNKNOWN, 2, false, div_of},
    {OP_rem, W_UNKNOWN, 2, false, rem_of},
};

static const struct operation *find_operation(const struct affines *a, uint32_t inst)
{
    uint16_t op = a->fn->insts.v[inst].op;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op && (operations[i].word == W_UNKNOWN ||
                                       ir_has_modifier(a->module, a->fn, inst, operations[i].word)))
            return &operations[i];
    return NULL;
}

static bool is_signed_type(uint16_t type)
{
    return type == W_s8 || type == W_s16 || type == W_s32 || type == W_s64;
}

static bool is_integer_type(uint16_t type)
{
    switch (type) {
    case W_u8:
    case W_u16:
    case W_u32:
    case W_u64:
    case W_b16:
    case W_b32:
    case W_b64: return true;
    default: return is_signed_type(type);
    }
}

static uint64_t extended(uint64_t value, unsigned bits, bool is_signed)
{
    return (uint64_t)affine_extended((int64_t)value, bits, is_signed);
}

static bool special_values(const struct evaluation *e, uint32_t special, uint16_t member,
                           uint64_t values[WARP_LANES])
{
    const struct block_shape *shape = &e->affines->shape;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t tid[3];
        shape_thread(shape, e->warp * WARP_LANES + lane, tid);
        if (special == SPECIAL_laneid)
            values[lane] = lane;
        else if (special == SPECIAL_tid)
            values[lane] = tid[member == W_z ? 2 : member == W_y];
        else if (special == SPECIAL_ntid && shape_is_known(shape))
            values[lane] = shape_most(shape, member);
        else
            return false;
    }
    return true;
}

static bool version_values(struct evaluation *e, uint32_t version, uint64_t values[WARP_LANES]);

static bool operand_values(struct evaluation *e, uint32_t operand, uint64_t values[WARP_LANES])
{
    const struct ir_function *fn = e->affines->fn;
    const struct ir_operand *at = &fn->operands.v[operand];
    if (at->part || at->negated)
        return false;
    switch (at->kind) {
    case OPERAND_IMMEDIATE:
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            values[lane] = (uint64_t)at->value;
        return true;
    case OPERAND_SPECIAL: return special_values(e, at->index, at->member, values);
    case OPERAND_REGISTER:
        return at->member == W_UNKNOWN && fn->operand_version.v[operand] != IR_NONE &&
               version_values(e, fn->operand_version.v[operand], values);
    default: return false;
    }
}

// Saturation, rounding and carries are none of this; a `cvt` has two types.
static bool is_plain(const struct affines *a, uint32_t inst, const struct operation *operation)
{
    const struct ir_inst *at = &a->fn->insts.v[inst];
    bool converts = at->op == OP_cvt;
    return !(at->flags & INST_GUARDED) && at->vector == 1 && is_integer_type(at->type) &&
           converts == (at->type2 != W_UNKNOWN) && (!converts || is_integer_type(at->type2)) &&
           at->operand_count == operation->sources + 1u &&
           !ir_has_modifier(a->module, a->fn, inst, W_sat) &&
           a->fn->operands.v[at->operands].role == ROLE_DEF;
}

static bool inst_values(struct evaluation *e, uint32_t inst, uint64_t values[WARP_LANES])
{
    const struct ir_inst *at = &e->affines->fn->insts.v[inst];
    const struct operation *operation = find_operation(e->affines, inst);
    uint64_t sources[3][WARP_LANES];
    if (!operation || !is_plain(e->affines, inst, operation))
        return false;
    uint16_t type = at->op == OP_cvt ? at->type2 : at->type;
    unsigned bits = ir_type_bits(type), wide = operation->wide ? 2 * bits : bits;
    bool is_signed = is_signed_type(type);
    for (uint32_t i = 0; i < operation->sources; i++)
        if (!operand_values(e, at->operands + 1 + i, sources[i]))
            return false;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t s[3] = {0};
        for (uint32_t i = 0; i < operation->sources; i++)
            s[i] = extended(sources[i][lane], i == 2 ? wide : bits, is_signed);
        if (!operation->compute(&values[lane], s, bits, is_signed))
            return false;
        if (at->op == OP_cvt)
            values[lane] = extended(values[lane], ir_type_bits(at->type), is_signed_type(at->type));
    }
    return true;
}

static bool version_values(struct evaluation *e, uint32_t version, uint64_t values[WARP_LANES])
{
    const struct ir_version *at = &e->affines->fn->versions.v[version];
    return at->kind == VERSION_INST && e->steps++ < MOST_STEPS && inst_values(e, at->index, values);
}

bool affine_lane_values(const struct affines *a, uint32_t atom, uint32_t warp,
                        int64_t values[WARP_LANES])
{
    const struct affine_atom *at = &a->atoms.v[atom];
    struct evaluation e = {.affines = a, .warp = warp};
    uint64_t found[WARP_LANES];
    bool known = at->kind == AFFINE_SPECIAL   ? special_values(&e, at->index, at->member, found)
                 : at->kind == AFFINE_VERSION ? version_values(&e, at->index, found)
                                              : false;
    for (uint32_t lane = 0; lane < WARP_LANES && known; lane++)
        values[lane] = (int64_t)extended(found[lane], at->bits, !at->is_unsigned);
    return known;
}

enum { MOST_WARPS = 32 };

static struct affine_places find_places(const struct affines *a, uint32_t atom)
{
    struct affine_places to = {.known = true, .alike = true, .same = true, .divisor = 1};
    int64_t first[WARP_LANES], values[WARP_LANES];
    uint64_t bits = 0;
    for (uint32_t warp = 0; warp < MOST_WARPS; warp++) {
        if (!affine_lane_values(a, atom, warp, values))
            return (struct affine_places){.divisor = 1};
        if (!warp)
            memcpy(first, values, sizeof first);
        for (uint32_t lane = 1; lane < WARP_LANES; lane++)
            to.alike &= (uint64_t)values[lane] - (uint64_t)values[0] ==
                        (uint64_t)first[lane] - (uint64_t)first[0];
        to.same &= values[0] == first[0];
        bits |= (uint64_t)values[0];
    }
    to.first = first[0];
    to.divisor = bits ? bits & -bits : 1;
    return to;
}

struct affine_places affine_places(struct affines *a, uint32_t atom)
{
    while (a->places.n <= atom)
        vec_push(a->arena, &a->places, NULL);
    struct affine_places **at = &a->places.v[atom];
    if (!*at) {
        *at = ARENA_NEW(a->arena, struct affine_places);
        **at = find_places(a, atom);
    }
    return **at;
}
