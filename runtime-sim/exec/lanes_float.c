// add, sub, mul, fma of f32, f32x2, f64, and of f32 with halves. An f32 result that is not a number
// is the one NaN that PTX gives, 0x7fffffff. An f32x2 is two lanes of f32 side by side.
//
// Each has a fast form, one with .ftz, and one for whatever else the modifiers ask for.
#include "runtime-sim/exec/half.h"
#include "runtime-sim/program/prepare.h"

typedef float f32_fn(float a, float b, float c);
typedef double f64_fn(double a, double b, double c);

#if defined __FMA__ || defined __aarch64__
enum { HAVE_FMA = 1 };
#else
enum { HAVE_FMA = 0 };
#endif

INLINE float add(float a, float b, float c)
{
    (void)c;
    return a + b;
}

INLINE float sub(float a, float b, float c)
{
    (void)c;
    return a - b;
}

INLINE float mul(float a, float b, float c)
{
    (void)c;
    return a * b;
}

// A product of two f32 is exact in f64.
INLINE float fma_nearest(float a, float b, float c)
{
    return HAVE_FMA ? __builtin_fmaf(a, b, c) : (float)sum_odd((double)a * b, (double)c);
}

INLINE float fma_any(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

// Is a result that has become the least normal number one that .ftz makes zero? Asked where the
// host does not flush: ever so much larger, the value is rounded as if there were smaller
// exponents.
INLINE bool is_tiny(float result, double exact)
{
    return fabsf(result) == 0x1p-126f && fabsf((float)(exact * 0x1p64)) < 0x1p-62f;
}

INLINE float exact_tiny(f32_fn *fn, float a, float b, float c, float result)
{
    double exact = fn == mul ? (double)a * b : sum_odd((double)a * b, (double)c);
    bool inexact = fn == mul || fn == fma_nearest || fn == fma_any;
    return inexact && is_tiny(result, exact) ? f32_of(bits_f32(result) & 0x80000000) : result;
}

INLINE float one_f32(f32_fn *fn, float a, float b, float c, uint32_t attributes)
{
    bool flushed = !HOST_FLUSHES && attributes & ATTR_FTZ;
    if (flushed) {
        a = flush(a);
        b = flush(b);
        c = flush(c);
    }
    float result = fn(a, b, c);
    if (flushed)
        result = exact_tiny(fn, a, b, c, flush(result));
    return attributes & ATTR_SAT ? saturate(result) : canonical(result);
}

INLINE void each_f32(f32_fn *fn, int count, uint32_t attributes, void *dp, const void *const *sp,
                     int sources)
{
    float *to = dp;
    const float *ap = sp[0], *bp = sp[1], *cp = sp[sources - 1];
    EACH(count)
    {
        to[i] = one_f32(fn, ap[i], bp[i], cp[i], attributes);
    }
}

INLINE void each_f32_mode(const struct code *code, f32_fn *fn, int count, uint32_t attributes,
                          void *dp, const void *const *sp, int sources)
{
    uint32_t before = mode_enter(code);
    each_f32(fn, count, attributes, dp, sp, sources);
    mode_leave(before);
}

#define F32(name, nearest, any, sources)                                                           \
    static void name##_f32(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(nearest, LANES, 0, d, s, sources);                                                \
    }                                                                                              \
    static void name##_ftz_f32(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        each_f32_mode(code, nearest, LANES, ATTR_FTZ, d, s, sources);                              \
    }                                                                                              \
    static void name##_any_f32(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        each_f32_mode(code, any, LANES, code->attributes, d, s, sources);                          \
    }                                                                                              \
    static void name##_f32x2(const struct code *code, void *d, const void *const *s)               \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(nearest, 2 * LANES, 0, d, s, sources);                                            \
    }                                                                                              \
    static void name##_any_f32x2(const struct code *code, void *d, const void *const *s)           \
    {                                                                                              \
        each_f32_mode(code, any, 2 * LANES, code->attributes, d, s, sources);                      \
    }
F32(add, add, add, 2)
F32(sub, sub, sub, 2)
F32(mul, mul, mul, 2)
F32(fma, fma_nearest, fma_any, 3)
#undef F32

// f64

INLINE double add_wide(double a, double b, double c)
{
    (void)c;
    return a + b;
}

INLINE double sub_wide(double a, double b, double c)
{
    (void)c;
    return a - b;
}

INLINE double mul_wide(double a, double b, double c)
{
    (void)c;
    return a * b;
}

