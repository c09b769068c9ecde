// Conversions between integers: truncated, extended by zeros or the sign, or saturated; and packing
// of two integers in one register.
#include "runtime-sim/exec/lanes/lanes.h"
#include "runtime-sim/exec/decode/prepare.h"

// A type's name in PTX, its C type, and the limits of its range.
#define C_u8 uint8_t
#define C_s8 int8_t
#define C_u16 uint16_t
#define C_s16 int16_t
#define C_u32 uint32_t
#define C_s32 int32_t
#define C_u64 uint64_t
#define C_s64 int64_t
enum { LOW_u8 = 0, LOW_u16 = 0, LOW_u32 = 0, LOW_u64 = 0 };
enum { LOW_s8 = INT8_MIN, LOW_s16 = INT16_MIN, LOW_s32 = INT32_MIN };
#define LOW_s64 INT64_MIN
enum { HIGH_u8 = UINT8_MAX, HIGH_s8 = INT8_MAX, HIGH_u16 = UINT16_MAX, HIGH_s16 = INT16_MAX };
#define HIGH_u32 UINT32_MAX
#define HIGH_s32 INT32_MAX
#define HIGH_u64 INT64_MAX // the largest value from a signed source
#define HIGH_s64 INT64_MAX

#define RESIZE(T)                                                                                  \
    LANES_1(to_1_##T, uint8_t, C_##T, a)                                                           \
    LANES_1(to_2_##T, uint16_t, C_##T, a)                                                          \
    LANES_1(to_4_##T, uint32_t, C_##T, a)                                                          \
    LANES_1(to_8_##T, uint64_t, C_##T, a)
RESIZE(u8)
RESIZE(s8)
RESIZE(u16)
RESIZE(s16)
RESIZE(u32)
RESIZE(s32)
RESIZE(u64)
RESIZE(s64)
#undef RESIZE

// Conversions in which .sat has an effect: result, bytes, source, bytes.
#define FROM_SIGNED(X)                                                                             \
    X(u8, 1, s8, 1)                                                                                \
    X(u8, 1, s16, 2)                                                                               \
    X(u8, 1, s32, 4)                                                                               \
    X(u8, 1, s64, 8)                                                                               \
    X(s8, 1, s16, 2)                                                                               \
    X(s8, 1, s32, 4)                                                                               \
    X(s8, 1, s64, 8)                                                                               \
    X(u16, 2, s8, 1)                                                                               \
    X(u16, 2, s16, 2)                                                                              \
    X(u16, 2, s32, 4)                                                                              \
    X(u16, 2, s64, 8)                                                                              \
    X(s16, 2, s32, 4)                                                                              \
    X(s16, 2, s64, 8)                                                                              \
    X(u32, 4, s8, 1)                                                                               \
    X(u32, 4, s16, 2)                                                                              \
    X(u32, 4, s32, 4)                                                                              \
    X(u32, 4, s64, 8)                                                                              \
    X(s32, 4, s64, 8)                                                                              \
    X(u64, 8, s8, 1)                                                                               \
    X(u64, 8, s16, 2)                                                                              \
    X(u64, 8, s32, 4)                                                                              \
    X(u64, 8, s64, 8)
#define FROM_UNSIGNED(X)                                                                           \
    X(u8, 1, u16, 2)                                                                               \
    X(u8, 1, u32, 4)                                                                               \
    X(u8, 1, u64, 8)                                                                               \
    X(s8, 1, u8, 1)                                                                                \
    X(s8, 1, u16, 2)                                                                               \
    X(s8, 1, u32, 4)                                                                               \
    X(s8, 1, u64, 8)                                                                               \
    X(u16, 2, u32, 4)                                                                              \
    X(u16, 2, u64, 8)                                                                              \
    X(s16, 2, u16, 2)                                                                              \
    X(s16, 2, u32, 4)                                                                              \
    X(s16, 2, u64, 8)                                                                              \
    X(u32, 4, u64, 8)                                                                              \
    X(s32, 4, u32, 4)                                                                              \
    X(s32, 4, u64, 8)                                                                              \
    X(s64, 8, u64, 8)

static inline int64_t clamp(int64_t a, int64_t low, int64_t high)
{
    return a < low ? low : a > high ? high : a;
}

#define SATURATE_SIGNED(U, to, T, from)                                                            \
    LANES_1(sat_##U##_##T, C_##U, C_##T, clamp(a, LOW_##U, HIGH_##U))
#define SATURATE_UNSIGNED(U, to, T, from)                                                          \
    LANES_1(sat_##U##_##T, C_##U, C_##T, (uint64_t)a > (uint64_t)HIGH_##U ? (C_##T)HIGH_##U : a)
FROM_SIGNED(SATURATE_SIGNED)
FROM_UNSIGNED(SATURATE_UNSIGNED)
#undef SATURATE_SIGNED
#undef SATURATE_UNSIGNED

// cvt.pack: a above b, both above the part of c that still fits.
#define PACK(type, bits, low, high)                                                                \
    static inline uint32_t pair_##type(int32_t a, int32_t b)                                       \
    {                                                                                              \
        uint32_t mask = (1u << bits) - 1;                                                          \
        return ((uint32_t)clamp(a, low, high) & mask) << bits |                                    \
               ((uint32_t)clamp(b, low, high) & mask);                                             \
    }
PACK(u16, 16, 0, UINT16_MAX)
PACK(s16, 16, INT16_MIN, INT16_MAX)
PACK(u8, 8, 0, UINT8_MAX)
PACK(s8, 8, INT8_MIN, INT8_MAX)
PACK(u4, 4, 0, 15)
PACK(s4, 4, -8, 7)
PACK(u2, 2, 0, 3)
PACK(s2, 2, -2, 1)
#undef PACK
LANES_2(pack_u16, uint32_t, int32_t, int32_t, pair_u16(a, b))
LANES_2(pack_s16, uint32_t, int32_t, int32_t, pair_s16(a, b))
LANES_3(pack_u8, uint32_t, int32_t, int32_t, uint32_t, pair_u8(a, b) | c << 16)
LANES_3(pack_s8, uint32_t, int32_t, int32_t, uint32_t, pair_s8(a, b) | c << 16)
LANES_3(pack_u4, uint32_t, int32_t, int32_t, uint32_t, pair_u4(a, b) | c << 8)
LANES_3(pack_s4, uint32_t, int32_t, int32_t, uint32_t, pair_s4(a, b) | c << 8)
LANES_3(pack_u2, uint32_t, int32_t, int32_t, uint32_t, pair_u2(a, b) | c << 4)
LANES_3(pack_s2, uint32_t, int32_t, int32_t, uint32_t, pair_s2(a, b) | c << 4)

// clang-format off
#define ROW(U, to, T, from) {OP_cvt, #U " " #T, #to "=" #from, 0, .lanes = to_##to##_##T},
#define ROWS(T, from)                                                                              \
    ROW(u64, 8, T, from) ROW(s64, 8, T, from) ROW(u32, 4, T, from) ROW(s32, 4, T, from)            \
    ROW(u16, 2, T, from) ROW(s16, 2, T, from) ROW(u8, 1, T, from) ROW(s8, 1, T, from)
#define SATURATE(U, to, T, from)                                                                   \
    {OP_cvt, #U " " #T, #to "=" #from, ATTR_SAT, .lanes = sat_##U##_##T},
#define PACK(type, words)                                                                          \
    {OP_cvt, "pack " #type words, NULL, ATTR_SAT, .lanes = pack_##type,                            \
     .prepare = prepare_convert_pack},

const struct exec_row NAMED(rows_convert)[] = {
    ROWS(u32, 4)
    ROWS(s32, 4)
    ROWS(u64, 8)
    ROWS(s64, 8)
    ROWS(u16, 2)
    ROWS(s16, 2)
    ROWS(u8, 1)
    ROWS(s8, 1)
    FROM_SIGNED(SATURATE)
    FROM_UNSIGNED(SATURATE)
    PACK(u16, " s32")
    PACK(s16, " s32")
    PACK(u8, " s32 b32")
    PACK(s8, " s32 b32")
    PACK(u4, " s32 b32")
    PACK(s4, " s32 b32")
    PACK(u2, " s32 b32")
    PACK(s2, " s32 b32")
    {0},
};
// clang-format on
