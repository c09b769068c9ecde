// A number of any format, exactly: ± digits × 2^exponent. Conversions without a direct
// implementation use it.
//
// NaN: f64 keeps the payload, and so do conversions from f32 to f64 and back. All other formats
// have one NaN, 0x7fffffff in f32 and its conversion in f64.
#pragma once
#include "runtime-sim/exec/decode/code.h"

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

struct number {
    uint64_t digits; // of a NaN: the payload, from the highest bit on
    int32_t exponent;
    bool negative;
    uint8_t kind;
};

enum format_kind {
    FORMAT_SIGNED,
    FORMAT_UNSIGNED,
    FORMAT_IEEE,   // codes with the largest exponent are infinities and NaNs
    FORMAT_NAN,    // the largest code is NaN; no infinities
    FORMAT_FINITE, // neither infinities nor NaN
    FORMAT_POWER,  // an exponent, without sign and fraction; the largest code is NaN
    FORMAT_FIXED,  // two's complement with `fraction` fraction bits
};

struct format {
    uint8_t kind;
    uint8_t bits; // total bits
    uint8_t exponent, fraction;
    uint8_t unused; // unused low bits, which are 0
    int16_t bias;
};

// The conversion of a number to a format.
struct rounding {
    uint8_t mode;          // code_round
    bool finite;           // values that are too large become the largest number
    bool flush;            // values below the smallest normal number become 0
    uint8_t random_digits; // for ROUND_STOCHASTIC: number of bits in `random`
    uint32_t random;
};

