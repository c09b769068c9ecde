// Conversions between 8-bit floating-point numbers, two in a register, and larger formats, as plain
// loops: those without .relu. Others use lanes_number.c.
#include "runtime-sim/exec/lanes/half.h"

// Properties of e4m3 and e5m2 relative to f32. Values that are too large become the largest number.
struct small {
    uint32_t dropped; // fraction digits dropped
    uint32_t normal;  // the smallest normal number, as f32
    uint32_t rebias;  // exponents of f32 below the smallest normal exponent
    uint32_t magic;   // an f32 number whose last digit is that of subnormals
    uint32_t max, nan;
};
static const struct small small_e4m3 = {20, 0x3c800000, 120, 0x46800000, 0x7e, 0x7f};
static const struct small small_e5m2 = {21, 0x38800000, 112, 0x43000000, 0x7b, 0x7f};

INLINE uint32_t small_of_f32(struct small to, float value)
{
    uint32_t bits = bits_f32(value), sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
    uint32_t is_small = mask_below(magnitude, to.normal);
    uint32_t min = choose(is_small, magnitude, to.normal);
    uint32_t low = bits_f32(f32_of(min) + f32_of(to.magic)) - to.magic;
    uint32_t half = (1u << (to.dropped - 1)) - 1 + (magnitude >> to.dropped & 1);
    uint32_t high = (magnitude - (to.rebias << 23) + half) >> to.dropped;
    uint32_t code = choose(is_small, low, high & 0x7fffff);
    code = choose(mask_below(code, to.max), code, to.max);
    return choose(mask_below(0x7f800000, magnitude), to.nan, sign | code);
}

INLINE uint16_t pair_of_f32(struct small to, float high, float low)
{
    return (uint16_t)(small_of_f32(to, high) << 8 | small_of_f32(to, low));
}

INLINE uint32_t f16_of_e4m3(uint32_t bits)
{
    return f16_of_f32(f32_of_e4m3(bits));
}

// The exponents are the same. f16 results have one NaN.
INLINE uint32_t f16_of_e5m2(uint32_t bits)
{
    return (bits & 0x7f) > 0x7c ? HALF_NAN : (bits & 0xff) << 8;
}

LANES_2(e4m3x2_f32, uint16_t, float, float, pair_of_f32(small_e4m3, a, b))
LANES_2(e5m2x2_f32, uint16_t, float, float, pair_of_f32(small_e5m2, a, b))
LANES_1(e4m3x2_f16x2, uint16_t, uint32_t,
        pair_of_f32(small_e4m3, f32_of_f16((uint16_t)(a >> 16)), f32_of_f16((uint16_t)a)))
LANES_1(e5m2x2_f16x2, uint16_t, uint32_t,
        pair_of_f32(small_e5m2, f32_of_f16((uint16_t)(a >> 16)), f32_of_f16((uint16_t)a)))
LANES_1(f16x2_e4m3x2, uint32_t, uint16_t, f16_of_e4m3(a >> 8) << 16 | f16_of_e4m3(a))
LANES_1(f16x2_e5m2x2, uint32_t, uint16_t, f16_of_e5m2(a >> 8) << 16 | f16_of_e5m2(a))

const struct exec_row NAMED(rows_convert_small)[] = {
    {OP_cvt, "e4m3x2 f32", "2=44", ATTR_SAT, .lanes = e4m3x2_f32},
    {OP_cvt, "e5m2x2 f32", "2=44", ATTR_SAT, .lanes = e5m2x2_f32},
    {OP_cvt, "e4m3x2 f16x2", "2=4", ATTR_SAT, .lanes = e4m3x2_f16x2},
    {OP_cvt, "e5m2x2 f16x2", "2=4", ATTR_SAT, .lanes = e5m2x2_f16x2},
    {OP_cvt, "f16x2 e4m3x2", "4=2", 0, .lanes = f16x2_e4m3x2},
    {OP_cvt, "f16x2 e5m2x2", "4=2", 0, .lanes = f16x2_e5m2x2},
    {0},
};
