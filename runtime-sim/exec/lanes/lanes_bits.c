// Counting, finding and moving bits; sums of products of bytes.
#include "runtime-sim/exec/lanes/lanes.h"

// Counts bits by halves, since few hosts can count the bits of vector elements.
static inline uint32_t count_32(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

static inline uint32_t count_64(uint64_t x)
{
    return count_32((uint32_t)x) + count_32((uint32_t)(x >> 32));
}

// Sets all bits below the highest set bit.
static inline uint32_t smear_32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    return x | x >> 16;
}

static inline uint64_t smear_64(uint64_t x)
{
    uint32_t high = smear_32((uint32_t)(x >> 32)), low = smear_32((uint32_t)x);
    return (uint64_t)high << 32 | (high ? UINT32_MAX : low);
}

static inline uint32_t reverse_32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static inline uint64_t reverse_64(uint64_t x)
{
    return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32));
}

// The highest bit that differs from the sign: its position, or its distance from the top.
#define FIND(bits, U, S)                                                                           \
    LANES_1(popc_b##bits, uint32_t, U, count_##bits(a))                                            \
    LANES_1(clz_b##bits, uint32_t, U, bits - count_##bits(smear_##bits(a)))                        \
    LANES_1(brev_b##bits, U, U, reverse_##bits(a))                                                 \
    LANES_1(bfind_u##bits, uint32_t, U, count_##bits(smear_##bits(a)) - 1)                         \
    LANES_1(bfind_s##bits, uint32_t, S, count_##bits(smear_##bits((U)(a ^ a >> (bits - 1)))) - 1)  \
    LANES_1(bfind_far_u##bits, uint32_t, U, a ? bits - count_##bits(smear_##bits(a)) : UINT32_MAX) \
    LANES_1(bfind_far_s##bits, uint32_t, S,                                                        \
            a ^ a >> (bits - 1) ? bits - count_##bits(smear_##bits((U)(a ^ a >> (bits - 1))))      \
                                : UINT32_MAX)
FIND(32, uint32_t, int32_t)
FIND(64, uint64_t, int64_t)

// Returns the position of the n-th set bit from `base` on, upwards, or downwards if n is negative.
// `base` itself counts.
static inline uint32_t nth_bit(uint32_t mask, uint32_t base, int32_t n)
{
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    uint32_t left = n < 0 ? 0 - (uint32_t)n : (uint32_t)n;
    uint32_t on = n < 0 ? mask & UINT32_MAX >> (31 - base) : mask & UINT32_MAX << base;
    for (; on; on &= n < 0 ? ~(UINT32_C(1) << (31 - __builtin_clz(on))) : on - 1)
        if (!--left)
            return n < 0 ? 31 - (uint32_t)__builtin_clz(on) : (uint32_t)__builtin_ctz(on);
    return UINT32_MAX;
}
LANES_3(fns, uint32_t, uint32_t, uint32_t, int32_t, nth_bit(a, b, c))

// Bit fields: position and length are bytes. Bits beyond the top are zeros or, for signed numbers,
// the sign. 64 bits hold every field of a 32-bit number with the bits beyond it.
static inline uint64_t low_bits(uint32_t length)
{
    return length > 63 ? UINT64_MAX : (UINT64_C(1) << (uint64_t)length) - 1;
}

static inline uint64_t field_unsigned(uint64_t a, uint32_t position, uint32_t length)
{
    return position > 63 ? 0 : a >> (uint64_t)position & low_bits(length);
}

static inline int64_t field_signed(int64_t a, uint32_t position, uint32_t length)
{
    uint64_t unused = length > 63 ? 0 : length ? 64 - length : 63;
    int64_t field = a >> (uint64_t)(position > 63 ? 63 : position);
    return length ? (int64_t)((uint64_t)field << unused) >> unused : 0;
}

static inline uint64_t insert(uint64_t field, uint64_t into, uint32_t position, uint32_t length)
{
    uint64_t at = position & 63, mask = position > 63 ? 0 : low_bits(length) << at;
    return (into & ~mask) | (field << at & mask);
}
LANES_3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, field_unsigned(a, b & 0xff, c & 0xff))
LANES_3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, field_unsigned(a, b & 0xff, c & 0xff))
LANES_3(bfe_s32, int32_t, int32_t, uint32_t, uint32_t, field_signed(a, b & 0xff, c & 0xff))
LANES_3(bfe_s64, int64_t, int64_t, uint32_t, uint32_t, field_signed(a, b & 0xff, c & 0xff))

#define INSERT(name, U)                                                                            \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        U *to = dp;                                                                                \
        const U *a = sp[0], *b = sp[1];                                                            \
        const uint32_t *c = sp[2], *e = sp[3];                                                     \
        EACH_LANE to[i] = (U)insert(a[i], b[i], c[i] & 0xff, e[i] & 0xff);                         \
    }
INSERT(bfi_b32, uint32_t)
INSERT(bfi_b64, uint64_t)

// szext: extends a number of b bits to 32. Without wrapping, b of 32 and more selects the whole
// number.
#define EXTEND(mode, too_large, count)                                                             \
    LANES_2(szext_##mode##_u32, uint32_t, uint32_t, uint32_t,                                      \
            too_large ? a : a &(uint32_t)low_bits(count))                                          \
    LANES_2(szext_##mode##_s32, int32_t, int32_t, uint32_t,                                        \
            too_large ? a : (int32_t)field_signed(a, 0, count))
EXTEND(clamp, b > 31, b)
EXTEND(wrap, 0, b & 31)

// bmsk: b ones from bit a on.
LANES_2(bmsk_clamp, uint32_t, uint32_t, uint32_t,
        a > 31 ? 0 : low_bits(b > 32 ? 32 : b) << (uint64_t)(a & 31))
LANES_2(bmsk_wrap, uint32_t, uint32_t, uint32_t, low_bits(b & 31) << (uint64_t)(a & 31))

// Extract parts of a word, unsigned or signed.
static inline uint32_t part_u(uint32_t word, uint32_t bits, uint32_t n)
{
    return word >> bits * n & ((1u << bits) - 1);
}
static inline uint32_t part_s(uint32_t word, uint32_t bits, uint32_t n)
{
    return (uint32_t)((int32_t)(word << (32 - bits * (n + 1))) >> (32 - bits));
}
#define PRODUCT(s, t, bits, m, n) part_##s(a, bits, m) * part_##t(b, 8, n)
#define DOT(s, t)                                                                                  \
    LANES_3(dp4a_##s##t, uint32_t, uint32_t, uint32_t, uint32_t,                                   \
            c + PRODUCT(s, t, 8, 0, 0) + PRODUCT(s, t, 8, 1, 1) + PRODUCT(s, t, 8, 2, 2) +         \
                PRODUCT(s, t, 8, 3, 3))                                                            \
    LANES_3(dp2a_lo_##s##t, uint32_t, uint32_t, uint32_t, uint32_t,                                \
            c + PRODUCT(s, t, 16, 0, 0) + PRODUCT(s, t, 16, 1, 1))                                 \
    LANES_3(dp2a_hi_##s##t, uint32_t, uint32_t, uint32_t, uint32_t,                                \
            c + PRODUCT(s, t, 16, 0, 2) + PRODUCT(s, t, 16, 1, 3))
DOT(u, u)
DOT(u, s)
DOT(s, u)
DOT(s, s)

#define ROW(op, words, widths, fn) {OP_##op, words, widths, 0, .lanes = fn},
#define DOT_ROWS(s, t, types)                                                                      \
    ROW(dp4a, types, "4=444", dp4a_##s##t)                                                         \
    ROW(dp2a, "lo " types, "4=444", dp2a_lo_##s##t) ROW(dp2a, "hi " types, "4=444", dp2a_hi_##s##t)

// clang-format off
const struct exec_row NAMED(rows_bits)[] = {
    ROW(popc, "b32", "4=4", popc_b32) ROW(popc, "b64", "4=8", popc_b64)
    ROW(clz, "b32", "4=4", clz_b32) ROW(clz, "b64", "4=8", clz_b64)
    ROW(brev, "b32", "4=4", brev_b32) ROW(brev, "b64", "8=8", brev_b64)
    ROW(bfind, "u32", "4=4", bfind_u32) ROW(bfind, "shiftamt u32", "4=4", bfind_far_u32)
    ROW(bfind, "s32", "4=4", bfind_s32) ROW(bfind, "shiftamt s32", "4=4", bfind_far_s32)
    ROW(bfind, "u64", "4=8", bfind_u64) ROW(bfind, "shiftamt u64", "4=8", bfind_far_u64)
    ROW(bfind, "s64", "4=8", bfind_s64) ROW(bfind, "shiftamt s64", "4=8", bfind_far_s64)
    ROW(fns, "b32", "4=444", fns)
    ROW(bfe, "u32", "4=444", bfe_u32) ROW(bfe, "s32", "4=444", bfe_s32)
    ROW(bfe, "u64", "8=844", bfe_u64) ROW(bfe, "s64", "8=844", bfe_s64)
    ROW(bfi, "b32", "4=4444", bfi_b32) ROW(bfi, "b64", "8=8844", bfi_b64)
    ROW(szext, "clamp u32", "4=44", szext_clamp_u32) ROW(szext, "wrap u32", "4=44", szext_wrap_u32)
    ROW(szext, "clamp s32", "4=44", szext_clamp_s32) ROW(szext, "wrap s32", "4=44", szext_wrap_s32)
    ROW(bmsk, "clamp b32", "4=44", bmsk_clamp) ROW(bmsk, "wrap b32", "4=44", bmsk_wrap)
    DOT_ROWS(u, u, "u32 u32") DOT_ROWS(u, s, "u32 s32")
    DOT_ROWS(s, u, "s32 u32") DOT_ROWS(s, s, "s32 s32")
    {0},
};
