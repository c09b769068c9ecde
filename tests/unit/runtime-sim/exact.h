// Floating point in integers, for references: numbers of any format as sign · digits · 2^exponent
// with 128 bits of digits, and one function that rounds them to a format. The host's floating-point
// arithmetic is not used.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// __int128 is GNU C.
#pragma GCC diagnostic ignored "-Wpedantic"

struct format {
    int digits;   // behind the point
    int exponent; // bits
    uint64_t nan; // that results are
};
static const struct format exact_f16 = {10, 5, 0x7fff};
static const struct format exact_bf16 = {7, 8, 0x7fff};
static const struct format exact_f32 = {23, 8, 0x7fffffff};
static const struct format exact_f64 = {52, 11, UINT64_C(0xfff8000000000000)};

enum exact_kind { EXACT_FINITE, EXACT_INFINITE, EXACT_NAN };
enum exact_mode { EXACT_rn, EXACT_rz, EXACT_rm, EXACT_rp };
enum exact_flag { EXACT_FTZ = 1, EXACT_SAT = 2, EXACT_RELU = 4 };

struct exact {
    unsigned __int128 digits; // the last one also stands for all behind it: it is 1 if any is
    int exponent;
    enum exact_kind kind;
    bool negative;
};

static inline int exact_bits(const struct format *f)
{
    return 1 + f->exponent + f->digits;
}

static inline uint64_t exact_sign_bit(const struct format *f)
{
    return UINT64_C(1) << (exact_bits(f) - 1);
}

static inline uint64_t exact_infinity(const struct format *f)
{
    return ((UINT64_C(1) << f->exponent) - 1) << f->digits;
}

static inline bool exact_is_nan(const struct format *f, uint64_t bits)
{
    return (bits & (exact_sign_bit(f) - 1)) > exact_infinity(f);
}

static inline uint64_t exact_flush(const struct format *f, uint64_t bits, int flags)
{
    bool subnormal = (bits & exact_infinity(f)) == 0;
    return flags & EXACT_FTZ && subnormal ? bits & exact_sign_bit(f) : bits;
}

static inline struct exact exact_read(const struct format *f, uint64_t bits)
{
    struct exact x = {.negative = (bits & exact_sign_bit(f)) != 0};
    int bias = (1 << (f->exponent - 1)) - 1;
    int power = (int)(bits >> f->digits) & ((1 << f->exponent) - 1);
    uint64_t digits = bits & ((UINT64_C(1) << f->digits) - 1);
    if (power == (1 << f->exponent) - 1)
        x.kind = digits ? EXACT_NAN : EXACT_INFINITE;
    x.digits = power ? digits | UINT64_C(1) << f->digits : digits;
    x.exponent = (power ? power : 1) - bias - f->digits;
    return x;
}

static inline int exact_length(unsigned __int128 digits)
{
    int length = 0;
    for (; digits; digits >>= 1)
        length++;
    return length;
}

// Shifts right; lost bits are ORed into the last digit.
static inline unsigned __int128 exact_cut(unsigned __int128 digits, int count)
{
    if (count <= 0)
        return digits << -count;
    if (count > 127)
        return digits != 0;
    unsigned __int128 kept = digits >> count;
    return kept | (kept << count != digits);
}

// Rounds to multiples of 2^(least exponent).
static inline unsigned __int128 exact_round_at(const struct exact *x, int min, enum exact_mode mode)
{
    unsigned __int128 quarters = exact_cut(x->digits, min - 2 - x->exponent);
    unsigned __int128 whole = quarters >> 2;
    int rest = (int)(quarters & 3); // 0: exact, 1: less than half, 2: half, 3: more
    switch (mode) {
    case EXACT_rn: return whole + (rest > 2 || (rest == 2 && (whole & 1)));
    case EXACT_rz: return whole;
    case EXACT_rm: return whole + (rest && x->negative);
    default: return whole + (rest && !x->negative);
    }
}

static inline uint64_t exact_round(const struct format *f, struct exact x, enum exact_mode mode,
                                   int flags)
{
    uint64_t sign = x.negative ? exact_sign_bit(f) : 0;
    if (flags & EXACT_SAT && (x.kind == EXACT_NAN || x.negative))
        return 0;
    if (x.kind == EXACT_NAN)
        return f->nan;
    if (flags & EXACT_RELU && x.negative)
        return 0;
    uint64_t one = ((UINT64_C(1) << (f->exponent - 1)) - 1) << f->digits;
    uint64_t result = exact_infinity(f);
    if (x.kind == EXACT_FINITE) {
        int bias = (1 << (f->exponent - 1)) - 1;
        int top = x.exponent + exact_length(x.digits); // the number is below 2^top
        int tiny = 1 - bias, min = top - 1 - f->digits;
        if (!x.digits)
            return flags & EXACT_SAT ? 0 : sign;
        // Rounded as if there were smaller exponents, is it still below the least normal number?
        bool below = top < tiny || (top == tiny && exact_round_at(&x, min, mode) <
                                                       (unsigned __int128)1 << (tiny - min));
        if (flags & EXACT_FTZ && below)
            return flags & EXACT_SAT ? 0 : sign;
        if (min < tiny - f->digits)
            min = tiny - f->digits;
        unsigned __int128 whole = exact_round_at(&x, min, mode);
        // Digits that count up into the exponent are what the encoding wants.
        uint64_t power = (uint64_t)(min + f->digits + bias);
        bool subnormal = whole < (unsigned __int128)1 << f->digits;
        result = subnormal ? (uint64_t)whole
                           : (power << f->digits) + (uint64_t)whole - (UINT64_C(1) << f->digits);
        if (result >= exact_infinity(f) || power >= (UINT64_C(1) << f->exponent)) {
            bool toward = mode == EXACT_rz || (mode == EXACT_rm && !x.negative) ||
                          (mode == EXACT_rp && x.negative);
            result = exact_infinity(f) - (toward ? 1 : 0);
        }
    }
    if (flags & EXACT_SAT && result > one)
        result = one;
    return sign | result;
}

