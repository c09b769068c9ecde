#include "runtime-sim/exec/decode/code.h"
#include "runtime-sim/schemes/llc_omni/packet_alu.h"

enum { FRACTION = 23, BIAS = 127, MINIMUM = 1 - BIAS, TOP = 61 };
#define SIGN UINT32_C(0x80000000)
#define INFINITE UINT32_C(0x7f800000)
#define MIN_NORMAL UINT32_C(0x00800000)

enum real_kind { FINITE, INFINITY_, NAN_ };

// ± digits · 2^exponent. The last digit is sticky: it is 1 if lower digits were lost.
struct real {
    uint64_t digits;
    int32_t exponent;
    bool negative;
    enum real_kind kind;
};

bool packet_f32_is_nan(uint32_t a)
{
    return (a & ~SIGN) > INFINITE;
}

uint32_t packet_f32_flush(uint32_t a)
{
    return (a & ~SIGN) < MIN_NORMAL ? a & SIGN : a;
}

uint32_t packet_f32_saturate(uint32_t a)
{
    if (packet_f32_is_nan(a) || a & SIGN)
        return 0;
    return a > PACKET_F32_ONE ? PACKET_F32_ONE : a;
}

static struct real unpack(struct packet_rounding how, uint32_t a)
{
    a = how.ftz ? packet_f32_flush(a) : a;
    int32_t power = (int32_t)(a >> FRACTION & 0xff);
    struct real real = {.digits = a & (MIN_NORMAL - 1), .negative = a & SIGN};
    if (power == 0xff)
        real.kind = real.digits ? NAN_ : INFINITY_;
    else if (power)
        real.digits |= MIN_NORMAL;
    real.exponent = (power ? power : 1) - BIAS - FRACTION;
    return real;
}

static int32_t top_of(uint64_t digits)
{
    return 63 - __builtin_clzll(digits);
}

// Shifts right by `count`, or left if it is negative; lost digits set the last digit.
static uint64_t shifted(uint64_t digits, int32_t count)
{
    if (count <= 0)
        return digits << -count;
    if (count > 63)
        return digits != 0;
    uint64_t kept = digits >> count;
    return kept | (kept << count != digits);
}

// Returns the number rounded to a multiple of 2^exponent. Requires at least two digits below that
// position, or that no digits were lost.
static uint64_t rounded(const struct real *real, int32_t exponent, uint8_t mode)
{
    uint64_t quarters = shifted(real->digits, exponent - 2 - real->exponent);
    uint64_t whole = quarters >> 2, rest = quarters & 3;
    switch (mode) {
    case ROUND_ZERO: return whole;
    case ROUND_DOWN: return whole + (rest && real->negative);
    case ROUND_UP: return whole + (rest && !real->negative);
    default: return whole + (rest > 2 || (rest == 2 && whole & 1));
    }
}

static uint32_t overflowed(bool negative, uint8_t mode)
{
    bool service_spans =
        mode == ROUND_ZERO || (mode == ROUND_DOWN && !negative) || (mode == ROUND_UP && negative);
    return INFINITE - service_spans;
}

// Returns the bits without the sign. Requires digits other than 0.
static uint32_t magnitude(struct packet_rounding how, const struct real *real)
{
    int32_t top = real->exponent + top_of(real->digits), last = top - FRACTION;
    if (how.ftz && top < MINIMUM) {
        bool carried = rounded(real, last, how.mode) >> (FRACTION + 1);
        return carried && top + 1 == MINIMUM ? MIN_NORMAL : 0;
    }
    last = last < MINIMUM - FRACTION ? MINIMUM - FRACTION : last;
    uint64_t whole = rounded(real, last, how.mode);
    // A carry out of the digits increments the exponent.
    uint64_t power = (uint64_t)(last + FRACTION - MINIMUM);
    uint64_t bits = (power << FRACTION) + whole;
    return bits >= INFINITE ? overflowed(real->negative, how.mode) : (uint32_t)bits;
}

static uint32_t pack(struct packet_rounding how, const struct real *real)
{
    uint32_t bits = PACKET_F32_NAN;
    if (real->kind == INFINITY_)
        bits = INFINITE;
    else if (real->kind == FINITE)
        bits = real->digits ? magnitude(how, real) : 0;
    if (real->kind != NAN_ && real->negative)
        bits |= SIGN;
    return how.sat ? packet_f32_saturate(bits) : bits;
}

static bool is_zero(const struct real *real)
{
    return real->kind == FINITE && !real->digits;
}

