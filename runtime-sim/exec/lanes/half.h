// Conversions between f32 and f16 or bf16 as 16-bit patterns: exact to f32, and rounded to nearest
// even from f32. Also converts e4m3 to f32.
#pragma once
#include "runtime-sim/exec/lanes/floats.h"

enum half_format { HALF_F16, HALF_BF16 };
enum { HALF_NAN = 0x7fff };

// Selects one of two computed values by a mask. gcc moves the arithmetic of a ? b : c after the
// condition, and does not vectorise the loop with the resulting branches.
INLINE uint32_t choose(uint32_t mask, uint32_t a, uint32_t b)
{
    return (a & mask) | (b & ~mask);
}

// Returns all ones if a < b. Requires that both have a zero top bit.
INLINE uint32_t mask_below(uint32_t a, uint32_t b)
{
    return (uint32_t)((int32_t)(a - b) >> 31);
}

// Converts, exactly.
INLINE float f32_of_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = (uint32_t)(half & 0x7fff) << 13;
    uint32_t exponent = magnitude & 0x0f800000;
    // Subnormal: 2⁻¹⁴ plus its fraction, minus 2⁻¹⁴. When rounding down, the difference of a zero
    // is negative.
    uint32_t small = bits_f32(f32_of(magnitude | 0x38800000) - 0x1p-14f) & 0x7fffffff;
    uint32_t large = magnitude + (exponent == 0x0f800000 ? 224u << 23 : 112u << 23);
    return f32_of(sign | choose(mask_below(0, exponent), large, small));
}

// Converts to the nearest even. A NaN becomes HALF_NAN.
INLINE uint16_t f16_of_f32(float value)
{
    uint32_t bits = bits_f32(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    // Subnormal: the last digit of ½ + x is the last digit of the result.
    uint32_t min = magnitude < 0x38800000 ? magnitude : 0x38800000;
    uint32_t small = bits_f32(f32_of(min) + 0.5f) - 0x3f000000;
    uint32_t large = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t half = choose(mask_below(magnitude, 0x38800000), small, large);
    half = choose(mask_below(magnitude, 0x477ff000), half, 0x7c00);
    return (uint16_t)choose(mask_below(0x7f800000, magnitude), HALF_NAN, sign | half);
}

// Converts the low 8 bits: 4 exponent bits, no infinities.
INLINE float f32_of_e4m3(uint32_t bits)
{
    float magnitude = f32_of_f16((uint16_t)((bits & 0x7f) << 7)) * 256;
    uint32_t number = bits_f32(magnitude) | (bits & 0x80) << 24;
    return f32_of((bits & 0x7f) == 0x7f ? 0x7fffffff : number);
}

// Converts, exactly.
INLINE float f32_of_bf16(uint16_t half)
{
    return f32_of((uint32_t)half << 16);
}

// Converts to the nearest even. A NaN becomes HALF_NAN.
INLINE uint16_t bf16_of_f32(float value)
{
    uint32_t bits = bits_f32(value);
    uint32_t half = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? HALF_NAN : half);
}

INLINE float f32_of_half(enum half_format format, uint16_t half)
{
    return format == HALF_F16 ? f32_of_f16(half) : f32_of_bf16(half);
}

INLINE uint16_t half_of_f32(enum half_format format, float value)
{
    return format == HALF_F16 ? f16_of_f32(value) : bf16_of_f32(value);
}

// Flushes a subnormal number to zero.
INLINE uint16_t flush_half(enum half_format format, uint16_t half)
{
    uint16_t exponent = format == HALF_F16 ? 0x7c00 : 0x7f80;
    return (uint16_t)(half & exponent ? half : half & 0x8000);
}

// Flushes a result, before it is rounded, that would be below the smallest normal number.
INLINE float flush_tiny(enum half_format format, float value)
{
    float min = format == HALF_F16 ? 0x1p-14f - 0x1p-26f : 0x1p-126f - 0x1p-135f;
    return fabsf(value) < min ? f32_of(bits_f32(value) & 0x80000000) : value;
}
