// Shared by the files of floating-point lanes: bit access, rounding modes, flushing, rules for NaN
// results.
//
// Flushing to zero (.ftz): a subnormal source becomes a zero of its sign. So does a result that is
// below the smallest normal number after rounding to the format's precision with an unlimited
// exponent. This is how ptxas folds constants and how SSE works.
#pragma once
#include "runtime-sim/exec/lanes/lanes.h"
#include <fenv.h>
#include <math.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define EACH(count) _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < (count); i++)
#else
#define EACH(count) _Pragma("GCC ivdep") for (int i = 0; i < (count); i++)
#endif

// The bits of a number, and the number with these bits.
INLINE uint32_t bits_f32(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {value};
    return both.bits;
}

INLINE float f32_of(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } both = {bits};
    return both.value;
}

INLINE uint64_t bits_f64(double value)
{
    union {
        double value;
        uint64_t bits;
    } both = {value};
    return both.bits;
}

INLINE double f64_of(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } both = {bits};
    return both.value;
}

// Replaces a NaN by the one NaN of PTX.
INLINE float canonical(float value)
{
    return value == value ? value : f32_of(0x7fffffff);
}

// Returns the result, or if it is a NaN, the first NaN among the sources, made quiet. The host's
// instructions would propagate a NaN that depends on the compiler's order of operands.
INLINE double canonical_f64(double value, double a, double b, double c)
{
    uint64_t quiet = UINT64_C(1) << 51;
    uint64_t nan = UINT64_C(0xfff8000000000000);
    nan = c == c ? nan : bits_f64(c) | quiet;
    nan = b == b ? nan : bits_f64(b) | quiet;
    nan = a == a ? nan : bits_f64(a) | quiet;
    return value == value ? value : f64_of(nan);
}

// Clamps to 0 … 1.
INLINE float saturate(float value)
{
    float low = value > 0 ? value : 0; // NaN and −0 also become +0
    return low < 1 ? low : 1;
}

// Flushes a subnormal number to zero.
INLINE float flush(float value)
{
    return f32_of(bits_f32(value) & (bits_f32(value) & 0x7f800000 ? 0xffffffff : 0x80000000));
}

// Sets the rounding and flushing of a code until mode_leave. Between the two calls the loops load
// and store all values, so that the compiler does not move arithmetic out.
#ifdef __SSE2__
enum { HOST_FLUSHES = 1 };

INLINE uint32_t mode_enter(const struct code *code)
{
    static const uint16_t rounding[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                        _MM_ROUND_UP};
    uint32_t flush_both = 0x8040, before = _mm_getcsr();
    uint32_t mode = before & ~(flush_both | _MM_ROUND_MASK);
    mode |= rounding[code->round & 3] | (code->attributes & ATTR_FTZ ? flush_both : 0);
    _mm_setcsr(mode);
    __asm__ volatile("" ::: "memory");
    return before;
}

INLINE void mode_leave(uint32_t before)
{
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(before);
}
#else
enum { HOST_FLUSHES = 0 };

INLINE uint32_t mode_enter(const struct code *code)
{
    static const int rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    int before = fegetround();
    fesetround(rounding[code->round & 3]);
    __asm__ volatile("" ::: "memory");
    return (uint32_t)before;
}

INLINE void mode_leave(uint32_t before)
{
    __asm__ volatile("" ::: "memory");
    fesetround((int)before);
}
#endif

// Returns a + b rounded to odd: if the sum is inexact, the neighbour whose last digit is 1.
// Rounding it again to a precision that is at least two digits lower gives the result of rounding a
// + b once.
INLINE double sum_odd(double a, double b)
{
    double sum = a + b, part = sum - a;
    double error = (a - (sum - part)) + (b - part);
    uint64_t bits = bits_f64(sum);
    uint64_t toward = (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
    bool inexact = (error > 0 || error < 0) && !(bits & 1);
    return f64_of(inexact ? bits + toward : bits);
}

INLINE float sum_odd_f32(float a, float b)
{
    float sum = a + b, part = sum - a;
    float error = (a - (sum - part)) + (b - part);
    uint32_t bits = bits_f32(sum);
    uint32_t toward = (error > 0) == (sum > 0) ? 1 : UINT32_MAX;
    bool inexact = (error > 0 || error < 0) && !(bits & 1);
    return f32_of(inexact ? bits + toward : bits);
}

// Converts to f32, rounded to odd.
INLINE float narrow_odd(double value)
{
    float near = (float)value;
    double wide = (double)near;
    uint32_t bits = bits_f32(near);
    bool inexact = (wide < value || wide > value) && !(bits & 1);
    return f32_of(inexact ? bits + (fabs(wide) > fabs(value) ? UINT32_MAX : 1) : bits);
}
