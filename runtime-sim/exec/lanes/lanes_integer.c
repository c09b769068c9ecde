// Integer arithmetic and division.
#include "runtime-sim/exec/lanes/lanes.h"
__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

// Sum, difference and low half of a product do not depend on the sign. U is unsigned and at least
// as wide as int, since products of narrower numbers would be computed in int and could overflow.
#define MODULAR(bits, T, U)                                                                        \
    LANES_2(add_##bits, T, T, T, (U)a + b)                                                         \
    LANES_2(sub_##bits, T, T, T, (U)a - b)                                                         \
    LANES_2(mul_lo_##bits, T, T, T, (U)a *b)                                                       \
    LANES_3(mad_lo_##bits, T, T, T, T, (U)a *b + c)
MODULAR(16, uint16_t, uint32_t)
MODULAR(32, uint32_t, uint32_t)
MODULAR(64, uint64_t, uint64_t)

#define HIGH(type, T, U, W, bits)                                                                  \
    LANES_2(mul_hi_##type, T, T, T, (W)a *b >> bits)                                               \
    LANES_3(mad_hi_##type, U, T, T, U, (U)((W)a * b >> bits) + c)
HIGH(u16, uint16_t, uint16_t, uint32_t, 16)
HIGH(s16, int16_t, uint16_t, int32_t, 16)
HIGH(u32, uint32_t, uint32_t, uint64_t, 32)
HIGH(s32, int32_t, uint32_t, int64_t, 32)
HIGH(u64, uint64_t, uint64_t, wide_unsigned, 64)
HIGH(s64, int64_t, uint64_t, wide_signed, 64)

#define WIDE(type, T, W, U)                                                                        \
    LANES_2(mul_wide_##type, W, T, T, (W)a *b)                                                     \
    LANES_3(mad_wide_##type, U, T, T, U, (U)((W)a * b) + c)
WIDE(u16, uint16_t, uint32_t, uint32_t)
WIDE(s16, int16_t, int32_t, uint32_t)
WIDE(u32, uint32_t, uint64_t, uint64_t)
WIDE(s32, int32_t, int64_t, uint64_t)

// Saturation
static inline int32_t saturate(int64_t value)
{
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}
LANES_2(add_sat_s32, int32_t, int32_t, int32_t, saturate((int64_t)a + b))
LANES_2(sub_sat_s32, int32_t, int32_t, int32_t, saturate((int64_t)a - b))
LANES_3(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, saturate(((int64_t)a * b >> 32) + c))

// 24-bit operations ignore the upper byte of a source. `hi` is bits 16 to 47 of the product.
static inline int64_t low_s24(int32_t value)
{
    return (int32_t)((uint32_t)value << 8) >> 8;
}
static inline uint64_t low_u24(uint32_t value)
{
    return value & 0xffffff;
}
#define LOW_BITS(type, T)                                                                          \
    LANES_2(mul24_lo_##type, uint32_t, T, T, low_##type##24(a)*low_##type##24(b))                  \
    LANES_2(mul24_hi_##type, uint32_t, T, T, low_##type##24(a)*low_##type##24(b) >> 16)            \
    LANES_3(mad24_lo_##type, uint32_t, T, T, uint32_t,                                             \
            (uint32_t)(low_##type##24(a)*low_##type##24(b)) + c)                                   \
    LANES_3(mad24_hi_##type, uint32_t, T, T, uint32_t,                                             \
            (uint32_t)(low_##type##24(a)*low_##type##24(b) >> 16) + c)
LOW_BITS(u, uint32_t)
LOW_BITS(s, int32_t)
LANES_3(mad24_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
        saturate((int64_t)(int32_t)(low_s24(a) * low_s24(b) >> 16) + c))

// Order
#define ORDERED(type, T, U)                                                                        \
    LANES_2(min_##type, T, T, T, a < b ? a : b)                                                    \
    LANES_2(max_##type, T, T, T, a > b ? a : b)                                                    \
    LANES_3(sad_##type, U, T, T, U, (a < b ? (U)b - (U)a : (U)a - (U)b) + c)
ORDERED(u16, uint16_t, uint16_t)
ORDERED(s16, int16_t, uint16_t)
ORDERED(u32, uint32_t, uint32_t)
ORDERED(s32, int32_t, uint32_t)
ORDERED(u64, uint64_t, uint64_t)
ORDERED(s64, int64_t, uint64_t)
LANES_2(min_relu_s32, int32_t, int32_t, int32_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
LANES_2(max_relu_s32, int32_t, int32_t, int32_t, a < 0 && b < 0 ? 0 : a > b ? a : b)

#define SIGNED(bits, T, U)                                                                         \
    LANES_1(neg_s##bits, U, U, (U)0 - a)                                                           \
    LANES_1(abs_s##bits, U, T, a < 0 ? (U)0 - (U)a : (U)a)
SIGNED(16, int16_t, uint16_t)
SIGNED(32, int32_t, uint32_t)
SIGNED(64, int64_t, uint64_t)

// Two 16-bit halves are two adjacent lanes.
#define PAIRS(name, T, ...)                                                                        \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        const T *ap = sp[0], *bp = sp[1];                                                          \
        T *to = dp;                                                                                \
        for (int half = 0; half < 2; half++, ap += LANES, bp += LANES, to += LANES)                \
            EACH_LANE                                                                              \
            {                                                                                      \
                T a = ap[i], b = bp[i];                                                            \
                to[i] = (T)(__VA_ARGS__);                                                          \
            }                                                                                      \
    }
PAIRS(add_x2, uint16_t, a + b)
PAIRS(min_u16x2, uint16_t, a < b ? a : b)
PAIRS(max_u16x2, uint16_t, a > b ? a : b)
PAIRS(min_s16x2, int16_t, a < b ? a : b)
PAIRS(max_s16x2, int16_t, a > b ? a : b)
PAIRS(min_relu_s16x2, int16_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
PAIRS(max_relu_s16x2, int16_t, a < 0 && b < 0 ? 0 : a > b ? a : b)

#define ROW(op, words, widths, fn) {OP_##op, words, widths, 0, .lanes = fn},
// Rows whose function is the same for both signs.
#define BOTH(op, words, widths, fn, bits)                                                          \
    ROW(op, words "u" #bits, widths, fn##_##bits) ROW(op, words "s" #bits, widths, fn##_##bits)
#define EACH(op, words, widths, fn, bits)                                                          \
    ROW(op, words "u" #bits, widths, fn##_u##bits) ROW(op, words "s" #bits, widths, fn##_s##bits)

// clang-format off
const struct exec_row NAMED(rows_integer)[] = {
    BOTH(add, "", "2=22", add, 16) BOTH(add, "", "4=44", add, 32) BOTH(add, "", "8=88", add, 64)
    BOTH(sub, "", "2=22", sub, 16) BOTH(sub, "", "4=44", sub, 32) BOTH(sub, "", "8=88", sub, 64)
    ROW(add, "sat s32", "4=44", add_sat_s32)
    ROW(sub, "sat s32", "4=44", sub_sat_s32)
    ROW(add, "u16x2", "4=44", add_x2)
    ROW(add, "s16x2", "4=44", add_x2)
    BOTH(mul, "lo ", "2=22", mul_lo, 16)
    BOTH(mul, "lo ", "4=44", mul_lo, 32)
    BOTH(mul, "lo ", "8=88", mul_lo, 64)
    EACH(mul, "hi ", "2=22", mul_hi, 16)
    EACH(mul, "hi ", "4=44", mul_hi, 32)
    EACH(mul, "hi ", "8=88", mul_hi, 64)
    EACH(mul, "wide ", "4=22", mul_wide, 16)
    EACH(mul, "wide ", "8=44", mul_wide, 32)
    BOTH(mad, "lo ", "2=222", mad_lo, 16)
    BOTH(mad, "lo ", "4=444", mad_lo, 32)
    BOTH(mad, "lo ", "8=888", mad_lo, 64)
    EACH(mad, "hi ", "2=222", mad_hi, 16)
    EACH(mad, "hi ", "4=444", mad_hi, 32)
    EACH(mad, "hi ", "8=888", mad_hi, 64)
    EACH(mad, "wide ", "4=224", mad_wide, 16)
    EACH(mad, "wide ", "8=448", mad_wide, 32)
    ROW(mad, "hi sat s32", "4=444", mad_hi_sat_s32)
    ROW(mul24, "lo u32", "4=44", mul24_lo_u) ROW(mul24, "lo s32", "4=44", mul24_lo_s)
    ROW(mul24, "hi u32", "4=44", mul24_hi_u) ROW(mul24, "hi s32", "4=44", mul24_hi_s)
    ROW(mad24, "lo u32", "4=444", mad24_lo_u) ROW(mad24, "lo s32", "4=444", mad24_lo_s)
    ROW(mad24, "hi u32", "4=444", mad24_hi_u) ROW(mad24, "hi s32", "4=444", mad24_hi_s)
    ROW(mad24, "hi sat s32", "4=444", mad24_hi_sat_s32)
    EACH(sad, "", "2=222", sad, 16) EACH(sad, "", "4=444", sad, 32) EACH(sad, "", "8=888", sad, 64)
    EACH(min, "", "2=22", min, 16) EACH(min, "", "4=44", min, 32) EACH(min, "", "8=88", min, 64)
    EACH(max, "", "2=22", max, 16) EACH(max, "", "4=44", max, 32) EACH(max, "", "8=88", max, 64)
    ROW(min, "relu s32", "4=44", min_relu_s32)
    ROW(max, "relu s32", "4=44", max_relu_s32)
    ROW(min, "u16x2", "4=44", min_u16x2) ROW(min, "s16x2", "4=44", min_s16x2)
    ROW(max, "u16x2", "4=44", max_u16x2) ROW(max, "s16x2", "4=44", max_s16x2)
    ROW(min, "relu s16x2", "4=44", min_relu_s16x2)
    ROW(max, "relu s16x2", "4=44", max_relu_s16x2)
    ROW(neg, "s16", "2=2", neg_s16) ROW(neg, "s32", "4=4", neg_s32) ROW(neg, "s64", "8=8", neg_s64)
    ROW(abs, "s16", "2=2", abs_s16) ROW(abs, "s32", "4=4", abs_s32) ROW(abs, "s64", "8=8", abs_s64)
    {0},
};
// clang-format on

// Integer division.
//
// Results that PTX leaves undefined are those of NVIDIA's compiler. Quotient and remainder of a
// division by zero are all ones, both in folded constants and in the code that divides at run time
// (it ends with the complement of a divisor of zero). The smallest number divided by −1 is itself.

#define DIVIDE_UNSIGNED(bits, T)                                                                   \
    LANES_2(div_u##bits, T, T, T, b ? a / b : ~(T)0)                                               \
    LANES_2(rem_u##bits, T, T, T, b ? a % b : ~(T)0)
DIVIDE_UNSIGNED(16, uint16_t)
DIVIDE_UNSIGNED(32, uint32_t)
DIVIDE_UNSIGNED(64, uint64_t)

// Divides magnitudes, whose quotients always fit.
#define DIVIDE_SIGNED(bits, T, U)                                                                  \
    static inline U magnitude_s##bits(T a)                                                         \
    {                                                                                              \
        return a < 0 ? (U)(0 - (U)a) : (U)a;                                                       \
    }                                                                                              \
    static inline U quotient_s##bits(T a, T b)                                                     \
    {                                                                                              \
        U q = magnitude_s##bits(a) / magnitude_s##bits(b);                                         \
        return (a ^ b) < 0 ? (U)(0 - q) : q;                                                       \
    }                                                                                              \
    static inline U remainder_s##bits(T a, T b)                                                    \
    {                                                                                              \
        U r = magnitude_s##bits(a) % magnitude_s##bits(b);                                         \
        return a < 0 ? (U)(0 - r) : r;                                                             \
    }                                                                                              \
    LANES_2(div_s##bits, U, T, T, b ? quotient_s##bits(a, b) : (U) ~(U)0)                          \
    LANES_2(rem_s##bits, U, T, T, b ? remainder_s##bits(a, b) : (U) ~(U)0)
DIVIDE_SIGNED(16, int16_t, uint16_t)
DIVIDE_SIGNED(32, int32_t, uint32_t)
DIVIDE_SIGNED(64, int64_t, uint64_t)

const struct exec_row NAMED(rows_integer_divide)[] = {
    {OP_div, "u16", "2=22", 0, .lanes = div_u16},
    {OP_div, "s16", "2=22", 0, .lanes = div_s16},
    {OP_div, "u32", "4=44", 0, .lanes = div_u32},
    {OP_div, "s32", "4=44", 0, .lanes = div_s32},
    {OP_div, "u64", "8=88", 0, .lanes = div_u64},
    {OP_div, "s64", "8=88", 0, .lanes = div_s64},
    {OP_rem, "u16", "2=22", 0, .lanes = rem_u16},
    {OP_rem, "s16", "2=22", 0, .lanes = rem_s16},
    {OP_rem, "u32", "4=44", 0, .lanes = rem_u32},
    {OP_rem, "s32", "4=44", 0, .lanes = rem_s32},
    {OP_rem, "u64", "8=88", 0, .lanes = rem_u64},
    {OP_rem, "s64", "8=88", 0, .lanes = rem_s64},
    {0},
};
