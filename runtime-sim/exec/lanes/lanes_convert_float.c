// The floating-point conversions that compilers emit most, as plain loops. Others use
// lanes_number.c.
//
// A row without a rounding modifier has the default rounding, to nearest even or to the nearest
// integer.
#include "runtime-sim/exec/lanes/half.h"

// To integers. Values outside the range become its nearest limit. `t` is already rounded, or is to
// be truncated. Values outside the range are replaced before the conversion, so that the code has
// no branches.

INLINE int32_t s32_of_f32(float t)
{
    bool inside = t >= -0x1p31f && t < 0x1p31f;
    int32_t value = (int32_t)(inside ? t : 0);
    value = t >= 0x1p31f ? INT32_MAX : value;
    return t < -0x1p31f ? INT32_MIN : value;
}

// Positive numbers are ordered like their bits, with NaN above them.
INLINE uint32_t u32_of_f32(float t)
{
    uint32_t bits = bits_f32(t), half = 0x4f000000, end = 0x4f800000, nan = 0x7f800001;
    uint32_t positive = bits & ~(uint32_t)((int32_t)bits >> 31);
    uint32_t in = positive & mask_below(positive, end), large = ~mask_below(in, half);
    uint32_t over = ~mask_below(positive, end) & mask_below(positive, nan);
    float low = f32_of(in) - f32_of(half & large);
    return ((uint32_t)(int32_t)low + (large & 0x80000000)) | over;
}

INLINE int32_t s32_of_f64(double t)
{
    bool inside = t > -0x1p31 - 1 && t < 0x1p31;
    int32_t value = (int32_t)(inside ? t : -0x1p31); // for NaN, too
    return t >= 0x1p31 ? INT32_MAX : value;
}

INLINE uint32_t u32_of_f64(double t)
{
    bool inside = t >= 0 && t < 0x1p32;
    uint32_t value = (uint32_t)(int64_t)(inside ? t : 0);
    value = t >= 0x1p32 ? UINT32_MAX : value;
    return t != t ? 0x80000000 : value;
}

INLINE int64_t s64_of_f64(double t)
{
    bool inside = t >= -0x1p63 && t < 0x1p63;
    int64_t value = (int64_t)(inside ? t : -0x1p63); // for NaN, too
    return t >= 0x1p63 ? INT64_MAX : value;
}

INLINE uint64_t u64_of_f64(double t)
{
    bool inside = t >= 0 && t < 0x1p64, large = t >= 0x1p63;
    double low = t - (large ? 0x1p63 : 0);
    uint64_t value = (uint64_t)(int64_t)(inside ? low : 0) ^ (large ? UINT64_C(1) << 63 : 0);
    value = t >= 0x1p64 ? UINT64_MAX : value;
    return t != t ? UINT64_C(1) << 63 : value;
}

INLINE int32_t within(float t, float low, float high)
{
    float value = t == t ? t : 0;
    value = value < low ? low : value;
    return (int32_t)(value > high ? high : value);
}

// Rounds to an integer in the same format. From 2^23 and 2^52 on all numbers are integers. Below,
// the sum with that power has no fraction digits, so the host rounds it to nearest even. Results of
// other modes are at most one step away.
INLINE float integral_f32(float a, enum code_round mode)
{
    uint32_t sign = bits_f32(a) & 0x80000000;
    float magnitude = fabsf(a), near = (magnitude + 0x1p23f) - 0x1p23f;
    float more = near < magnitude ? 1 : 0, less = near > magnitude ? -1 : 0;
    bool away = (mode == ROUND_DOWN && sign) || (mode == ROUND_UP && !sign);
    near += mode == ROUND_NEAREST ? 0 : away ? more : less;
    return f32_of(choose(0u - (magnitude < 0x1p23f), sign | bits_f32(near), bits_f32(a)));
}

INLINE double integral_f64(double a, enum code_round mode)
{
    uint64_t sign = bits_f64(a) & UINT64_C(1) << 63;
    double magnitude = fabs(a), near = (magnitude + 0x1p52) - 0x1p52;
    double more = near < magnitude ? 1 : 0, less = near > magnitude ? -1 : 0;
    bool away = (mode == ROUND_DOWN && sign) || (mode == ROUND_UP && !sign);
    near += mode == ROUND_NEAREST ? 0 : away ? more : less;
    uint64_t mask = 0 - (uint64_t)(magnitude < 0x1p52);
    return f64_of(((sign | bits_f64(near)) & mask) | (bits_f64(a) & ~mask));
}

INLINE float rni_f32(float a)
{
    return integral_f32(a, ROUND_NEAREST);
}

INLINE float rmi_f32(float a)
{
    return integral_f32(a, ROUND_DOWN);
}

INLINE float rpi_f32(float a)
{
    return integral_f32(a, ROUND_UP);
}

INLINE double rni_f64(double a)
{
    return integral_f64(a, ROUND_NEAREST);
}

INLINE double rmi_f64(double a)
{
    return integral_f64(a, ROUND_DOWN);
}

