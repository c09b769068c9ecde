// add, sub, mul and fma with all modifiers: every rounding mode, .ftz, .sat. Compiled for a
// rounding mode that changes at run time. lanes_float.c has the usual cases.
#include "runtime-sim/exec/lanes/float_ops.h"
#include "runtime-sim/exec/decode/prepare.h"

#define F32(name, fn, sources)                                                                     \
    static void name##_f32(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        each_f32_mode(code, fn, LANES, code->attributes, d, s, sources);                           \
    }                                                                                              \
    static void name##_f32x2(const struct code *code, void *d, const void *const *s)               \
    {                                                                                              \
        each_f32_mode(code, fn, 2 * LANES, code->attributes, d, s, sources);                       \
    }
F32(add, add, 2)
F32(sub, sub, 2)
F32(mul, mul, 2)
F32(fma, fma_any, 3)

#define F64(name, fn, sources)                                                                     \
    static void name##_f64(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        uint32_t before = mode_enter(code);                                                        \
        each_f64(fn, d, s, sources);                                                               \
        mode_leave(before);                                                                        \
    }
F64(add, add_wide, 2)
F64(sub, sub_wide, 2)
F64(mul, mul_wide, 2)
F64(fma, fma_wide, 3)

#define MIXED_AS(name, fn, sources, format)                                                        \
    {                                                                                              \
        uint32_t before = mode_enter(code);                                                        \
        each_mixed(fn, format, code->attributes, d, s, sources);                                   \
        mode_leave(before);                                                                        \
    }
#define MIXED(name, fn, sources)                                                                   \
    static void name##_f16(const struct code *code, void *d, const void *const *s)                 \
        MIXED_AS(name, fn, sources, HALF_F16) static void name##_bf16(                             \
            const struct code *code, void *d, const void *const *s)                                \
            MIXED_AS(name, fn, sources, HALF_BF16)
MIXED(add, add, 2)
MIXED(sub, sub, 2)
MIXED(fma, fma_any, 3)

// clang-format off
#define ROW(op, words, widths, allowed, fn)                                                        \
    {OP_##op, words, widths, ATTR_ROUND | (allowed), .lanes = fn, .prepare = prepare_rounding}
#define ROWS_F32(op, name, sources)                                                                \
    ROW(op, "f32", "4=" sources, ATTR_FTZ | ATTR_SAT, name##_f32)
#define ROWS_F32X2(op, name, wide) ROW(op, "f32x2", "8=" wide, ATTR_FTZ, name##_f32x2)
#define ROWS_F64(op, name, wide) ROW(op, "f64", "8=" wide, 0, name##_f64)
#define ROWS_MIXED(op, name, halves)                                                               \
    ROW(op, "f32 f16", "4=" halves "4", ATTR_SAT, name##_f16),                                     \
    ROW(op, "f32 bf16", "4=" halves "4", ATTR_SAT, name##_bf16)

const struct exec_row NAMED(rows_float_any)[] = {
    FLOAT_ROWS,
    {0},
};
// clang-format on
