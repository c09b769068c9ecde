// Conversions for references: numbers as long double, which holds all of them exactly, and
// roundings by floorl and comparisons. Eight-bit and smaller formats are found in a list of their
// values.
#pragma once
#include "tests/unit/runtime-sim/conform.h"
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct type {
    const char *name;
    uint32_t bits;
    char kind; // u, s, f
    int digits, exponent_bits;
};

static const struct type types[] = {
    {"u8", 8, 'u'},           {"s8", 8, 's'},          {"u16", 16, 'u'},
    {"s16", 16, 's'},         {"u32", 32, 'u'},        {"s32", 32, 's'},
    {"u64", 64, 'u'},         {"s64", 64, 's'},        {"f16", 16, 'f', 10, 5},
    {"bf16", 16, 'f', 7, 8},  {"f32", 32, 'f', 23, 8}, {"f64", 64, 'f', 52, 11},
    {"tf32", 32, 'f', 10, 8}, {"e4m3", 8, 'f', 3, 4},  {"e5m2", 8, 'f', 2, 5},
    {"e3m2", 6, 'f', 2, 3},   {"e2m3", 6, 'f', 3, 2},  {"e2m1", 4, 'f', 1, 2},
};

static inline const struct type *type_named(const char *name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    fail_msg("no type %s", name);
    return NULL;
}

// Description of the conversion under test.
struct conversion {
    const struct type *to, *from;
    char mode; // n z m p, a: away from 0, s: stochastic
    bool integral, ftz, sat, relu, finite;
    uint32_t random, random_digits;
};