INLINE double rpi_f64(double a)
{
    return integral_f64(a, ROUND_UP);
}

// rni rzi rmi rpi. The host's conversion to integers itself does .rzi.
#define ROUNDINGS(X, ...)                                                                          \
    X(rni, rni_f32, rni_f64, __VA_ARGS__)                                                          \
    X(rzi, , , __VA_ARGS__)                                                                        \
    X(rmi, rmi_f32, rmi_f64, __VA_ARGS__)                                                          \
    X(rpi, rpi_f32, rpi_f64, __VA_ARGS__)
#define TO_INTEGERS(rounding, round_f32, round_f64, unused)                                        \
    LANES_1(rounding##_s32_f32, int32_t, float, s32_of_f32(round_f32(a)))                          \
    LANES_1(rounding##_u32_f32, uint32_t, float, u32_of_f32(round_f32(a)))                         \
    LANES_1(rounding##_s64_f32, int64_t, float, s64_of_f64((double)round_f32(a)))                  \
    LANES_1(rounding##_u64_f32, uint64_t, float, u64_of_f64((double)round_f32(a)))                 \
    LANES_1(rounding##_u8_f32, uint8_t, float, within(round_f32(a), 0, UINT8_MAX))                 \
    LANES_1(rounding##_s8_f32, int8_t, float, within(round_f32(a), INT8_MIN, INT8_MAX))            \
    LANES_1(rounding##_u16_f32, uint16_t, float, within(round_f32(a), 0, UINT16_MAX))              \
    LANES_1(rounding##_s16_f32, int16_t, float, within(round_f32(a), INT16_MIN, INT16_MAX))        \
    LANES_1(rounding##_s32_f64, int32_t, double, s32_of_f64(round_f64(a)))                         \
    LANES_1(rounding##_u32_f64, uint32_t, double, u32_of_f64(round_f64(a)))                        \
    LANES_1(rounding##_s64_f64, int64_t, double, s64_of_f64(round_f64(a)))                         \
    LANES_1(rounding##_u64_f64, uint64_t, double, u64_of_f64(round_f64(a)))
ROUNDINGS(TO_INTEGERS, )
#undef TO_INTEGERS

LANES_1(rni_f32_f32, float, float, canonical(integral_f32(a, ROUND_NEAREST)))
LANES_1(rzi_f32_f32, float, float, canonical(integral_f32(a, ROUND_ZERO)))
LANES_1(rmi_f32_f32, float, float, canonical(integral_f32(a, ROUND_DOWN)))
LANES_1(rpi_f32_f32, float, float, canonical(integral_f32(a, ROUND_UP)))
LANES_1(rni_f64_f64, double, double, canonical_f64(integral_f64(a, ROUND_NEAREST), a, a, a))
LANES_1(rzi_f64_f64, double, double, canonical_f64(integral_f64(a, ROUND_ZERO), a, a, a))
LANES_1(rmi_f64_f64, double, double, canonical_f64(integral_f64(a, ROUND_DOWN), a, a, a))
LANES_1(rpi_f64_f64, double, double, canonical_f64(integral_f64(a, ROUND_UP), a, a, a))

// From integers
#define FROM_INTEGER(T, C)                                                                         \
    LANES_1(f32_##T, float, C, a)                                                                  \
    LANES_1(f64_##T, double, C, a)
FROM_INTEGER(u8, uint8_t)
FROM_INTEGER(s8, int8_t)
FROM_INTEGER(u16, uint16_t)
FROM_INTEGER(s16, int16_t)
FROM_INTEGER(u32, uint32_t)
FROM_INTEGER(s32, int32_t)
FROM_INTEGER(u64, uint64_t)
FROM_INTEGER(s64, int64_t)
#undef FROM_INTEGER

// Between floating-point formats

INLINE uint32_t tf32_of(float a, uint32_t half)
{
    uint32_t bits = bits_f32(a) + half;
    return a == a ? bits & 0xffffe000 : 0x7fffe000;
}

LANES_1(f64_f32, double, float, a)
LANES_1(f32_f64, float, double, a)
LANES_1(f32_f16, float, uint16_t, canonical(f32_of_f16(a)))
LANES_1(f32_bf16, float, uint16_t, canonical(f32_of_bf16(a)))
LANES_1(f64_f16, double, uint16_t, canonical(f32_of_f16(a)))
LANES_1(f64_bf16, double, uint16_t, canonical(f32_of_bf16(a)))
LANES_1(f16_f32, uint16_t, float, f16_of_f32(a))
LANES_1(bf16_f32, uint16_t, float, bf16_of_f32(a))
LANES_1(rn_tf32_f32, uint32_t, float, tf32_of(a, 0xfff + (bits_f32(a) >> 13 & 1)))
LANES_1(rna_tf32_f32, uint32_t, float, tf32_of(a, 0x1000))
LANES_2(f16x2_f32, uint32_t, float, float, (uint32_t)f16_of_f32(a) << 16 | f16_of_f32(b))
LANES_2(bf16x2_f32, uint32_t, float, float, (uint32_t)bf16_of_f32(a) << 16 | bf16_of_f32(b))

// Subnormal sources matter when rounding up or down.
enum {
    ATTRS_rni = ATTR_SAT | ATTR_FTZ,
    ATTRS_rzi = ATTR_SAT | ATTR_FTZ,
    ATTRS_rmi = ATTR_SAT,
    ATTRS_rpi = ATTR_SAT,
};

// clang-format off
#define WORDS_rni ""
#define WORDS_rzi "rzi "
#define WORDS_rmi "rmi "
#define WORDS_rpi "rpi "
#define TO_INTEGER_ROW(rounding, T, to, F, from)                                                   \
    {OP_cvt, WORDS_##rounding #T " " #F, to "=" from, ATTRS_##rounding,                            \
     .lanes = rounding##_##T##_##F},
#define TO_INTEGER_ROWS(rounding, round_f32, round_f64, unused)                                    \
    TO_INTEGER_ROW(rounding, s32, "4", f32, "4")                                                   \
    TO_INTEGER_ROW(rounding, u32, "4", f32, "4")                                                   \
    TO_INTEGER_ROW(rounding, s64, "8", f32, "4")                                                   \
    TO_INTEGER_ROW(rounding, u64, "8", f32, "4")                                                   \
    TO_INTEGER_ROW(rounding, s32, "4", f64, "8")                                                   \
    TO_INTEGER_ROW(rounding, u32, "4", f64, "8")                                                   \
    TO_INTEGER_ROW(rounding, s64, "8", f64, "8")                                                   \
    TO_INTEGER_ROW(rounding, u64, "8", f64, "8")                                                   \
    TO_INTEGER_ROW(rounding, u8, "1", f32, "4")                                                    \
    TO_INTEGER_ROW(rounding, s8, "1", f32, "4")                                                    \
    TO_INTEGER_ROW(rounding, u16, "2", f32, "4")                                                   \
    TO_INTEGER_ROW(rounding, s16, "2", f32, "4")
#define INTEGRAL_ROWS(rounding, round_f32, round_f64, unused)                                      \
    {OP_cvt, #rounding " f32 f32", "4=4", 0, .lanes = rounding##_f32_f32},                         \
    {OP_cvt, #rounding " f64 f64", "8=8", 0, .lanes = rounding##_f64_f64},
#define FROM_INTEGER_ROWS(T, from, rounded, rounded_f64)                                           \
    {OP_cvt, "f32 " #T, "4=" from, ATTR_FTZ | (rounded), .lanes = f32_##T},                        \
    {OP_cvt, "f64 " #T, "8=" from, rounded_f64, .lanes = f64_##T},

const struct exec_row NAMED(rows_convert_float)[] = {
    FROM_INTEGER_ROWS(s32, "4", 0, ATTR_ROUND)
    FROM_INTEGER_ROWS(u32, "4", 0, ATTR_ROUND)
    FROM_INTEGER_ROWS(s64, "8", 0, 0)
    FROM_INTEGER_ROWS(u64, "8", 0, 0)
    FROM_INTEGER_ROWS(u16, "2", ATTR_ROUND, ATTR_ROUND)
    FROM_INTEGER_ROWS(s16, "2", ATTR_ROUND, ATTR_ROUND)
    FROM_INTEGER_ROWS(u8, "1", ATTR_ROUND, ATTR_ROUND)
    FROM_INTEGER_ROWS(s8, "1", ATTR_ROUND, ATTR_ROUND)
    ROUNDINGS(TO_INTEGER_ROWS, )
    ROUNDINGS(INTEGRAL_ROWS, )
    {OP_cvt, "f64 f32", "8=4", 0, .lanes = f64_f32},
    {OP_cvt, "f32 f64", "4=8", 0, .lanes = f32_f64},
    {OP_cvt, "f32 f16", "4=2", ATTR_FTZ, .lanes = f32_f16},
    {OP_cvt, "f32 bf16", "4=2", ATTR_ROUND, .lanes = f32_bf16},
    {OP_cvt, "f64 f16", "8=2", 0, .lanes = f64_f16},
    {OP_cvt, "f64 bf16", "8=2", ATTR_ROUND, .lanes = f64_bf16},
    {OP_cvt, "f16 f32", "2=4", ATTR_FTZ, .lanes = f16_f32},
    {OP_cvt, "bf16 f32", "2=4", 0, .lanes = bf16_f32},
    {OP_cvt, "rna tf32 f32", "4=4", 0, .lanes = rna_tf32_f32},
    {OP_cvt, "tf32 f32", "4=4", 0, .lanes = rn_tf32_f32},
    {OP_cvt, "f16x2 f32", "4=44", 0, .lanes = f16x2_f32},
    {OP_cvt, "bf16x2 f32", "4=44", 0, .lanes = bf16x2_f32},
    {0},
};
// clang-format on