INLINE double fma_wide(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

INLINE void each_f64(f64_fn *fn, void *dp, const void *const *sp, int sources)
{
    double *to = dp;
    const double *ap = sp[0], *bp = sp[1], *cp = sp[sources - 1];
    EACH(LANES)
    {
        double a = ap[i], b = bp[i], c = cp[i];
        to[i] = canonical_f64(fn(a, b, c), a, b, c);
    }
}

#define F64(name, fn, sources)                                                                     \
    static void name##_f64(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f64(fn, d, s, sources);                                                               \
    }                                                                                              \
    static void name##_any_f64(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        uint32_t before = mode_enter(code);                                                        \
        each_f64(fn, d, s, sources);                                                               \
        mode_leave(before);                                                                        \
    }
F64(add, add_wide, 2)
F64(sub, sub_wide, 2)
F64(mul, mul_wide, 2)
F64(fma, fma_wide, 3)
#undef F64

// f32 with the sources in front in half precision, which are made f32 first.

INLINE void each_mixed(f32_fn *fn, enum half_format format, uint32_t attributes, void *dp,
                       const void *const *sp, int sources)
{
    float *to = dp;
    const uint16_t *ap = sp[0], *bp = sp[sources - 2];
    const float *cp = sp[sources - 1];
    EACH(LANES)
    {
        float a = f32_of_half(format, ap[i]), c = cp[i];
        float b = sources == 2 ? c : f32_of_half(format, bp[i]);
        to[i] = one_f32(fn, a, b, c, attributes);
    }
}

#define MIXED_AS(name, fn, any, sources, format, upper)                                            \
    static void name##_##format(const struct code *code, void *d, const void *const *s)            \
    {                                                                                              \
        (void)code;                                                                                \
        each_mixed(fn, upper, 0, d, s, sources);                                                   \
    }                                                                                              \
    static void name##_any_##format(const struct code *code, void *d, const void *const *s)        \
    {                                                                                              \
        uint32_t before = mode_enter(code);                                                        \
        each_mixed(any, upper, code->attributes, d, s, sources);                                   \
        mode_leave(before);                                                                        \
    }
#define MIXED(name, fn, any, sources)                                                              \
    MIXED_AS(name, fn, any, sources, f16, HALF_F16)                                                \
    MIXED_AS(name, fn, any, sources, bf16, HALF_BF16)
MIXED(add, add, add, 2)
MIXED(sub, sub, sub, 2)
MIXED(fma, fma_nearest, fma_any, 3)
#undef MIXED
#undef MIXED_AS

// clang-format off
#define ROWS_F32(op, name, sources)                                                                \
    {OP_##op, "f32", "4=" sources, 0, .lanes = name##_f32},                                        \
    {OP_##op, "f32", "4=" sources, ATTR_FTZ, .lanes = name##_ftz_f32},                             \
    {OP_##op, "f32", "4=" sources, ATTR_FTZ | ATTR_SAT | ATTR_ROUND, .lanes = name##_any_f32,      \
     .prepare = prepare_rounding}
#define ROWS_F32X2(op, name, wide)                                                                 \
    {OP_##op, "f32x2", "8=" wide, 0, .lanes = name##_f32x2},                                       \
    {OP_##op, "f32x2", "8=" wide, ATTR_FTZ | ATTR_ROUND, .lanes = name##_any_f32x2,                \
     .prepare = prepare_rounding}
#define ROWS_F64(op, name, wide)                                                                   \
    {OP_##op, "f64", "8=" wide, 0, .lanes = name##_f64},                                           \
    {OP_##op, "f64", "8=" wide, ATTR_ROUND, .lanes = name##_any_f64, .prepare = prepare_rounding}
#define ROWS_MIXED_AS(op, name, halves, format)                                                    \
    {OP_##op, "f32 " #format, "4=" halves "4", 0, .lanes = name##_##format},                       \
    {OP_##op, "f32 " #format, "4=" halves "4", ATTR_SAT | ATTR_ROUND,                              \
     .lanes = name##_any_##format, .prepare = prepare_rounding}
#define ROWS_MIXED(op, name, halves)                                                               \
    ROWS_MIXED_AS(op, name, halves, f16), ROWS_MIXED_AS(op, name, halves, bf16)

const struct exec_row NAMED(rows_float)[] = {
    ROWS_F32(add, add, "44"),
    ROWS_F32(sub, sub, "44"),
    ROWS_F32(mul, mul, "44"),
    ROWS_F32(fma, fma, "444"),
    ROWS_F32(mad, fma, "444"),
    ROWS_F32X2(add, add, "88"),
    ROWS_F32X2(sub, sub, "88"),
    ROWS_F32X2(mul, mul, "88"),
    ROWS_F32X2(fma, fma, "888"),
    ROWS_F64(add, add, "88"),
    ROWS_F64(sub, sub, "88"),
    ROWS_F64(mul, mul, "88"),
    ROWS_F64(fma, fma, "888"),
    ROWS_F64(mad, fma, "888"),
    ROWS_MIXED(add, add, "2"),
    ROWS_MIXED(sub, sub, "2"),
    ROWS_MIXED(fma, fma, "22"),
    {0},
};
// clang-format on
