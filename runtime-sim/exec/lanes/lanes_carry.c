// Extended precision. The carry flag of a lane is a predicate, register 0 of every function.
//
// The manual calls the flag of sub.cc a borrow. The hardware has one flag for both directions, the
// carry out of a + ~b + 1, which is set if there was no borrow, and subc reads it accordingly. The
// difference is visible only if the flag of a sum is used in a difference or vice versa. The
// behaviour here is that of the hardware.
#include "runtime-sim/exec/lanes/lanes.h"
__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

// d = x + y + carry, with the carry out as second result. x and y have the unsigned type U. Signs
// matter only in the high half of a product.
#define CARRY(name, U, T, count, carry_in, x, y)                                                   \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        const T *ap = sp[0], *bp = sp[1];                                                          \
        const U *cp = sp[count - 1];                                                               \
        U *to = dp;                                                                                \
        uint32_t in = carry_in, out = 0;                                                           \
        EACH_LANE                                                                                  \
        {                                                                                          \
            T a = ap[i], b = bp[i];                                                                \
            U c = cp[i], one = x, other = y, sum = one + other;                                    \
            U whole = sum + (in >> i & 1);                                                         \
            (void)a, (void)b, (void)c;                                                             \
            to[i] = whole;                                                                         \
            out |= (uint32_t)(sum < one || whole < sum) << i;                                      \
        }                                                                                          \
        ((union lanes *)dp)[1].mask = out;                                                         \
    }
// As CARRY, without a carry out.
#define NO_CARRY(name, U, T, count, x, y)                                                          \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        const T *ap = sp[0], *bp = sp[1];                                                          \
        const U *cp = sp[count - 1];                                                               \
        U *to = dp;                                                                                \
        uint32_t in = *(const uint32_t *)sp[count];                                                \
        EACH_LANE                                                                                  \
        {                                                                                          \
            T a = ap[i], b = bp[i];                                                                \
            U c = cp[i];                                                                           \
            (void)a, (void)b, (void)c;                                                             \
            to[i] = (x) + (y) + (in >> i & 1);                                                     \
        }                                                                                          \
    }
#define ALL(name, U, T, count, x, y)                                                               \
    CARRY(name##_cc, U, T, count, 0, x, y)                                                         \
    CARRY(name##_c_cc, U, T, count, *(const uint32_t *)sp[count], x, y)                            \
    NO_CARRY(name##_c, U, T, count, x, y)

#define SUMS(bits, U)                                                                              \
    ALL(add_##bits, U, U, 2, a, b)                                                                 \
    CARRY(sub_##bits##_cc, U, U, 2, FULL_MASK, a, (U)~b)                                           \
    CARRY(sub_##bits##_c_cc, U, U, 2, *(const uint32_t *)sp[2], a, (U)~b)                          \
    NO_CARRY(sub_##bits##_c, U, U, 2, a, (U)~b)                                                    \
    ALL(mad_lo_##bits, U, U, 3, a *b, c)
SUMS(32, uint32_t)
SUMS(64, uint64_t)
ALL(mad_hi_u32, uint32_t, uint32_t, 3, (uint32_t)((uint64_t)a *b >> 32), c)
ALL(mad_hi_s32, uint32_t, int32_t, 3, (uint32_t)((int64_t)a *b >> 32), c)
ALL(mad_hi_u64, uint64_t, uint64_t, 3, (uint64_t)((wide_unsigned)a *b >> 64), c)
ALL(mad_hi_s64, uint64_t, int64_t, 3, (uint64_t)((wide_signed)a *b >> 64), c)

// op.cc, opc.cc, opc. w: bytes per lane; sources: widths of all sources.
#define ROWS(op, words, w, sources, fn)                                                            \
    {OP_##op, "cc " words, w "p=" sources, 0, .lanes = fn##_cc},                                   \
        {OP_##op##c, "cc " words, w "p=" sources "p", 0, .lanes = fn##_c_cc},                      \
        {OP_##op##c, words, w "=" sources "p", 0, .lanes = fn##_c},

// clang-format off
const struct exec_row NAMED(rows_carry)[] = {
    ROWS(add, "u32", "4", "44", add_32) ROWS(add, "s32", "4", "44", add_32)
    ROWS(add, "u64", "8", "88", add_64) ROWS(add, "s64", "8", "88", add_64)
    ROWS(sub, "u32", "4", "44", sub_32) ROWS(sub, "s32", "4", "44", sub_32)
    ROWS(sub, "u64", "8", "88", sub_64) ROWS(sub, "s64", "8", "88", sub_64)
    ROWS(mad, "lo u32", "4", "444", mad_lo_32) ROWS(mad, "lo s32", "4", "444", mad_lo_32)
    ROWS(mad, "lo u64", "8", "888", mad_lo_64) ROWS(mad, "lo s64", "8", "888", mad_lo_64)
    ROWS(mad, "hi u32", "4", "444", mad_hi_u32) ROWS(mad, "hi s32", "4", "444", mad_hi_s32)
    ROWS(mad, "hi u64", "8", "888", mad_hi_u64) ROWS(mad, "hi s64", "8", "888", mad_hi_s64)
    {0},
};
