// Integer arithmetic compared with references in wider numbers, or digit by digit where the
// implementation uses those.
#include "tests/unit/runtime-sim/conform.h"

__extension__ typedef __int128 wide;

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))
// M for every integer type.
#define INTEGERS(M, ...)                                                                           \
    M(u16, 16, uint16_t, false, __VA_ARGS__)                                                       \
    M(s16, 16, int16_t, true, __VA_ARGS__)                                                         \
    M(u32, 32, uint32_t, false, __VA_ARGS__)                                                       \
    M(s32, 32, int32_t, true, __VA_ARGS__)                                                         \
    M(u64, 64, uint64_t, false, __VA_ARGS__)                                                       \
    M(s64, 64, int64_t, true, __VA_ARGS__)
#define REFERENCE(type, bits, T, has_sign, name, ...)                                              \
    static void name##_##type(const uint64_t *in, uint64_t *out)                                   \
    {                                                                                              \
        const bool is_signed = has_sign;                                                           \
        const uint32_t width = bits;                                                               \
        wide a = (T)in[0], b = (T)in[1], c = (T)in[2];                                             \
        (void)is_signed, (void)width, (void)a, (void)b, (void)c;                                   \
        out[0] = (uint64_t)(__VA_ARGS__);                                                          \
    }
#define TWO(type, bits, T, has_sign, op, name)                                                     \
    {op "." #type " %d, %a, %b;", #type "=" #type "," #type, name##_##type},
#define THREE(type, bits, T, has_sign, op, name)                                                   \
    {op "." #type " %d, %a, %b, %c;", #type "=" #type "," #type "," #type, name##_##type},

// Both halves of a product of `bits` bits: a sum of shifted numbers, with the signs corrected at
// the end.
struct product {
    uint64_t low, high;
};

static uint64_t low_bits(uint64_t value, uint32_t bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static struct product multiply(uint64_t a, uint64_t b, uint32_t bits, bool is_signed)
{
    a = low_bits(a, bits);
    b = low_bits(b, bits);
    struct product p = {0, 0};
    for (uint32_t i = bits; i-- > 0;) {
        p.high = low_bits(p.high << 1 | p.low >> (bits - 1), bits);
        p.low = low_bits(p.low << 1, bits);
        if (!(b >> i & 1))
            continue;
        uint64_t sum = low_bits(p.low + a, bits);
        p.high += sum < p.low;
        p.low = sum;
    }
    if (is_signed && a >> (bits - 1))
        p.high -= b;
    if (is_signed && b >> (bits - 1))
        p.high -= a;
    p.high = low_bits(p.high, bits);
    return p;
}

// Divides magnitudes by long division. Returns quotient and remainder.
static struct product divide(uint64_t a, uint64_t b)
{
    struct product p = {0, 0};
    for (uint32_t i = 64; i-- > 0;) {
        bool over = p.high >> 63;
        p.high = p.high << 1 | (a >> i & 1);
        p.low <<= 1;
        if (over || p.high >= b) {
            p.high -= b;
            p.low |= 1;
        }
    }
    return p;
}

static uint64_t magnitude(wide x)
{
    return (uint64_t)(x < 0 ? -x : x);
}

static uint64_t quotient(wide a, wide b)
{
    uint64_t q = b ? divide(magnitude(a), magnitude(b)).low : UINT64_MAX;
    return b && (a < 0) != (b < 0) ? 0 - q : q;
}

static uint64_t remainder_of(wide a, wide b)
{
    uint64_t r = b ? divide(magnitude(a), magnitude(b)).high : UINT64_MAX;
    return b && a < 0 ? 0 - r : r;
}

#define PRODUCT multiply((uint64_t)a, (uint64_t)b, width, is_signed)
INTEGERS(REFERENCE, add, a + b)
INTEGERS(REFERENCE, sub, a - b)
INTEGERS(REFERENCE, mul_lo, PRODUCT.low)
INTEGERS(REFERENCE, mul_hi, PRODUCT.high)
INTEGERS(REFERENCE, mad_lo, PRODUCT.low + (uint64_t)c)
INTEGERS(REFERENCE, mad_hi, PRODUCT.high + (uint64_t)c)
INTEGERS(REFERENCE, sad, magnitude(a - b) + (uint64_t)c)
INTEGERS(REFERENCE, min, a - b < 0 ? a : b)
INTEGERS(REFERENCE, max, a - b < 0 ? b : a)
INTEGERS(REFERENCE, div, quotient(a, b))
INTEGERS(REFERENCE, rem, remainder_of(a, b))

static void test_arithmetic(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        INTEGERS(TWO, "add", add) INTEGERS(TWO, "sub", sub) INTEGERS(TWO, "mul.lo", mul_lo)
            INTEGERS(TWO, "mul.hi", mul_hi) INTEGERS(THREE, "mad.lo", mad_lo)
                INTEGERS(THREE, "mad.hi", mad_hi) INTEGERS(THREE, "sad", sad)
                    INTEGERS(TWO, "min", min) INTEGERS(TWO, "max", max) INTEGERS(TWO, "div", div)
                        INTEGERS(TWO, "rem", rem)};
    conform(cases, COUNT(cases));
}

#define SIGNED(type, bits, T)                                                                      \
    REFERENCE(type, bits, T, true, neg, -a)                                                        \
    REFERENCE(type, bits, T, true, abs, magnitude(a))
SIGNED(s16, 16, int16_t)
SIGNED(s32, 32, int32_t)
SIGNED(s64, 64, int64_t)

#define ONE(type, op)                                                                              \
    {                                                                                              \
#op "." #type " %d, %a;", #type "=" #type, op##_##type                                     \
    }
static void test_signs(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        ONE(s16, neg), ONE(s32, neg), ONE(s64, neg), ONE(s16, abs), ONE(s32, abs), ONE(s64, abs),
    };
    conform(cases, COUNT(cases));
}

// Wide products: c is as wide as the result.
#define WIDER(type, T, C)                                                                          \
    static void mul_wide_##type(const uint64_t *in, uint64_t *out)                                 \
    {                                                                                              \
        out[0] = (uint64_t)((wide)(T)in[0] * (T)in[1]);                                            \
    }                                                                                              \
    static void mad_wide_##type(const uint64_t *in, uint64_t *out)                                 \
    {                                                                                              \
        out[0] = (uint64_t)((wide)(T)in[0] * (T)in[1] + (C)in[2]);                                 \
    }
WIDER(u16, uint16_t, uint32_t)
WIDER(s16, int16_t, int32_t)
WIDER(u32, uint32_t, uint64_t)
WIDER(s32, int32_t, int64_t)

static void test_wide(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"mul.wide.u16 %d, %a, %b;", "u32=u16,u16", mul_wide_u16},
        {"mul.wide.s16 %d, %a, %b;", "s32=s16,s16", mul_wide_s16},
        {"mul.wide.u32 %d, %a, %b;", "u64=u32,u32", mul_wide_u32},
        {"mul.wide.s32 %d, %a, %b;", "s64=s32,s32", mul_wide_s32},
        {"mad.wide.u16 %d, %a, %b, %c;", "u32=u16,u16,u32", mad_wide_u16},
        {"mad.wide.s16 %d, %a, %b, %c;", "s32=s16,s16,s32", mad_wide_s16},
        {"mad.wide.u32 %d, %a, %b, %c;", "u64=u32,u32,u64", mad_wide_u32},
        {"mad.wide.s32 %d, %a, %b, %c;", "s64=s32,s32,s64", mad_wide_s32},
    };
    conform(cases, COUNT(cases));
}

