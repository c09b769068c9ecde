// Division, reciprocal and square root of one lane, and the loops over lanes: for files that round
// to nearest and for files with the rounding mode of a code.
#pragma once
#include "runtime-sim/exec/lanes/floats.h"

typedef float f32_fn(float a, float b);
typedef double f64_fn(double a, double b);

INLINE float quotient(float a, float b)
{
    return a / b;
}

INLINE float reciprocal(float a, float b)
{
    (void)b;
    return 1 / a;
}

INLINE float root(float a, float b)
{
    (void)b;
    return sqrtf(a);
}

// Two roundings: at most 2⁻²³, and 2⁻²²·⁹ is allowed.
INLINE float reciprocal_root(float a, float b)
{
    (void)b;
    return 1 / sqrtf(a);
}

// a · (1/b): for b above 2¹²⁶ the reciprocal, subnormal, is zero; below the least normal number
// both operands are scaled up first.
INLINE float quick_quotient(float a, float b)
{
    float scale = fabsf(b) < 0x1p-126f ? 0x1p24f : 1;
    float inverse = fabsf(b) > 0x1p126f ? copysignf(0, b) : 1 / (b * scale);
    return a * scale * (b == b ? inverse : b);
}

// Only in quotients and reciprocals can a result be rounded up to the least normal number that .ftz
// makes zero. Asked where the host does not flush.
INLINE float exact_tiny(f32_fn *fn, float a, float b, float result)
{
    double exact = fn == quotient ? (double)a / b : 1 / (double)a;
    bool tiny = fabsf(result) == 0x1p-126f && fabsf((float)(exact * 0x1p64)) < 0x1p-62f;
    bool inexact = fn == quotient || fn == reciprocal;
    return inexact && tiny ? f32_of(bits_f32(result) & 0x80000000) : result;
}

INLINE float one_f32(f32_fn *fn, float a, float b, uint32_t attributes)
{
    bool flushed = !HOST_FLUSHES && attributes & ATTR_FTZ;
    if (!flushed)
        return canonical(fn(a, b));
    a = flush(a);
    b = flush(b);
    return canonical(exact_tiny(fn, a, b, flush(fn(a, b))));
}

INLINE void each_f32(f32_fn *fn, uint32_t attributes, void *dp, const void *const *sp, int sources)
{
    float *to = dp;
    const float *ap = sp[0], *bp = sp[sources - 1];
    EACH(LANES)
    {
        to[i] = one_f32(fn, ap[i], bp[i], attributes);
    }
}

INLINE void each_f64(f64_fn *fn, void *dp, const void *const *sp, int sources)
{
    double *to = dp;
    const double *ap = sp[0], *bp = sp[sources - 1];
    EACH(LANES)
    {
        double a = ap[i], b = bp[i];
        to[i] = canonical_f64(fn(a, b), a, b, b);
    }
}

INLINE void each_f32_mode(const struct code *code, f32_fn *fn, uint32_t attributes, void *dp,
                          const void *const *sp, int sources)
{
    uint32_t before = mode_enter(code);
    each_f32(fn, attributes, dp, sp, sources);
    mode_leave(before);
}

INLINE double quotient_wide(double a, double b)
{
    return a / b;
}

INLINE double reciprocal_wide(double a, double b)
{
    (void)b;
    return 1 / a;
}

INLINE double root_wide(double a, double b)
{
    (void)b;
    return sqrt(a);
}

INLINE double reciprocal_root_wide(double a, double b)
{
    (void)b;
    return 1 / sqrt(a);
}