static inline uint64_t cut_to(uint64_t value, uint32_t bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static inline bool is_type(const struct type *type, const char *name)
{
    return !strcmp(type->name, name);
}

// Returns the value of a small format's code without sign; NaN for invalid codes.
static inline long double small_value(const struct type *type, uint32_t code)
{
    int bias = (1 << (type->exponent_bits - 1)) - 1;
    int digits = (int)(code & ((1u << type->digits) - 1)), exponent = (int)(code >> type->digits);
    bool e5m2 = is_type(type, "e5m2");
    if ((is_type(type, "e4m3") && code == 0x7f) || (e5m2 && code > 0x7c))
        return NAN;
    if (e5m2 && code == 0x7c)
        return INFINITY;
    long double fraction = (long double)digits / (1 << type->digits);
    return exponent ? ldexpl(1 + fraction, exponent - bias) : ldexpl(fraction, 1 - bias);
}

static inline long double read_float(const struct type *type, uint64_t bits)
{
    uint32_t sign_at = (uint32_t)(type->digits + type->exponent_bits);
    int bias = (1 << (type->exponent_bits - 1)) - 1, last = 2 * bias + 1;
    uint64_t code = cut_to(bits, sign_at);
    long double value;
    if (type->bits <= 8) {
        value = small_value(type, (uint32_t)code);
    } else {
        int exponent = (int)(code >> type->digits);
        uint64_t digits = cut_to(code, (uint32_t)type->digits);
        if (exponent == last)
            value = digits ? (long double)NAN : (long double)INFINITY;
        else if (exponent)
            value = ldexpl(1 + ldexpl((long double)digits, -type->digits), exponent - bias);
        else
            value = ldexpl((long double)digits, 1 - bias - type->digits);
    }
    return bits >> sign_at & 1 ? -value : value;
}

static inline long double read_value(const struct type *type, uint64_t bits)
{
    bits = cut_to(bits, type->bits);
    if (type->kind == 'f')
        return read_float(type, bits);
    if (type->kind == 's')
        return (long double)((int64_t)(bits << (64 - type->bits)) >> (64 - type->bits));
    return (long double)bits;
}

// Rounds a magnitude to an integer.
static inline long double round_magnitude(const struct conversion *c, long double value,
                                          bool negative)
{
    long double low = floorl(value), rest = value - low, one = ldexpl(1, (int)c->random_digits);
    bool up = false;
    switch (c->mode) {
    case 'n': up = rest > 0.5L || (rest == 0.5L && fmodl(low, 2) == 1); break;
    case 'a': up = rest >= 0.5L; break;
    case 'm': up = negative && rest > 0; break;
    case 'p': up = !negative && rest > 0; break;
    case 's': up = floorl(rest * one) + c->random >= one; break;
    default: break;
    }
    return up ? low + 1 : low;
}

static inline uint64_t write_integer(const struct conversion *c, long double value)
{
    const struct type *to = c->to;
    long double min = to->kind == 's' ? -ldexpl(1, (int)to->bits - 1) : 0;
    long double max = ldexpl(1, (int)to->bits - (to->kind == 's')) - 1;
    if (isnan(value) && !is_type(c->from, "f64") && to->bits < 64)
        return 0;
    if (isnan(value)) // the highest bit
        return to->kind == 's' ? (uint64_t)(int64_t)min : UINT64_C(1) << (to->bits - 1);
    if (isinf(value))
        value = value < 0 ? min : max;
    value = copysignl(round_magnitude(c, fabsl(value), value < 0), value);
    value = value < min ? min : value > max ? max : value;
    return to->kind == 's' ? (uint64_t)(int64_t)value : (uint64_t)value;
}

// Rounds between the neighbours in the list of values; above the last value, .rs and .rn use the
// value that would follow.
static inline uint64_t write_small(const struct conversion *c, long double magnitude, bool negative)
{
    uint32_t max = (1u << (c->to->digits + c->to->exponent_bits)) - 1;
    while (!isfinite(small_value(c->to, max)))
        max--;
    uint32_t low = 0;
    while (low < max && small_value(c->to, low + 1) <= magnitude)
        low++;
    if (low == max)
        return max;
    long double below = small_value(c->to, low), above = small_value(c->to, low + 1);
    long double part = (magnitude - below) / (above - below); // a power of two
    long double one = ldexpl(1, (int)c->random_digits);
    bool up = c->mode == 's' ? floorl(part * one) + c->random >= one
                             : part > 0.5L || (part == 0.5L && low & 1);
    (void)negative;
    return low + up;
}

static inline uint64_t write_large(const struct conversion *c, long double magnitude, bool negative)
{
    const struct type *to = c->to;
    int bias = (1 << (to->exponent_bits - 1)) - 1, min = 1 - bias, exponent = ilogbl(magnitude);
    uint64_t infinity = cut_to(UINT64_MAX, (uint32_t)to->exponent_bits) << to->digits;
    if (c->ftz && is_type(to, "f32") && exponent < min) {
        long double units = round_magnitude(c, ldexpl(magnitude, to->digits - exponent), negative);
        bool normal = ldexpl(units, exponent - to->digits) >= ldexpl(1, min);
        return normal ? UINT64_C(1) << to->digits : 0;
    }
    exponent = exponent < min ? min : exponent;
    long double units = round_magnitude(c, ldexpl(magnitude, to->digits - exponent), negative);
    long double rounded = ldexpl(units, exponent - to->digits);
    if (rounded >= ldexpl(1, bias + 1)) {
        bool to_infinity =
            !c->finite && (c->mode == 'n' || c->mode == 'a' || c->mode == 's' ||
                           (c->mode == 'p' && !negative) || (c->mode == 'm' && negative));
        return to_infinity ? infinity : infinity - 1;
    }
    if (rounded == 0)
        return 0;
    exponent = ilogbl(rounded);
    if (exponent < min)
        return (uint64_t)ldexpl(rounded, to->digits - min);
    uint64_t digits = (uint64_t)ldexpl(rounded, to->digits - exponent);
    return (uint64_t)(exponent + bias) << to->digits | cut_to(digits, (uint32_t)to->digits);
}

static inline uint64_t nan_of(const struct conversion *c, uint64_t bits)
{
    double wide;
    float narrow;
    if (c->sat)
        return 0;
    if (c->to->bits <= 8) // the NaN, or the largest number
        return c->to->exponent_bits > 3 ? 0x7f : cut_to(UINT64_MAX, c->to->bits - 1);
    if (is_type(c->to, "f32") && is_type(c->from, "f64"))
        return (bits >> 32 & 0x80000000) | 0x7fc00000 | (bits >> 29 & 0x3fffff);
    if (!is_type(c->to, "f64"))
        return is_type(c->to, "tf32") ? 0x7fffe000 >> 13 : cut_to(UINT64_MAX, c->to->bits - 1);
    if (is_type(c->from, "f64"))
        return bits | UINT64_C(1) << 51;
    uint32_t source = is_type(c->from, "f32") ? (uint32_t)bits : 0x7fffffff;
    memcpy(&narrow, &source, sizeof narrow);
    wide = (double)narrow; // carries what it can
    memcpy(&bits, &wide, sizeof wide);
    return bits;
}

static inline uint64_t write_float(const struct conversion *c, long double value, uint64_t bits)
{
    uint64_t code;
    if (isnan(value))
        return nan_of(c, bits);
    bool negative = signbit(value);
    if (c->integral && isfinite(value))
        value = copysignl(round_magnitude(c, fabsl(value), negative), value);
    if (c->sat)
        value = value > 1 ? 1 : value;
    if (negative && (c->sat || c->relu))
        return 0;
    if (c->to->bits <= 8)
        code = write_small(c, fabsl(value), negative);
    else if (isinf(value))
        code = (cut_to(UINT64_MAX, (uint32_t)c->to->exponent_bits) << c->to->digits) - c->finite;
    else
        code = value == 0 ? 0 : write_large(c, fabsl(value), negative);
    return code | (uint64_t)negative << (c->to->digits + c->to->exponent_bits);
}

// Returns the result's bits, sign-extended for a signed integer.
static inline uint64_t converted(const struct conversion *c, uint64_t bits)
{
    bits = cut_to(bits, c->from->bits);
    long double value = read_value(c->from, bits);
    if (c->ftz && is_type(c->from, "f32") && fabsl(value) < ldexpl(1, -126))
        value = copysignl(0, value);
    if (c->to->kind != 'f')
        return write_integer(c, value);
    return write_float(c, value, bits) << (is_type(c->to, "tf32") ? 13 : 0);
}