// Saturation

static uint64_t clamp(wide value, wide least, wide most)
{
    return (uint64_t)(value < least ? least : value > most ? most : value);
}
#define CLAMPED(name, ...)                                                                         \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        wide a = (int32_t)in[0], b = (int32_t)in[1], c = (int32_t)in[2];                           \
        (void)c;                                                                                   \
        out[0] = clamp(__VA_ARGS__, INT32_MIN, INT32_MAX);                                         \
    }
static wide floor_shift(wide value, uint32_t bits)
{
    wide unit = (wide)1 << bits;
    return (value - ((value % unit) + unit) % unit) / unit;
}
CLAMPED(add_sat, a + b)
CLAMPED(sub_sat, a - b)
CLAMPED(mad_hi_sat, floor_shift(a *b, 32) + c)

static void test_saturation(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"add.sat.s32 %d, %a, %b;", "s32=s32,s32", add_sat},
        {"add.s32.sat %d, %a, %b;", "s32=s32,s32", add_sat}, // words may stand in any order
        {"sub.sat.s32 %d, %a, %b;", "s32=s32,s32", sub_sat},
        {"mad.hi.sat.s32 %d, %a, %b, %c;", "s32=s32,s32,s32", mad_hi_sat},
    };
    conform(cases, COUNT(cases));
}

