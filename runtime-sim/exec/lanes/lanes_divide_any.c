// Division, reciprocal and square root with rounding modes other than to nearest. Compiled for a
// rounding mode that changes at run time.
#include "runtime-sim/exec/lanes/divide_ops.h"
#include "runtime-sim/exec/decode/prepare.h"

#define BOTH(name, fn, fn_wide, sources)                                                           \
    static void name##_f32(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        each_f32_mode(code, fn, code->attributes, d, s, sources);                                  \
    }                                                                                              \
    static void name##_f64(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        uint32_t before = mode_enter(code);                                                        \
        each_f64(fn_wide, d, s, sources);                                                          \
        mode_leave(before);                                                                        \
    }
BOTH(div, quotient, quotient_wide, 2)
BOTH(rcp, reciprocal, reciprocal_wide, 1)
BOTH(sqrt, root, root_wide, 1)

// clang-format off
#define ROWS(name, widths, wide)                                                                   \
    {OP_##name, "f32", widths, ATTR_FTZ | ATTR_ROUND, .lanes = name##_f32,                         \
     .prepare = prepare_rounding},                                                                 \
    {OP_##name, "f64", wide, ATTR_ROUND, .lanes = name##_f64, .prepare = prepare_rounding}

const struct exec_row NAMED(rows_divide_any)[] = {
    ROWS(div, "4=44", "8=88"),
    ROWS(rcp, "4=4", "8=8"),
    ROWS(sqrt, "4=4", "8=8"),
    {0},
};
// clang-format on
