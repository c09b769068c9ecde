// Evaluates instructions on numbers, for values that are known in each lane.
#include "passes/analysis/affine/affine_warp.h"

__extension__ typedef unsigned __int128 wide_number;

// Requires sources extended from the type's width. Returns false if the result is unknown.
typedef bool compute_fn(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed);

#define COMPUTE(name, ...)                                                                         \
    static bool name(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)             \
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
COMPUTE(negative_of, -s[0])
COMPUTE(complement_of, ~s[0])
COMPUTE(and_of, s[0] & s[1])
COMPUTE(or_of, s[0] | s[1])
COMPUTE(xor_of, s[0] ^ s[1])
COMPUTE(choice_of, s[2] & 1 ? s[0] : s[1])
COMPUTE(shl_of, (uint32_t)s[1] < bits ? s[0] << (uint32_t)s[1] : 0)

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
    return is_signed ? (int64_t)a < (int64_t)b : a < b;
}
COMPUTE(min_of, is_less(s[1], s[0], is_signed) ? s[1] : s[0])
COMPUTE(max_of, is_less(s[0], s[1], is_signed) ? s[1] : s[0])
COMPUTE(magnitude_of, (int64_t)s[0] < 0 ? -s[0] : s[0])

static uint64_t low_bits(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}
COMPUTE(popc_of, (uint64_t)__builtin_popcountll(low_bits(s[0], bits)))

static bool clz_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    (void)is_signed;
    uint64_t a = low_bits(s[0], bits);
    *to = a ? (uint64_t)__builtin_clzll(a) - (64 - bits) : bits;
    return true;
}

static bool brev_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    (void)is_signed;
    *to = 0;
    for (unsigned i = 0; i < bits; i++)
        *to |= (s[0] >> i & 1) << (bits - 1 - i);
    return true;
}

static bool shr_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    bool all = (uint32_t)s[1] >= bits;
    uint32_t by = all ? bits - 1 : (uint32_t)s[1];
    *to = is_signed ? (uint64_t)((int64_t)s[0] >> by) : all ? 0 : s[0] >> by;
    return true;
}

static bool div_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    (void)bits;
    if (!s[1] || (is_signed && s[1] == UINT64_MAX))
        return false;
    *to = is_signed ? (uint64_t)((int64_t)s[0] / (int64_t)s[1]) : s[0] / s[1];
    return true;
}

static bool rem_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    (void)bits;
    if (!s[1] || (is_signed && s[1] == UINT64_MAX))
        return false;
    *to = is_signed ? (uint64_t)((int64_t)s[0] % (int64_t)s[1]) : s[0] % s[1];
    return true;
}

static bool high_product_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    wide_number a = is_signed ? (wide_number)(int64_t)s[0] : s[0];
    wide_number b = is_signed ? (wide_number)(int64_t)s[1] : s[1];
    *to = (uint64_t)(a * b >> bits);
    return true;
}

// Position and length are the low bytes of their sources.
static bool bfe_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    unsigned from = (uint8_t)s[1], length = (uint8_t)s[2];
    if (!length || from + length > bits)
        return false;
    *to = extended_number(s[0] >> from, length, is_signed);
    return true;
}

static bool bfi_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    unsigned from = (uint8_t)s[2], length = (uint8_t)s[3];
    (void)is_signed;
    if (!length || from + length > bits)
        return false;
    uint64_t field = low_bits(UINT64_MAX, length) << from;
    *to = (s[1] & ~field) | (s[0] << from & field);
    return true;
}

// Bit i of the table is the result for the source bits that form the number i.
static bool lop3_of(uint64_t *to, const uint64_t s[4], unsigned bits, bool is_signed)
{
    (void)bits, (void)is_signed;
    *to = 0;
    for (unsigned i = 0; i < 8; i++)
        if (s[3] >> i & 1)
            *to |= (i & 4 ? s[0] : ~s[0]) & (i & 2 ? s[1] : ~s[1]) & (i & 1 ? s[2] : ~s[2]);
    return true;
}