// 24 bits

static wide low_24(uint64_t value, bool is_signed)
{
    wide low = (wide)(value % 0x1000000);
    return is_signed && low >= 0x800000 ? low - 0x1000000 : low;
}
#define LOW_24(name, is_signed, ...)                                                               \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        wide product = low_24(in[0], is_signed) * low_24(in[1], is_signed);                        \
        wide c = (int32_t)in[2], high = (int32_t)(uint32_t)floor_shift(product, 16);               \
        (void)high, (void)c;                                                                       \
        out[0] = (uint64_t)(__VA_ARGS__);                                                          \
    }
LOW_24(mul24_lo_u32, false, product)
LOW_24(mul24_lo_s32, true, product)
LOW_24(mul24_hi_u32, false, high)
LOW_24(mul24_hi_s32, true, high)
LOW_24(mad24_lo_u32, false, product + c)
LOW_24(mad24_lo_s32, true, product + c)
LOW_24(mad24_hi_u32, false, high + c)
LOW_24(mad24_hi_s32, true, high + c)
LOW_24(mad24_hi_sat_s32, true, clamp(high + c, INT32_MIN, INT32_MAX))

static void test_24_bits(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"mul24.lo.u32 %d, %a, %b;", "u32=u32,u32", mul24_lo_u32},
        {"mul24.lo.s32 %d, %a, %b;", "s32=s32,s32", mul24_lo_s32},
        {"mul24.hi.u32 %d, %a, %b;", "u32=u32,u32", mul24_hi_u32},
        {"mul24.hi.s32 %d, %a, %b;", "s32=s32,s32", mul24_hi_s32},
        {"mad24.lo.u32 %d, %a, %b, %c;", "u32=u32,u32,u32", mad24_lo_u32},
        {"mad24.lo.s32 %d, %a, %b, %c;", "s32=s32,s32,s32", mad24_lo_s32},
        {"mad24.hi.u32 %d, %a, %b, %c;", "u32=u32,u32,u32", mad24_hi_u32},
        {"mad24.hi.s32 %d, %a, %b, %c;", "s32=s32,s32,s32", mad24_hi_s32},
        {"mad24.hi.sat.s32 %d, %a, %b, %c;", "s32=s32,s32,s32", mad24_hi_sat_s32},
    };
    conform(cases, COUNT(cases));
}

// Halves

#define HALVES(name, T, ...)                                                                       \
    static uint16_t name##_half(T a, T b)                                                          \
    {                                                                                              \
        return (uint16_t)(__VA_ARGS__);                                                            \
    }                                                                                              \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        uint16_t low = name##_half((T)(in[0] % 65536), (T)(in[1] % 65536));                        \
        uint16_t high = name##_half((T)(in[0] / 65536), (T)(in[1] / 65536));                       \
        out[0] = high * UINT64_C(65536) + low;                                                     \
    }
HALVES(add_halves, uint16_t, a + b)
HALVES(min_u, uint16_t, a - b < 0 ? a : b)
HALVES(max_u, uint16_t, a - b > 0 ? a : b)
HALVES(min_s, int16_t, a - b < 0 ? a : b)
HALVES(max_s, int16_t, a - b > 0 ? a : b)
HALVES(min_relu, int16_t, clamp(a - b < 0 ? a : b, 0, 32767))
HALVES(max_relu, int16_t, clamp(a - b > 0 ? a : b, 0, 32767))
CLAMPED(min_relu_32, a - b < 0 ? clamp(a, 0, INT32_MAX) : clamp(b, 0, INT32_MAX))
CLAMPED(max_relu_32, a - b > 0 ? clamp(a, 0, INT32_MAX) : clamp(b, 0, INT32_MAX))

