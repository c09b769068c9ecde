// Comparisons: a predicate for each type and operator. `prepare_compare` adds codes for the Boolean
// operation and the second predicate of setp, and for the values of set. Selection by a predicate
// or a sign.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/lanes/lanes.h"

#define INTEGER(type, T)                                                                           \
    LANES_TEST(eq_##type, T, T, a == b)                                                            \
    LANES_TEST(ne_##type, T, T, a != b)                                                            \
    LANES_TEST(lt_##type, T, T, a < b)                                                             \
    LANES_TEST(le_##type, T, T, a <= b)                                                            \
    LANES_TEST(gt_##type, T, T, a > b)                                                             \
    LANES_TEST(ge_##type, T, T, a >= b)
// The ordered operators are false for NaN, the unordered ones true. `as` converts a lane to a
// number.
#define FLOATING_TESTS(TEST, type, T, as)                                                          \
    TEST(eq_##type, T, as(a) == as(b))                                                             \
    TEST(ne_##type, T, as(a) < as(b) || as(a) > as(b))                                             \
    TEST(lt_##type, T, as(a) < as(b))                                                              \
    TEST(le_##type, T, as(a) <= as(b))                                                             \
    TEST(gt_##type, T, as(a) > as(b))                                                              \
    TEST(ge_##type, T, as(a) >= as(b))                                                             \
    TEST(equ_##type, T, !(as(a) < as(b)) && !(as(a) > as(b)))                                      \
    TEST(neu_##type, T, as(a) != as(b))                                                            \
    TEST(ltu_##type, T, !(as(a) >= as(b)))                                                         \
    TEST(leu_##type, T, !(as(a) > as(b)))                                                          \
    TEST(gtu_##type, T, !(as(a) <= as(b)))                                                         \
    TEST(geu_##type, T, !(as(a) < as(b)))                                                          \
    TEST(num_##type, T, as(a) == as(a) && as(b) == as(b))                                          \
    TEST(nan_##type, T, as(a) != as(a) || as(b) != as(b))
#define TEST_ONE(name, T, ...) LANES_TEST(name, T, T, __VA_ARGS__)
// Compares a pair of halves: a predicate for the lower half, and an optional one for the upper
// half.
#define TEST_PAIR(name, T, ...)                                                                    \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        const T *ap = sp[0], *bp = sp[1];                                                          \
        uint32_t lower = 0, upper = 0;                                                             \
        EACH_LANE                                                                                  \
        {                                                                                          \
            T a = ap[2 * i], b = bp[2 * i];                                                        \
            lower |= (uint32_t)(__VA_ARGS__) << i;                                                 \
            a = ap[2 * i + 1];                                                                     \
            b = bp[2 * i + 1];                                                                     \
            upper |= (uint32_t)(__VA_ARGS__) << i;                                                 \
        }                                                                                          \
        union lanes *to = dp;                                                                      \
        to[0].mask = lower;                                                                        \
        if (code->d2 != REG_SLOT_NONE)                                                             \
            to[1].mask = upper;                                                                    \
    }
INTEGER(u16, uint16_t)
INTEGER(s16, int16_t)
INTEGER(u32, uint32_t)
INTEGER(s32, int32_t)
INTEGER(u64, uint64_t)
INTEGER(s64, int64_t)

#define flushed_f16(a) f32_of_f16(flush_half(HALF_F16, a))
FLOATING_TESTS(TEST_ONE, f32, float, )
FLOATING_TESTS(TEST_ONE, ftz_f32, float, flush)
FLOATING_TESTS(TEST_ONE, f64, double, )
FLOATING_TESTS(TEST_ONE, f16, uint16_t, f32_of_f16)
FLOATING_TESTS(TEST_ONE, ftz_f16, uint16_t, flushed_f16)
FLOATING_TESTS(TEST_ONE, bf16, uint16_t, f32_of_bf16)
FLOATING_TESTS(TEST_PAIR, f16x2, uint16_t, f32_of_f16)
FLOATING_TESTS(TEST_PAIR, ftz_f16x2, uint16_t, flushed_f16)
FLOATING_TESTS(TEST_PAIR, bf16x2, uint16_t, f32_of_bf16)

// clang-format off
#define ROW(operator, lanes_of, type, widths, allowed, made)                                       \
    {OP_setp, #operator " " #type, widths, allowed, .lanes = lanes_of, .prepare = made},
#define INTEGER_ROW(operator, same, type, as, widths)                                              \
    ROW(operator, same##_##as, type, widths, 0, prepare_compare)
#define EQUAL(type, as, widths)                                                                    \
    INTEGER_ROW(eq, eq, type, as, widths) INTEGER_ROW(ne, ne, type, as, widths)
#define ORDER(type, widths)                                                                        \
    EQUAL(type, type, widths)                                                                      \
    INTEGER_ROW(lt, lt, type, type, widths) INTEGER_ROW(le, le, type, type, widths)                \
    INTEGER_ROW(gt, gt, type, type, widths) INTEGER_ROW(ge, ge, type, type, widths)
// lo, ls, hi and hs are other names of the unsigned operators.
#define UNSIGNED(type, widths)                                                                     \
    ORDER(type, widths)                                                                            \
    INTEGER_ROW(lo, lt, type, type, widths) INTEGER_ROW(ls, le, type, type, widths)                \
    INTEGER_ROW(hi, gt, type, type, widths) INTEGER_ROW(hs, ge, type, type, widths)
#define FLOATING(type, as, widths, allowed, made)                                                  \
    ROW(eq, eq_##as, type, widths, allowed, made) ROW(ne, ne_##as, type, widths, allowed, made)    \
    ROW(lt, lt_##as, type, widths, allowed, made) ROW(le, le_##as, type, widths, allowed, made)    \
    ROW(gt, gt_##as, type, widths, allowed, made) ROW(ge, ge_##as, type, widths, allowed, made)    \
    ROW(equ, equ_##as, type, widths, allowed, made)                                                \
    ROW(neu, neu_##as, type, widths, allowed, made)                                                \
    ROW(ltu, ltu_##as, type, widths, allowed, made)                                                \
    ROW(leu, leu_##as, type, widths, allowed, made)                                                \
    ROW(gtu, gtu_##as, type, widths, allowed, made)                                                \
    ROW(geu, geu_##as, type, widths, allowed, made)                                                \
    ROW(num, num_##as, type, widths, allowed, made)                                                \
    ROW(nan, nan_##as, type, widths, allowed, made)

const struct exec_row NAMED(rows_compare)[] = {
    UNSIGNED(u16, "p=22") UNSIGNED(u32, "p=44") UNSIGNED(u64, "p=88")
    ORDER(s16, "p=22") ORDER(s32, "p=44") ORDER(s64, "p=88")
    EQUAL(b16, u16, "p=22") EQUAL(b32, u32, "p=44") EQUAL(b64, u64, "p=88")
    FLOATING(f32, f32, "p=44", 0, prepare_compare)
    FLOATING(f32, ftz_f32, "p=44", ATTR_FTZ, prepare_compare)
    FLOATING(f64, f64, "p=88", 0, prepare_compare)
    FLOATING(f16, f16, "p=22", 0, prepare_compare)
    FLOATING(f16, ftz_f16, "p=22", ATTR_FTZ, prepare_compare)
    FLOATING(bf16, bf16, "p=22", 0, prepare_compare)
    FLOATING(f16x2, f16x2, "p=44", 0, prepare_compare_pair)
    FLOATING(f16x2, ftz_f16x2, "p=44", ATTR_FTZ, prepare_compare_pair)
    FLOATING(bf16x2, bf16x2, "p=44", 0, prepare_compare_pair)
    {0},
};
// clang-format on

// Selects one of two values, by a predicate or by a sign.

#define SELECT(bits, T)                                                                            \
    static void selp_##bits(const struct code *code, void *dp, const void *const *sp)              \
    {                                                                                              \
        (void)code;                                                                                \
        const T *a = sp[0], *b = sp[1];                                                            \
        T *to = dp;                                                                                \
        uint32_t mask = *(const uint32_t *)sp[2];                                                  \
        EACH_LANE to[i] = mask >> i & 1 ? a[i] : b[i];                                             \
    }                                                                                              \
    LANES_3(slct_##bits##_s32, T, T, T, int32_t, c >= 0 ? a : b)                                   \
    LANES_3(slct_##bits##_f32, T, T, T, float, c >= 0 ? a : b)                                     \
    LANES_3(slct_##bits##_ftz, T, T, T, uint32_t, at_least_zero(c) ? a : b)

// Subnormal numbers count as zeros, and zeros are not negative.
static inline bool at_least_zero(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7fffffff;
    return magnitude < 0x00800000 || (bits >> 31 == 0 && magnitude <= 0x7f800000);
}
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)

#define ROWS(type, w, bits)                                                                        \
    {OP_selp, #type, w "=" w w "p", 0, .lanes = selp_##bits},                                      \
        {OP_slct, #type " s32", w "=" w w "4", 0, .lanes = slct_##bits##_s32},                     \
        {OP_slct, #type " f32", w "=" w w "4", 0, .lanes = slct_##bits##_f32},                     \
        {OP_slct, "ftz " #type " f32", w "=" w w "4", 0, .lanes = slct_##bits##_ftz},

// clang-format off
const struct exec_row NAMED(rows_select)[] = {
    ROWS(b16, "2", 16) ROWS(u16, "2", 16) ROWS(s16, "2", 16)
    ROWS(b32, "4", 32) ROWS(u32, "4", 32) ROWS(s32, "4", 32) ROWS(f32, "4", 32)
    ROWS(b64, "8", 64) ROWS(u64, "8", 64) ROWS(s64, "8", 64) ROWS(f64, "8", 64)
    {0},
};
