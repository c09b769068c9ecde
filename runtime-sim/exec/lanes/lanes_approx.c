// sin, cos, lg2, ex2 and tanh, the approximate operations of PTX. They are polynomials in f64, far
// within the errors that the manual allows. They do not call the host's library, so every host
// gives the same bits.
#include "runtime-sim/exec/lanes/half.h"

typedef double wide_fn(double x);

// Adding and subtracting this number rounds to an integer. The sum has the integer in its low bits.
#define TO_INTEGER 0x1.8p52

// Returns the rest after removing quarter turns, whose number is added to `quarters`. An angle
// beyond the precision of f64 counts as 0.
INLINE double turned(double x, uint64_t quarters)
{
    double turns = x * 0.63661977236758138; // 2/π
    turns = fabs(turns) < 0x1p51 ? turns : copysign(0, x);
    double whole = turns + TO_INTEGER;
    quarters += bits_f64(whole);
    double r = (turns - (whole - TO_INTEGER)) * 1.5707963267948966, s = r * r;
    double sine = -2.505210838544172e-8 * s + 2.7557319223985893e-6;
    sine = sine * s - 1.984126984126984e-4;
    sine = sine * s + 8.333333333333333e-3;
    sine = sine * s - 1.6666666666666667e-1;
    sine = r * (sine * s + 1);
    double cosine = 2.08767569878681e-9 * s - 2.755731922398589e-7;
    cosine = cosine * s + 2.48015873015873e-5;
    cosine = cosine * s - 1.3888888888888889e-3;
    cosine = cosine * s + 4.1666666666666664e-2;
    cosine = (cosine * s - 0.5) * s + 1;
    double value = quarters & 1 ? cosine : sine;
    value = f64_of(bits_f64(value) ^ (quarters & 2) << 62);
    return x - x == 0 ? value : x - x;
}

INLINE double sine(double x)
{
    return turned(x, 0);
}

INLINE double cosine(double x)
{
    return turned(x, 1);
}

INLINE double power_of_two(double x)
{
    x = x > 200 ? 200 : x;
    x = x < -200 ? -200 : x;
    double whole = x + TO_INTEGER;
    double r = (x - (whole - TO_INTEGER)) * 0.6931471805599453;
    double sum = 2.7557319223985893e-6 * r + 2.48015873015873e-5;
    sum = sum * r + 1.984126984126984e-4;
    sum = sum * r + 1.3888888888888889e-3;
    sum = sum * r + 8.333333333333333e-3;
    sum = sum * r + 4.1666666666666664e-2;
    sum = sum * r + 1.6666666666666667e-1;
    sum = sum * r + 0.5;
    sum = (sum * r + 1) * r + 1;
    return sum * f64_of((bits_f64(whole) + 1023) << 52);
}

// x = 2ᵏ m with m from √½ to √2, and log m = 2 artanh (m − 1)/(m + 1).
INLINE double logarithm(double x)
{
    uint64_t root = UINT64_C(0x3fe6a09e00000000), one = UINT64_C(0x3ff0000000000000);
    uint64_t shifted = bits_f64(x) + (one - root);
    double k = f64_of(shifted >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    double m = f64_of((shifted & UINT64_C(0x000fffffffffffff)) + root);
    double r = (m - 1) / (m + 1), s = r * r;
    double sum = 9.090909090909091e-2 * s + 1.1111111111111111e-1;
    sum = sum * s + 1.4285714285714285e-1;
    sum = sum * s + 0.2;
    sum = sum * s + 3.333333333333333e-1;
    sum = (sum * s + 1) * r * 2.8853900817779268 + k;
    double special = x == 0 ? -HUGE_VAL : x > 0 ? x : f64_of(UINT64_C(0x7ff8000000000000));
    return x > 0 && x < HUGE_VAL ? sum : special;
}

INLINE double tangent(double x)
{
    double t = fabs(x), s = t * t;
    double large = 1 - 2 / (power_of_two(t * 2.8853900817779268) + 1);
    double small = 3.592128036572481e-3 * s - 8.863235529902197e-3;
    small = small * s + 2.1869488536155203e-2;
    small = small * s - 5.396825396825397e-2;
    small = small * s + 1.3333333333333333e-1;
    small = small * s - 3.333333333333333e-1;
    small = t * (small * s + 1);
    return copysign(t < 0.5 ? small : large, x);
}

INLINE void each_f32(wide_fn *fn, bool flushed, void *dp, const void *const *sp)
{
    float *to = dp;
    const float *ap = sp[0];
    EACH(LANES)
    {
        float a = flushed ? flush(ap[i]) : ap[i];
        float value = canonical((float)fn((double)a));
        to[i] = flushed ? flush(value) : value;
    }
}

INLINE void each_half(wide_fn *fn, enum half_format format, bool flushed, int count, void *dp,
                      const void *const *sp)
{
    uint16_t *to = dp;
    const uint16_t *ap = sp[0];
    EACH(count)
    {
        uint16_t a = flushed ? flush_half(format, ap[i]) : ap[i];
        uint16_t result = half_of_f32(format, (float)fn((double)f32_of_half(format, a)));
        to[i] = flushed ? flush_half(format, result) : result;
    }
}

#define F32(name, fn, flushed)                                                                     \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(fn, flushed, d, s);                                                               \
    }