static void test_halves(void **state)
{
    (void)state;
    // b32: registers of integers, where u16x2 would be taken for halves of floating point.
    static const struct conform_case cases[] = {
        {"add.u16x2 %d, %a, %b;", "b32=b32,b32", add_halves},
        {"add.s16x2 %d, %a, %b;", "b32=b32,b32", add_halves},
        {"min.u16x2 %d, %a, %b;", "b32=b32,b32", min_u},
        {"max.u16x2 %d, %a, %b;", "b32=b32,b32", max_u},
        {"min.s16x2 %d, %a, %b;", "b32=b32,b32", min_s},
        {"max.s16x2 %d, %a, %b;", "b32=b32,b32", max_s},
        {"min.relu.s16x2 %d, %a, %b;", "b32=b32,b32", min_relu},
        {"max.relu.s16x2 %d, %a, %b;", "b32=b32,b32", max_relu},
        {"min.relu.s32 %d, %a, %b;", "s32=s32,s32", min_relu_32},
        {"max.relu.s32 %d, %a, %b;", "s32=s32,s32", max_relu_32},
    };
    conform(cases, COUNT(cases));
}

// Carries: %d of one instruction, whose carry the next one adds into %e.

// Adds all terms and the carry in with unlimited precision: the overflow is the carry out.
#define CHAINS(bits, U)                                                                            \
    static void add_chain_##bits(const uint64_t *in, uint64_t *out)                                \
    {                                                                                              \
        wide low = (wide)(U)in[0] + (U)in[1];                                                      \
        out[0] = (uint64_t)low;                                                                    \
        out[1] = in[2] + in[3] + (uint64_t)(low >> bits);                                          \
    }                                                                                              \
    static void sub_chain_##bits(const uint64_t *in, uint64_t *out)                                \
    {                                                                                              \
        wide low = (wide)(U)in[0] - (U)in[1];                                                      \
        out[0] = (uint64_t)low;                                                                    \
        out[1] = in[2] - in[3] - (low < 0);                                                        \
    }                                                                                              \
    static void three_sums_##bits(const uint64_t *in, uint64_t *out)                               \
    {                                                                                              \
        wide low = (wide)(U)in[0] + (U)in[1], middle = (wide)(U)in[2] + (U)in[3] + (low >> bits);  \
        out[0] = (uint64_t)middle;                                                                 \
        out[1] = (uint64_t)(middle >> bits);                                                       \
    }                                                                                              \
    static void three_differences_##bits(const uint64_t *in, uint64_t *out)                        \
    {                                                                                              \
        wide low = (wide)(U)in[0] - (U)in[1], middle = (wide)(U)in[2] - (U)in[3] - (low < 0);      \
        out[0] = (uint64_t)middle;                                                                 \
        out[1] = (uint64_t) - (middle < 0);                                                        \
    }                                                                                              \
    /* What sub.cc leaves is set when nothing was borrowed. */                                     \
    static void sub_then_add_##bits(const uint64_t *in, uint64_t *out)                             \
    {                                                                                              \
        out[0] = in[0] - in[1];                                                                    \
        out[1] = in[2] + in[3] + ((U)in[0] >= (U)in[1]);                                           \
    }                                                                                              \
    static void add_then_sub_##bits(const uint64_t *in, uint64_t *out)                             \
    {                                                                                              \
        wide low = (wide)(U)in[0] + (U)in[1];                                                      \
        out[0] = (uint64_t)low;                                                                    \
        out[1] = in[2] - in[3] - (low >> bits ? 0 : 1);                                            \
    }
CHAINS(32, uint32_t)
CHAINS(64, uint64_t)

// mad.cc into madc.cc into addc: the half of a product and its signs as above.
#define MAD_CHAIN(type, bits, has_sign, half, U)                                                   \
    static void mad_##half##_##type(const uint64_t *in, uint64_t *out)                             \
    {                                                                                              \
        struct product p = multiply(in[0], in[1], bits, has_sign);                                 \
        wide first = (wide)p.half + (U)in[2], second = (wide)p.half + (U)in[3] + (first >> bits);  \
        out[0] = (uint64_t)second;                                                                 \
        out[1] = (uint64_t)((second >> bits) + (wide)p.half);                                      \
    }
#define MAD_CHAINS(type, bits, has_sign, U)                                                        \
    MAD_CHAIN(type, bits, has_sign, low, U) MAD_CHAIN(type, bits, has_sign, high, U)
