// Division, reciprocal and square root of one lane, and the loops over lanes. Used by files that
// round to nearest and by files that use the rounding mode of a code.
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

// Rounds twice. The error is at most 2⁻²³; 2⁻²²·⁹ is allowed.
INLINE float reciprocal_root(float a, float b)
{
    (void)b;
    return 1 / sqrtf(a);
}

// Computes a · (1/b). For b above 2¹²⁶ the reciprocal, which is subnormal, is zero. If b is below
// the smallest normal number, both operands are scaled up first.
INLINE float quick_quotient(float a, float b)
{
    float scale = fabsf(b) < 0x1p-126f ? 0x1p24f : 1;
    float inverse = fabsf(b) > 0x1p126f ? copysignf(0, b) : 1 / (b * scale);
    return a * scale * (b == b ? inverse : b);
}

// Flushes a result that was rounded up to the smallest normal number, which .ftz makes zero. This
// can happen only in quotients and reciprocals. Used if the host does not flush.
INLINE float exact_tiny(f32_fn *fn, float a, float b, float result)
{
    double exact = fn == quotient ? (double)a / b : 1 / (double)a;
    bool tiny = fabsf(result) == 0x1p-126f && fabsf((float)(exact * 0x1p64)) < 0x1p-62f;
    bool inexact = fn == quotient || fn == reciprocal;
    return inexact && tiny ? f32_of(bits_f32(result) & 0x80000000) : result;
}

// Computes one lane, with .ftz if requested.
INLINE float one_f32(f32_fn *fn, float a, float b, uint32_t attributes)
{
    bool flushed = !HOST_FLUSHES && attributes & ATTR_FTZ;
    if (!flushed)
        return canonical(fn(a, b));
    a = flush(a);
    b = flush(b);
    return canonical(exact_tiny(fn, a, b, flush(fn(a, b))));
}

// Computes all lanes of f32.
INLINE void each_f32(f32_fn *fn, uint32_t attributes, void *dp, const void *const *sp, int sources)
{
    float *to = dp;
    const float *ap = sp[0], *bp = sp[sources - 1];
    EACH(LANES)
    {
        to[i] = one_f32(fn, ap[i], bp[i], attributes);
    }
}

// Computes all lanes of f64.
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

// Computes all lanes of f32 in the mode of a code.
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
