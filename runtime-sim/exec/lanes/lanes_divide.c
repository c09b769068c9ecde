// Division, reciprocal and square root of f32 and f64, rounded to nearest. The approximate
// operations of PTX are built from correctly rounded ones, so every host gives the same bits.
#include "runtime-sim/exec/lanes/divide_ops.h"

#define F32(name, fn, sources)                                                                     \
    static void name##_f32(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(fn, 0, d, s, sources);                                                            \
    }                                                                                              \
    static void name##_ftz_f32(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        each_f32_mode(code, fn, ATTR_FTZ, d, s, sources);                                          \
    }
F32(div, quotient, 2)
F32(div_approx, quick_quotient, 2)
F32(rcp, reciprocal, 1)
F32(sqrt, root, 1)
F32(rsqrt, reciprocal_root, 1)

// PTX before 1.4 omits .approx.ftz.
#define OLD(name)                                                                                  \
    static void name##_old_f32(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        struct code with = *code;                                                                  \
        with.attributes = ATTR_FTZ;                                                                \
        name##_ftz_f32(&with, d, s);                                                               \
    }
OLD(div_approx)
OLD(rcp)
OLD(sqrt)
OLD(rsqrt)

#define F64(name, fn, sources)                                                                     \
    static void name##_f64(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f64(fn, d, s, sources);                                                               \
    }
F64(div, quotient_wide, 2)
F64(rcp, reciprocal_wide, 1)
F64(sqrt, root_wide, 1)

static void rsqrt_f64(const struct code *code, void *d, const void *const *s)
{
    (void)code;
    each_f64(reciprocal_root_wide, d, s, 1);
}

// Operations on the upper half of an f64, with a zero lower half. Subnormal numbers are zeros.

INLINE uint64_t upper(uint64_t bits)
{
    bits &= UINT64_C(0xffffffff00000000);
    return bits & UINT64_C(0x7ff0000000000000) ? bits : bits & UINT64_C(1) << 63;
}

INLINE void each_upper(f64_fn *fn, void *dp, const void *const *sp)
{
    uint64_t *to = dp;
    const uint64_t *ap = sp[0];
    EACH(LANES)
    {
        double a = f64_of(upper(ap[i]));
        uint64_t bits = bits_f64(fn(a, a));
        bool is_nan = (bits << 1) > UINT64_C(0x7ff0000000000000) << 1;
        bool is_tiny = !(bits & UINT64_C(0x7ff0000000000000));
        uint64_t near = upper(bits + (is_tiny ? 0 : UINT64_C(1) << 31));
        to[i] = is_nan ? UINT64_C(0x7fffffff00000000) : near;
    }
}

static void rcp_upper(const struct code *code, void *d, const void *const *s)
{
    (void)code;
    each_upper(reciprocal_wide, d, s);
}

static void rsqrt_upper(const struct code *code, void *d, const void *const *s)
{
    (void)code;
    each_upper(reciprocal_root_wide, d, s);
}

// clang-format off
// Rows without a rounding modifier are of PTX before 1.4.
#define ROWS(op, name, old, widths, wide)                                                          \
    {OP_##op, "rn f32", widths, 0, .lanes = name##_f32},                                           \
    {OP_##op, "rn f32", widths, ATTR_FTZ, .lanes = name##_ftz_f32},                                \
    {OP_##op, "f32", widths, 0, .lanes = old##_old_f32},                                           \
    {OP_##op, "f64", wide, 0, .lanes = name##_f64}
#define ROWS_WORD(op, name, word, widths)                                                          \
    {OP_##op, word " f32", widths, 0, .lanes = name##_f32},                                        \
    {OP_##op, word " f32", widths, ATTR_FTZ, .lanes = name##_ftz_f32}

const struct exec_row NAMED(rows_divide)[] = {
    ROWS(div, div, div_approx, "4=44", "8=88"),
    ROWS_WORD(div, div_approx, "approx", "4=44"),
    ROWS_WORD(div, div, "full", "4=44"),
    ROWS(rcp, rcp, rcp, "4=4", "8=8"),
    ROWS_WORD(rcp, rcp, "approx", "4=4"),
    ROWS(sqrt, sqrt, sqrt, "4=4", "8=8"),
    ROWS_WORD(sqrt, sqrt, "approx", "4=4"),
    {OP_rsqrt, "f32", "4=4", 0, .lanes = rsqrt_old_f32},
    ROWS_WORD(rsqrt, rsqrt, "approx", "4=4"),
    {OP_rsqrt, "f64", "8=8", 0, .lanes = rsqrt_f64},
    {OP_rsqrt, "approx f64", "8=8", 0, .lanes = rsqrt_f64},
    {OP_rsqrt, "approx f64", "8=8", ATTR_FTZ, .lanes = rsqrt_upper},
    {OP_rcp, "approx f64", "8=8", ATTR_FTZ, .lanes = rcp_upper},
    {0},
};
// clang-format on