MAD_CHAINS(u32, 32, false, uint32_t)
MAD_CHAINS(s32, 32, true, uint32_t)
MAD_CHAINS(u64, 64, false, uint64_t)
MAD_CHAINS(s64, 64, true, uint64_t)

#define FOUR(type) #type "," #type "=" #type "," #type "," #type "," #type
#define CARRIES(type, bits)                                                                        \
    {"add.cc." #type " %d, %a, %b; addc." #type " %e, %c, %g;", FOUR(type), add_chain_##bits},     \
        {"sub.cc." #type " %d, %a, %b; subc." #type " %e, %c, %g;", FOUR(type), sub_chain_##bits}, \
        {"add.cc." #type " %d, %a, %b; addc.cc." #type " %d, %c, %g; addc." #type " %e, 0, 0;",    \
         FOUR(type), three_sums_##bits},                                                           \
        {"sub.cc." #type " %d, %a, %b; subc.cc." #type " %d, %c, %g; subc." #type " %e, 0, 0;",    \
         FOUR(type), three_differences_##bits},                                                    \
        {"sub.cc." #type " %d, %a, %b; addc." #type " %e, %c, %g;", FOUR(type),                    \
         sub_then_add_##bits},                                                                     \
        {"add.cc." #type " %d, %a, %b; subc." #type " %e, %c, %g;", FOUR(type),                    \
         add_then_sub_##bits},                                                                     \
        MAD_CASE(type, "lo", low), MAD_CASE(type, "hi", high)
#define MAD_CASE(type, half, name)                                                                 \
    {                                                                                              \
        "mad." half ".cc." #type " %d, %a, %b, %c; madc." half ".cc." #type " %d, %a, %b, %g; "    \
        "madc." half "." #type " %e, %a, %b, 0;",                                                  \
            FOUR(type), mad_##name##_##type                                                        \
    }

static void test_carries(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        CARRIES(u32, 32),
        CARRIES(s32, 32),
        CARRIES(u64, 64),
        CARRIES(s64, 64),
    };
    conform(cases, COUNT(cases));
}

// A guard does not change the carry of the other lanes: %c is odd where the lane adds.
static void guarded_carry(const uint64_t *in, uint64_t *out)
{
    bool adds = in[2] & 1;
    out[0] = adds ? in[0] + in[1] : 0;
    out[1] = adds && (in[0] + in[1]) >> 32;
}

static void test_guarded_carry(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {".reg .pred %p; and.b32 %c, %c, 1; setp.ne.u32 %p, %c, 0; mov.u32 %d, 0; "
         "add.cc.u32 %e, 0, 0; @%p add.cc.u32 %d, %a, %b; addc.u32 %e, 0, 0;",
         "u32,u32=u32,u32,u32", guarded_carry},
    };
    conform(cases, COUNT(cases));
}

// Numbers in place of registers, truncated and extended to the operand's type.
static void immediates_16(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] - 5;
    out[1] = (uint64_t)((int16_t)in[0] * (wide)-7);
}

static void immediates_64(const uint64_t *in, uint64_t *out)
{
    out[0] = (uint64_t)((int32_t)in[0] * (wide)-7 - 9);
    out[1] = in[1] - UINT64_C(0x123456789ab);
}

static void immediates_unsigned(const uint64_t *in, uint64_t *out)
{
    out[0] = (uint32_t)in[0] * UINT64_C(0xfffffffe) + 0xffffffff;
    out[1] = (uint32_t)in[0] / 3;
}

static void test_immediates(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"add.s16 %d, %a, -5; mul.wide.s16 %e, %a, -7;", "s16,s32=s16", immediates_16},
        {"mad.wide.s32 %d, %a, -7, -9; sub.s64 %e, %b, 0x123456789ab;", "s64,s64=s32,s64",
         immediates_64},
        {"mad.wide.u32 %d, %a, -2, 0xffffffff; div.u32 %e, %a, 3;", "u64,u32=u32",
         immediates_unsigned},
    };
    conform(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_signs),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_24_bits),    cmocka_unit_test(test_halves),
        cmocka_unit_test(test_carries),    cmocka_unit_test(test_guarded_carry),
        cmocka_unit_test(test_immediates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