#define HALF(name, fn, flushed, format, count)                                                     \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        (void)code;                                                                                \
        each_half(fn, format, flushed, count, d, s);                                               \
    }
F32(sin_f32, sine, false)
F32(sin_ftz_f32, sine, true)
F32(cos_f32, cosine, false)
F32(cos_ftz_f32, cosine, true)
F32(lg2_f32, logarithm, false)
F32(lg2_ftz_f32, logarithm, true)
F32(ex2_f32, power_of_two, false)
F32(ex2_ftz_f32, power_of_two, true)
F32(tanh_f32, tangent, false)
HALF(ex2_f16, power_of_two, false, HALF_F16, LANES)
HALF(ex2_f16x2, power_of_two, false, HALF_F16, 2 * LANES)
HALF(ex2_bf16, power_of_two, true, HALF_BF16, LANES)
HALF(ex2_bf16x2, power_of_two, true, HALF_BF16, 2 * LANES)
HALF(tanh_f16, tangent, false, HALF_F16, LANES)
HALF(tanh_f16x2, tangent, false, HALF_F16, 2 * LANES)
HALF(tanh_bf16, tangent, false, HALF_BF16, LANES)
HALF(tanh_bf16x2, tangent, false, HALF_BF16, 2 * LANES)
#undef F32
#undef HALF

// clang-format off
// PTX before 1.4 omits .approx.ftz.
#define ROWS_F32(name)                                                                             \
    {OP_##name, "approx f32", "4=4", 0, .lanes = name##_f32},                                      \
    {OP_##name, "approx f32", "4=4", ATTR_FTZ, .lanes = name##_ftz_f32},                           \
    {OP_##name, "f32", "4=4", 0, .lanes = name##_ftz_f32}

const struct exec_row NAMED(rows_approx)[] = {
    ROWS_F32(sin),
    ROWS_F32(cos),
    ROWS_F32(lg2),
    ROWS_F32(ex2),
    {OP_tanh, "approx f32", "4=4", 0, .lanes = tanh_f32},
    {OP_ex2, "approx f16", "2=2", 0, .lanes = ex2_f16},
    {OP_ex2, "approx f16x2", "4=4", 0, .lanes = ex2_f16x2},
    {OP_ex2, "approx bf16", "2=2", ATTR_FTZ, .lanes = ex2_bf16},
    {OP_ex2, "approx bf16x2", "4=4", ATTR_FTZ, .lanes = ex2_bf16x2},
    {OP_tanh, "approx f16", "2=2", 0, .lanes = tanh_f16},
    {OP_tanh, "approx f16x2", "4=4", 0, .lanes = tanh_f16x2},
    {OP_tanh, "approx bf16", "2=2", 0, .lanes = tanh_bf16},
    {OP_tanh, "approx bf16x2", "4=4", 0, .lanes = tanh_bf16x2},
    {0},
};
// clang-format on