static inline struct exact exact_product(struct exact a, struct exact b)
{
    struct exact x = {.negative = a.negative != b.negative};
    bool zero = (a.kind == EXACT_FINITE && !a.digits) || (b.kind == EXACT_FINITE && !b.digits);
    bool infinite = a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE;
    x.digits = a.digits * b.digits;
    x.exponent = a.exponent + b.exponent;
    x.kind = infinite ? (zero ? EXACT_NAN : EXACT_INFINITE) : EXACT_FINITE;
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN)
        x.kind = EXACT_NAN;
    return x;
}

// Returns the sum. The larger number is shifted up to 126 digits, the smaller one below it.
static inline struct exact exact_sum(struct exact a, struct exact b, enum exact_mode mode)
{
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN ||
        (a.kind == EXACT_INFINITE && b.kind == EXACT_INFINITE && a.negative != b.negative))
        return (struct exact){.kind = EXACT_NAN};
    if (a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE)
        return a.kind == EXACT_INFINITE ? a : b;
    if (!a.digits && !b.digits) {
        a.negative = a.negative == b.negative ? a.negative : mode == EXACT_rm;
        return a;
    }
    if (!a.digits || !b.digits)
        return a.digits ? a : b;
    if (a.exponent + exact_length(a.digits) < b.exponent + exact_length(b.digits)) {
        struct exact other = a;
        a = b;
        b = other;
    }
    int up = 126 - exact_length(a.digits);
    a.digits <<= up;
    a.exponent -= up;
    b.digits = exact_cut(b.digits, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.digits += b.digits;
        return a;
    }
    a.negative ^= a.digits < b.digits;
    a.digits = a.digits < b.digits ? b.digits - a.digits : a.digits - b.digits;
    if (!a.digits)
        a.negative = mode == EXACT_rm;
    return a;
}

static inline struct exact exact_quotient(struct exact a, struct exact b)
{
    struct exact x = {.negative = a.negative != b.negative};
    bool zero_a = a.kind == EXACT_FINITE && !a.digits, zero_b = b.kind == EXACT_FINITE && !b.digits;
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN || (zero_a && zero_b) ||
        (a.kind == EXACT_INFINITE && b.kind == EXACT_INFINITE))
        x.kind = EXACT_NAN;
    else if (a.kind == EXACT_INFINITE || zero_b)
        x.kind = EXACT_INFINITE;
    if (x.kind != EXACT_FINITE || zero_a || b.kind == EXACT_INFINITE)
        return x;
    int up = 126 - exact_length(a.digits);
    a.digits <<= up;
    x.digits = a.digits / b.digits;
    x.digits = x.digits << 1 | (x.digits * b.digits != a.digits);
    x.exponent = a.exponent - up - b.exponent - 1;
    return x;
}

// Returns the square root, computed digit by digit.
static inline struct exact exact_root(struct exact a)
{
    if (a.kind == EXACT_NAN || (a.negative && (a.digits || a.kind == EXACT_INFINITE)))
        return (struct exact){.kind = EXACT_NAN};
    if (a.kind == EXACT_INFINITE || !a.digits)
        return a;
    int up = 125 - exact_length(a.digits);
    up += (a.exponent - up) & 1;
    a.digits <<= up;
    a.exponent -= up;
    unsigned __int128 root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        unsigned __int128 next = root | (unsigned __int128)1 << bit;
        if (next <= UINT64_MAX && next * next <= a.digits)
            root = next;
    }
    return (struct exact){.digits = root << 1 | (root * root != a.digits),
                          .exponent = a.exponent / 2 - 1};
}

enum exact_order { EXACT_BELOW = -1, EXACT_SAME, EXACT_ABOVE, EXACT_UNORDERED };

static inline enum exact_order exact_compare(struct exact a, struct exact b)
{
    if (a.kind == EXACT_NAN || b.kind == EXACT_NAN)
        return EXACT_UNORDERED;
    if (a.kind == b.kind && a.kind == EXACT_INFINITE && a.negative == b.negative)
        return EXACT_SAME;
    b.negative = !b.negative;
    struct exact difference = exact_sum(a, b, EXACT_rn);
    if (difference.kind == EXACT_FINITE && !difference.digits)
        return EXACT_SAME;
    return difference.negative ? EXACT_BELOW : EXACT_ABOVE;
}
