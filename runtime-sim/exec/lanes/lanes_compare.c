// Comparisons: a predicate for each type and operator. `prepare_compare` adds codes for the Boolean
// operation and the second predicate of setp, and for the values of set.
#include "runtime-sim/exec/lanes/half.h"
#include "runtime-sim/exec/decode/prepare.h"

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
        if (code->d2 != SLOT_NONE)                                                                 \
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
