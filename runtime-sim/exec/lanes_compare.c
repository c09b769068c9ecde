// Comparisons: a predicate of each type and operator. `prepare_compare` puts the Boolean operation
// and the second predicate of setp, and the values of set, behind them.
#include "runtime-sim/exec/lanes.h"
#include "runtime-sim/program/prepare.h"

#define INTEGER(type, T)                                                                           \
    LANES_TEST(eq_##type, T, T, a == b)                                                            \
    LANES_TEST(ne_##type, T, T, a != b)                                                            \
    LANES_TEST(lt_##type, T, T, a < b)                                                             \
    LANES_TEST(le_##type, T, T, a <= b)                                                            \
    LANES_TEST(gt_##type, T, T, a > b)                                                             \
    LANES_TEST(ge_##type, T, T, a >= b)
// The ordered operators are false for NaN, the others true.
#define FLOATING(type, T)                                                                          \
    LANES_TEST(eq_##type, T, T, a == b)                                                            \
    LANES_TEST(ne_##type, T, T, a<b || a> b)                                                       \
    LANES_TEST(lt_##type, T, T, a < b)                                                             \
    LANES_TEST(le_##type, T, T, a <= b)                                                            \
    LANES_TEST(gt_##type, T, T, a > b)                                                             \
    LANES_TEST(ge_##type, T, T, a >= b)                                                            \
    LANES_TEST(equ_##type, T, T, !(a < b) && !(a > b))                                             \
    LANES_TEST(neu_##type, T, T, a != b)                                                           \
    LANES_TEST(ltu_##type, T, T, !(a >= b))                                                        \
    LANES_TEST(leu_##type, T, T, !(a > b))                                                         \
    LANES_TEST(gtu_##type, T, T, !(a <= b))                                                        \
    LANES_TEST(geu_##type, T, T, !(a < b))                                                         \
    LANES_TEST(num_##type, T, T, a == a && b == b)                                                 \
    LANES_TEST(nan_##type, T, T, a != a || b != b)
INTEGER(u16, uint16_t)
INTEGER(s16, int16_t)
INTEGER(u32, uint32_t)
INTEGER(s32, int32_t)
INTEGER(u64, uint64_t)
INTEGER(s64, int64_t)
FLOATING(f32, float)
FLOATING(f64, double)

#define TEST(operator, type, widths)                                                               \
    {OP_setp, #operator" " #type,         widths,                                                  \
     0,       .lanes = operator##_##type, .prepare = prepare_compare},
#define EQUAL(type, widths) TEST(eq, type, widths) TEST(ne, type, widths)
#define ORDER(type, widths)                                                                        \
    EQUAL(type, widths)                                                                            \
    TEST(lt, type, widths) TEST(le, type, widths) TEST(gt, type, widths) TEST(ge, type, widths)
#define UNORDERED(type, widths)                                                                    \
    TEST(equ, type, widths)                                                                        \
    TEST(neu, type, widths)                                                                        \
    TEST(ltu, type, widths)                                                                        \
    TEST(leu, type, widths)                                                                        \
    TEST(gtu, type, widths) TEST(geu, type, widths) TEST(num, type, widths) TEST(nan, type, widths)
// lo, ls, hi, hs are the unsigned operators' other names.
#define NAMED_TEST(operator, same, type, widths)                                                   \
    {OP_setp, #operator" " #type, widths, 0, .lanes = same##_##type, .prepare = prepare_compare},
#define UNSIGNED(type, widths)                                                                     \
    NAMED_TEST(lo, lt, type, widths)                                                               \
    NAMED_TEST(ls, le, type, widths)                                                               \
    NAMED_TEST(hi, gt, type, widths) NAMED_TEST(hs, ge, type, widths)

const struct exec_row NAMED(rows_compare)[] = {
    ORDER(u16, "p=22") ORDER(s16, "p=22") ORDER(u32, "p=44") ORDER(s32, "p=44") ORDER(u64, "p=88")
        ORDER(s64, "p=88") ORDER(f32, "p=44") ORDER(f64, "p=88") UNORDERED(f32, "p=44")
            UNORDERED(f64, "p=88") UNSIGNED(u16, "p=22") UNSIGNED(u32, "p=44")
                UNSIGNED(u64, "p=88"){OP_setp, "eq b16", "p=22", 0, .lanes = eq_u16,
                                      .prepare = prepare_compare},
    {OP_setp, "ne b16", "p=22", 0, .lanes = ne_u16, .prepare = prepare_compare},
    {OP_setp, "eq b32", "p=44", 0, .lanes = eq_u32, .prepare = prepare_compare},
    {OP_setp, "ne b32", "p=44", 0, .lanes = ne_u32, .prepare = prepare_compare},
    {OP_setp, "eq b64", "p=88", 0, .lanes = eq_u64, .prepare = prepare_compare},
    {OP_setp, "ne b64", "p=88", 0, .lanes = ne_u64, .prepare = prepare_compare},
    {0},
};
