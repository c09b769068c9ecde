// add, sub, mul and fma of one lane, and the loops over lanes. Used by files that round to nearest
// and by files that use the rounding mode of a code.
#pragma once
#include "runtime-sim/exec/lanes/half.h"

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

// The product of two f32 is exact in f64.
INLINE float fma_nearest(float a, float b, float c)
{
    return HAVE_FMA ? __builtin_fmaf(a, b, c) : (float)sum_odd((double)a * b, (double)c);
}

INLINE float fma_any(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

// Returns true if the result was rounded up to the smallest normal number, so that .ftz makes it
// zero. Used if the host does not flush. The value is scaled up, so that it is rounded as with an
// unlimited exponent.
INLINE bool is_tiny(float result, double exact)
{
    return fabsf(result) == 0x1p-126f && fabsf((float)(exact * 0x1p64)) < 0x1p-62f;
}

// Flushes a result for which is_tiny holds.
INLINE float exact_tiny(f32_fn *fn, float a, float b, float c, float result)
{
    double exact = fn == mul ? (double)a * b : sum_odd((double)a * b, (double)c);
    bool inexact = fn == mul || fn == fma_nearest || fn == fma_any;
    return inexact && is_tiny(result, exact) ? f32_of(bits_f32(result) & 0x80000000) : result;
}

// Computes one lane, with the attributes .ftz and .sat.
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

// Computes `count` lanes of f32.
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

// Computes `count` lanes of f32 in the mode of a code.
INLINE void each_f32_mode(const struct code *code, f32_fn *fn, int count, uint32_t attributes,
                          void *dp, const void *const *sp, int sources)
{
    uint32_t before = mode_enter(code);
    each_f32(fn, count, attributes, dp, sp, sources);
    mode_leave(before);
}

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

// f32, with the first sources in half precision, which are converted to f32 first.

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

// The rows, built from macros that a file defines for each kind: ROWS_F32, ROWS_F32X2 and ROWS_F64
// with the widths of the sources, ROWS_MIXED with those of the halves.
// clang-format off
#define FLOAT_ROWS                                                                                 \
    ROWS_F32(add, add, "44"),                                                                      \
    ROWS_F32(sub, sub, "44"),                                                                      \
    ROWS_F32(mul, mul, "44"),                                                                      \
    ROWS_F32(fma, fma, "444"),                                                                     \
    ROWS_F32(mad, fma, "444"),                                                                     \
    ROWS_F32X2(add, add, "88"),                                                                    \
    ROWS_F32X2(sub, sub, "88"),                                                                    \
    ROWS_F32X2(mul, mul, "88"),                                                                    \
    ROWS_F32X2(fma, fma, "888"),                                                                   \
    ROWS_F64(add, add, "88"),                                                                      \
    ROWS_F64(sub, sub, "88"),                                                                      \
    ROWS_F64(mul, mul, "88"),                                                                      \
    ROWS_F64(fma, fma, "888"),                                                                     \
    ROWS_F64(mad, fma, "888"),                                                                     \
    ROWS_MIXED(add, add, "2"),                                                                     \
    ROWS_MIXED(sub, sub, "2"),                                                                     \
    ROWS_MIXED(fma, fma, "22")
// clang-format on
