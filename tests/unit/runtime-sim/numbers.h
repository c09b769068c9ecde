// Elements of matrices as numbers, digit by digit, for tests.
#pragma once
#include "tests/unit/runtime-sim/conform.h"
#include <math.h>

struct format {
    const char *name;
    uint32_t bits;
    uint32_t digits; // behind the point
    int bias;        // 0: an integer
    bool is_signed;
};

static const struct format formats[] = {
    {"f16", 16, 10, 15},     {"bf16", 16, 7, 127},  {"tf32", 32, 23, 127},  {"f32", 32, 23, 127},
    {"f64", 64, 52, 1023},   {"e4m3", 8, 3, 7},     {"e5m2", 8, 2, 15},     {"s8", 8, 0, 0, true},
    {"u8", 8, 0, 0, false},  {"s4", 4, 0, 0, true}, {"u4", 4, 0, 0, false}, {"b1", 1, 0, 0, false},
    {"s32", 32, 0, 0, true},
};

static inline const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    fail_msg("no format %s", name);
    return NULL;
}

static inline double value_of(const struct format *format, uint64_t bits)
{
    int exponent_bits = (int)(format->bits - 1 - format->digits);
    uint64_t digits = bits & ((UINT64_C(1) << format->digits) - 1);
    uint64_t exponent = bits >> format->digits & ((UINT64_C(1) << exponent_bits) - 1);
    double sign = bits >> (format->bits - 1) ? -1 : 1;
    bool last = exponent == (UINT64_C(1) << exponent_bits) - 1;
    if (!strcmp(format->name, "e4m3")) {
        if (last && digits == 7)
            return NAN;
    } else if (last) {
        return digits ? NAN : sign * INFINITY;
    }
    if (!strcmp(format->name, "tf32"))
        digits &= ~UINT64_C(0x1fff);
    if (!exponent)
        return sign * ldexp((double)digits, 1 - format->bias - (int)format->digits);
    digits |= UINT64_C(1) << format->digits;
    return sign * ldexp((double)digits, (int)exponent - format->bias - (int)format->digits);
}

static inline int64_t integer_of(const struct format *format, uint64_t bits)
{
    int64_t range = INT64_C(1) << format->bits;
    return format->is_signed && (int64_t)bits >= range / 2 ? (int64_t)bits - range : (int64_t)bits;
}

// Returns the bits of a number; f16 and f32 are rounded to the nearest multiple of the last digit's
// weight.
static inline uint64_t bits_of(const struct format *format, double value)
{
    int max = format->bias, min = 1 - format->bias;
    uint64_t sign = signbit(value) ? UINT64_C(1) << (format->bits - 1) : 0;
    if (isnan(value))
        return (UINT64_C(1) << (format->bits - 1)) - 1;
    if (value == 0)
        return sign;
    uint64_t infinity = (UINT64_C(1) << (format->bits - 1)) - (UINT64_C(1) << format->digits);
    if (isinf(value))
        return sign | infinity;
    int exponent = ilogb(value) < min ? min : ilogb(value);
    uint64_t digits = (uint64_t)nearbyint(ldexp(fabs(value), (int)format->digits - exponent));
    // A carry of the digits goes on into the exponent, as a subnormal's first digit does.
    uint64_t bits = ((uint64_t)(exponent + format->bias - 1) << format->digits) + digits;
    return sign | (exponent > max || bits > infinity ? infinity : bits);
}

// Returns a random element: for floating point moderate, any finite, or any values; mostly used for
// integers.
static inline uint64_t random_element(const struct format *format, uint32_t mode, uint64_t *state)
{
    uint64_t bits = conform_random(state);
    if (format->bits < 64)
        bits &= (UINT64_C(1) << format->bits) - 1;
    if (!format->bias)
        return bits;
    bool special = mode == 2 && conform_random(state) % 128 == 0;
    if (mode == 1 || special)
        return special || isfinite(value_of(format, bits)) ? bits : 0;
    uint32_t exponent = (uint32_t)format->bias + (uint32_t)(conform_random(state) % 6) - 3;
    uint64_t digits = bits & ((UINT64_C(1) << format->digits) - 1);
    uint64_t sign = bits >> (format->bits - 1) << (format->bits - 1);
    return sign | (uint64_t)exponent << format->digits | digits;
}