// Returns the low `count` bits.
static inline uint64_t low_bits(uint64_t value, uint32_t count)
{
    return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

// Returns true if `random`, added to the highest of the dropped digits, carries into the kept ones.
static inline bool carries(uint64_t dropped, uint32_t drop, const struct rounding *how)
{
    uint32_t n = how->random_digits;
    uint64_t high = drop < n ? dropped << (n - drop) : drop - n < 64 ? dropped >> (drop - n) : 0;
    return (high + how->random) >> n != 0;
}

// Returns true if the kept digits must be incremented.
static inline bool rounds_up(uint64_t kept, uint64_t dropped, uint32_t drop, bool negative,
                             const struct rounding *how)
{
    uint64_t half = drop <= 64 ? UINT64_C(1) << (drop - 1) : 0; // 0: more than the dropped digits
                                                                // can be
    switch (how->mode) {
    case ROUND_ZERO: return false;
    case ROUND_DOWN: return negative && dropped;
    case ROUND_UP: return !negative && dropped;
    case ROUND_AWAY: return half && dropped >= half;
    case ROUND_STOCHASTIC: return carries(dropped, drop, how);
    default: return half && (dropped > half || (dropped == half && kept & 1));
    }
}

// Returns the digits without the lowest `drop` ones, rounded.
static inline uint64_t drop_digits(uint64_t digits, int32_t drop, bool negative,
                                   const struct rounding *how)
{
    if (drop <= 0)
        return digits << -drop;
    uint64_t kept = drop < 64 ? digits >> drop : 0;
    return kept + rounds_up(kept, low_bits(digits, (uint32_t)drop), (uint32_t)drop, negative, how);
}

// Returns the exponent of the first digit. Requires a nonzero number.
static inline int32_t number_top(const struct number *number)
{
    return number->exponent + 63 - __builtin_clzll(number->digits);
}

// From a format

// Returns the number of an integer or fixed-point format.
static inline struct number number_of_integer(uint64_t bits, const struct format *from)
{
    uint64_t sign = from->kind == FORMAT_UNSIGNED ? 0 : UINT64_C(1) << (from->bits - 1);
    bool negative = bits & sign;
    return (struct number){.digits = negative ? low_bits(0 - bits, from->bits) : bits,
                           .exponent = -from->fraction,
                           .negative = negative};
}

// Returns the number of a power-of-two format.
static inline struct number number_of_power(uint64_t bits, const struct format *from)
{
    bool nan = bits == low_bits(~UINT64_C(0), from->bits);
    return (struct number){.digits = 1,
                           .exponent = (int32_t)bits - from->bias,
                           .kind = nan ? NUMBER_NAN : NUMBER_FINITE};
}

// Returns the number with these bits. Requires that `bits` has no bits beyond the format.
static inline struct number number_of(uint64_t bits, const struct format *from)
{
    if (from->kind == FORMAT_POWER)
        return number_of_power(bits, from);
    if (from->kind < FORMAT_IEEE || from->kind == FORMAT_FIXED)
        return number_of_integer(bits, from);
    uint64_t digits = low_bits(bits, from->fraction);
    uint32_t exponent = (uint32_t)low_bits(bits >> from->fraction, from->exponent);
    uint32_t highest = (1u << from->exponent) - 1;
    struct number number = {.negative = bits >> (from->bits - 1) & 1};
    if (from->kind == FORMAT_IEEE && exponent == highest) {
        number.kind = digits ? NUMBER_NAN : NUMBER_INFINITE;
        number.digits = digits << (64 - from->fraction);
    } else if (from->kind == FORMAT_NAN && exponent == highest &&
               digits == low_bits(~UINT64_C(0), from->fraction)) {
        number.kind = NUMBER_NAN;
    } else {
        number.digits = digits | (uint64_t)(exponent != 0) << from->fraction;
        number.exponent = (int32_t)exponent + !exponent - from->bias - from->fraction;
    }
    if (number.kind == NUMBER_NAN && from->fraction < 23) {
        number.negative = false;
        number.digits = UINT64_C(0x7fffff) << 41;
    }
    return number;
}

// Into a format

// Rounds to an integer.
static inline void number_to_integral(struct number *number, const struct rounding *how)
{
    if (number->kind != NUMBER_FINITE || number->exponent >= 0)
        return;
    number->digits = drop_digits(number->digits, -number->exponent, number->negative, how);
    number->exponent = 0;
}

// Converts to an integer, rounded. Values outside the range become its nearest limit.
static inline uint64_t number_in_integer(struct number number, const struct format *to,
                                         const struct rounding *how)
{
    uint64_t top = UINT64_C(1) << (to->bits - 1);
    bool is_unsigned = to->kind == FORMAT_UNSIGNED;
    uint64_t max = number.negative ? (is_unsigned ? 0 : top)
                   : is_unsigned   ? (top - 1) * 2 + 1
                                   : top - 1;
    number.exponent += to->fraction;
    number_to_integral(&number, how);
    uint64_t magnitude = number.digits;
    if (number.kind == NUMBER_INFINITE || (magnitude && number_top(&number) > 63))
        magnitude = max;
    else
        magnitude = magnitude ? magnitude << number.exponent : 0;
    magnitude = magnitude > max ? max : magnitude;
    return low_bits(number.negative ? 0 - magnitude : magnitude, to->bits);
}

// Converts to an exponent, at least that of code 0. Ignores the sign.
static inline uint64_t number_in_power(const struct number *number, const struct format *to,
                                       const struct rounding *how)
{
    uint64_t nan = low_bits(~UINT64_C(0), to->bits);
    if (number->kind == NUMBER_NAN)
        return nan;
    if (number->kind == NUMBER_INFINITE)
        return nan - how->finite;
    if (!number->digits)
        return 0;
    bool power = !(number->digits & (number->digits - 1));
    int64_t code = (int64_t)number_top(number) + to->bias + (how->mode == ROUND_UP && !power);
    if (code < 0)
        return 0;
    return (uint64_t)code < nan ? (uint64_t)code : nan - how->finite;
}

// Returns true if a value that is too large becomes infinity.
static inline bool overflows_to_infinity(bool negative, const struct rounding *how)
{
    switch (how->mode) {
    case ROUND_ZERO: return false;
    case ROUND_DOWN: return negative;
    case ROUND_UP: return !negative;
    default: return true;
    }
}

// Returns the code of a finite nonzero number without its sign. The code may exceed the largest
// one.
static inline uint64_t rounded_code(const struct number *number, const struct format *to,
                                    const struct rounding *how)
{
    int32_t top = number_top(number), min = 1 - to->bias;
    int32_t lowest = (top > min ? top : min) - to->fraction;
    if (how->flush && top < min) { // rounds as with an unlimited exponent
        uint64_t digits = drop_digits(number->digits, top - to->fraction - number->exponent,
                                      number->negative, how);
        bool carried = digits >> (to->fraction + 1) && top + 1 == min;
        return carried ? UINT64_C(1) << to->fraction : 0;
    }
    uint64_t kept = drop_digits(number->digits, lowest - number->exponent, number->negative, how);
    return ((uint64_t)(top > min ? top - min : 0) << to->fraction) + kept;
}

// Converts to a floating-point format. Requires a number other than NaN.
static inline uint64_t number_in_float(const struct number *number, const struct format *to,
                                       const struct rounding *how)
{
    uint64_t sign = (uint64_t)number->negative << (to->exponent + to->fraction);
    uint64_t infinity = low_bits(~UINT64_C(0), to->exponent) << to->fraction;
    uint64_t max = to->kind == FORMAT_IEEE  ? infinity - 1
                   : to->kind == FORMAT_NAN ? (infinity | low_bits(~UINT64_C(0), to->fraction)) - 1
                                            : infinity | low_bits(~UINT64_C(0), to->fraction);
    if (number->kind == NUMBER_INFINITE)
        return sign | (how->finite ? max : infinity);
    if (!number->digits)
        return sign;
    uint64_t code = rounded_code(number, to, how);
    if (code > max)
        code = how->finite || !overflows_to_infinity(number->negative, how) ? max : infinity;
    return sign | code;
}

// Converts a NaN. With `carry`, the result keeps as much of the payload as possible. Otherwise it
// is the one NaN of PTX, or the largest number of a format without NaN.
static inline uint64_t number_nan(const struct number *number, const struct format *to, bool carry)
{
    if (!carry)
        return low_bits(~UINT64_C(0), (uint32_t)(to->bits - 1));
    uint64_t quiet = low_bits(~UINT64_C(0), to->exponent + 1u) << (to->fraction - 1);
    return (uint64_t)number->negative << (to->bits - 1) | quiet |
           number->digits >> (64 - to->fraction);
}