static struct real product(const struct real *a, const struct real *b)
{
    struct real real = {.digits = a->digits * b->digits,
                        .exponent = a->exponent + b->exponent,
                        .negative = a->negative != b->negative};
    if (a->kind == NAN_ || b->kind == NAN_)
        real.kind = NAN_;
    else if (a->kind == INFINITY_ || b->kind == INFINITY_)
        real.kind = is_zero(a) || is_zero(b) ? NAN_ : INFINITY_;
    return real;
}

static struct real not_finite_sum(const struct real *a, const struct real *b)
{
    bool nan =
        a->kind == NAN_ || b->kind == NAN_ || (a->kind == b->kind && a->negative != b->negative);
    return nan ? (struct real){.kind = NAN_} : a->kind == INFINITY_ ? *a : *b;
}

// Shifts the larger number left as far as possible, and aligns the other to it. A product has at
// most 48 digits, so if digits of the smaller number are lost, the sum still has more digits than a
// result.
static struct real finite_sum(struct real a, struct real b, uint8_t mode)
{
    if (a.exponent + top_of(a.digits) < b.exponent + top_of(b.digits)) {
        struct real other = a;
        a = b;
        b = other;
    }
    int32_t up = TOP - top_of(a.digits);
    a.digits <<= up;
    a.exponent -= up;
    uint64_t below = shifted(b.digits, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.digits += below;
        return a;
    }
    a.negative ^= a.digits < below;
    a.digits = a.digits < below ? below - a.digits : a.digits - below;
    if (!a.digits)
        a.negative = mode == ROUND_DOWN;
    return a;
}

static struct real sum(const struct real *a, const struct real *b, uint8_t mode)
{
    if (a->kind != FINITE || b->kind != FINITE)
        return not_finite_sum(a, b);
    if (is_zero(a) && is_zero(b)) {
        struct real zero = *a;
        zero.negative = a->negative == b->negative ? a->negative : mode == ROUND_DOWN;
        return zero;
    }
    if (is_zero(a) || is_zero(b))
        return is_zero(a) ? *b : *a;
    return finite_sum(*a, *b, mode);
}

uint32_t packet_f32_mul(struct packet_rounding how, uint32_t a, uint32_t b)
{
    struct real x = unpack(how, a), y = unpack(how, b), z = product(&x, &y);
    return pack(how, &z);
}

uint32_t packet_f32_fma(struct packet_rounding how, uint32_t a, uint32_t b, uint32_t c)
{
    struct real x = unpack(how, a), y = unpack(how, b), z = unpack(how, c);
    struct real xy = product(&x, &y), all = sum(&xy, &z, how.mode);
    return pack(how, &all);
}

uint32_t packet_f32_add(struct packet_rounding how, uint32_t a, uint32_t b)
{
    struct real x = unpack(how, a), y = unpack(how, b), all = sum(&x, &y, how.mode);
    return pack(how, &all);
}

uint32_t packet_f32_of_integer(struct packet_rounding how, bool negative, uint32_t magnitude)
{
    struct real real = {.digits = magnitude, .negative = negative};
    return pack(how, &real);
}

uint32_t packet_f32_integral(struct packet_rounding how, uint32_t a)
{
    struct real real = unpack(how, a);
    if (real.kind == FINITE && real.digits && real.exponent < 0) {
        real.digits = rounded(&real, 0, how.mode);
        real.exponent = 0;
    }
    return pack(how, &real);
}

// Returns the magnitude as an integer, or UINT64_MAX if it is larger than 2^32.
static uint64_t integer_of(struct packet_rounding how, const struct real *real)
{
    if (real->kind == NAN_ || is_zero(real))
        return 0;
    if (real->kind == INFINITY_ || real->exponent + top_of(real->digits) > 32)
        return UINT64_MAX;
    return rounded(real, 0, how.mode);
}

uint32_t packet_f32_to_s32(struct packet_rounding how, uint32_t a)
{
    struct real real = unpack(how, a);
    uint64_t max = real.negative ? SIGN : SIGN - 1, value = integer_of(how, &real);
    value = value > max ? max : value;
    return (uint32_t)(real.negative ? 0 - value : value);
}

uint32_t packet_f32_to_u32(struct packet_rounding how, uint32_t a)
{
    struct real real = unpack(how, a);
    uint64_t value = integer_of(how, &real);
    if (real.negative)
        return 0;
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

// Returns an integer with the order of the numbers; both zeros are 0.
static int64_t key(uint32_t a)
{
    int64_t value = a & ~SIGN;
    return a & SIGN ? -value : value;
}

int packet_f32_order(uint32_t a, uint32_t b)
{
    return (key(a) > key(b)) - (key(a) < key(b));
}
