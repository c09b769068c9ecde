// Integer division.
//
// Results that PTX leaves undefined are those of NVIDIA's compiler. Quotient and remainder of a
// division by zero are all ones, both in folded constants and in the code that divides at run time
// (it ends with the complement of a divisor of zero). The smallest number divided by −1 is itself.
#include "runtime-sim/exec/lanes/lanes.h"

#define UNSIGNED(bits, T)                                                                          \
    LANES_2(div_u##bits, T, T, T, b ? a / b : ~(T)0)                                               \
    LANES_2(rem_u##bits, T, T, T, b ? a % b : ~(T)0)
UNSIGNED(16, uint16_t)
UNSIGNED(32, uint32_t)
UNSIGNED(64, uint64_t)

// Divides magnitudes, whose quotients always fit.
#define SIGNED(bits, T, U)                                                                         \
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
SIGNED(16, int16_t, uint16_t)
SIGNED(32, int32_t, uint32_t)
SIGNED(64, int64_t, uint64_t)

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