static const struct operation {
    uint16_t op, word; // required modifier, or W_UNKNOWN
    uint8_t sources;
    bool wide; // the result has twice the bits
    compute_fn *compute;
} operations[] = {
    {OP_mov, W_UNKNOWN, 1, false, copy},
    {OP_cvt, W_UNKNOWN, 1, false, copy},
    {OP_add, W_UNKNOWN, 2, false, sum_of},
    {OP_sub, W_UNKNOWN, 2, false, difference_of},
    {OP_mul, W_wide, 2, true, product_of},
    {OP_mul, W_lo, 2, false, product_of},
    {OP_mul, W_hi, 2, false, high_product_of},
    {OP_mad, W_wide, 3, true, mad_of},
    {OP_mad, W_lo, 3, false, mad_of},
    {OP_neg, W_UNKNOWN, 1, false, negative_of},
    {OP_abs, W_UNKNOWN, 1, false, magnitude_of},
    {OP_min, W_UNKNOWN, 2, false, min_of},
    {OP_max, W_UNKNOWN, 2, false, max_of},
    {OP_not, W_UNKNOWN, 1, false, complement_of},
    {OP_and, W_UNKNOWN, 2, false, and_of},
    {OP_or, W_UNKNOWN, 2, false, or_of},
    {OP_xor, W_UNKNOWN, 2, false, xor_of},
    {OP_lop3, W_UNKNOWN, 4, false, lop3_of},
    {OP_shl, W_UNKNOWN, 2, false, shl_of},
    {OP_shr, W_UNKNOWN, 2, false, shr_of},
    {OP_bfe, W_UNKNOWN, 3, false, bfe_of},
    {OP_bfi, W_UNKNOWN, 4, false, bfi_of},
    {OP_brev, W_UNKNOWN, 1, false, brev_of},
    {OP_popc, W_UNKNOWN, 1, false, popc_of},
    {OP_clz, W_UNKNOWN, 1, false, clz_of},
    {OP_div, W_UNKNOWN, 2, false, div_of},
    {OP_rem, W_UNKNOWN, 2, false, rem_of},
    {OP_selp, W_UNKNOWN, 3, false, choice_of},
};

const struct operation *operation_find(const struct affines *a, uint32_t inst)
{
    uint16_t op = a->fn->insts.v[inst].op;
    for (size_t i = 0; i < ARRAY_LENGTH(operations); i++)
        if (operations[i].op == op && (operations[i].word == W_UNKNOWN ||
                                       ir_has_modifier(a->module, a->fn, inst, operations[i].word)))
            return &operations[i];
    return NULL;
}

unsigned operation_sources(const struct operation *operation)
{
    return operation->sources;
}

// The third source of a wide operation is as wide as the result, the others as the type.
bool operation_compute_number(const struct operation *operation, const uint64_t s[4], unsigned bits,
                              bool is_signed, uint64_t *to)
{
    uint64_t of[4] = {0};
    for (uint32_t i = 0; i < operation->sources; i++) {
        unsigned width = i == 2 && operation->wide ? 2 * bits : bits;
        of[i] = extended_number(s[i], width, is_signed);
    }
    return operation->compute(to, of, bits, is_signed);
}

static bool compute_lane(const struct operation *operation, const struct affine_warp_value *s,
                         uint32_t lane, unsigned bits, bool is_signed, uint64_t *to)
{
    uint64_t of[4] = {0};
    for (uint32_t i = 0; i < operation->sources; i++)
        of[i] = (uint64_t)s[i].offset[lane];
    return operation_compute_number(operation, of, bits, is_signed, to);
}

bool operation_compute(const struct operation *operation, const struct affine_warp_value *s,
                       unsigned bits, bool is_signed, struct affine_warp_value *to)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t value;
        if (!compute_lane(operation, s, lane, bits, is_signed, &value))
            return false;
        to->offset[lane] = (int64_t)value;
    }
    return true;
}
