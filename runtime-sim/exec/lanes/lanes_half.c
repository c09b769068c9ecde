// add, sub, mul and fma of f16, f16x2, bf16 and bf16x2, computed in f32 and rounded again. The
// result equals that of a single rounding: sums and products of two halves are exact in f32, or the
// 24 digits of f32 are at least twice those of the result plus two; fma uses rounding to odd.
//
// A packed pair is two adjacent lanes.
#include "runtime-sim/exec/lanes/half.h"

typedef float half_fn(enum half_format format, float a, float b, float c);

INLINE float add(enum half_format format, float a, float b, float c)
{
    (void)format;
    (void)c;
    return a + b;
}

INLINE float sub(enum half_format format, float a, float b, float c)
{
    (void)format;
    (void)c;
    return a - b;
}

INLINE float mul(enum half_format format, float a, float b, float c)
{
    (void)format;
    (void)c;
    return a * b;
}

// The product of two f16 is exact in f32; that of two bf16 may exceed the range of f32.
INLINE float fma_half(enum half_format format, float a, float b, float c)
{
    return format == HALF_F16 ? sum_odd_f32(a * b, c)
                              : narrow_odd(sum_odd((double)a * b, (double)c));
}

// The value of out-of-bounds tensor elements, which multiplications skip.
enum { OUT_OF_BOUNDS = 0x7fff };

INLINE uint16_t finish(enum half_format format, float value, uint32_t attributes)
{
    if (attributes & ATTR_FTZ)
        value = flush_tiny(format, value);
    if (attributes & ATTR_SAT)
        value = saturate(value);
    if (attributes & ATTR_RELU)
        value = value <= 0 ? 0 : value;
    return half_of_f32(format, value);
}

INLINE void each_half(half_fn *fn, enum half_format format, int count, int sources,
                      uint32_t attributes, void *dp, const void *const *sp)
{
    uint16_t *to = dp;
    const uint16_t *ap = sp[0], *bp = sp[1], *cp = sp[sources - 1];
    EACH(count)
    {
        uint16_t a = ap[i], b = bp[i], c = cp[i];
        bool skipped = attributes & ATTR_OOB && (a == OUT_OF_BOUNDS || b == OUT_OF_BOUNDS);
        if (attributes & ATTR_FTZ) {
            a = flush_half(format, a);
            b = flush_half(format, b);
            c = flush_half(format, c);
        }
        float value =
            fn(format, f32_of_half(format, a), f32_of_half(format, b), f32_of_half(format, c));
        uint16_t result = finish(format, value, attributes);
        to[i] = skipped ? 0 : result;
    }
}

#define HALF_PLAIN(name, fn, sources, type, format, count)                                         \
    static void name##_##type(const struct code *code, void *d, const void *const *s)              \
    {                                                                                              \
        (void)code;                                                                                \
        each_half(fn, format, count, sources, 0, d, s);                                            \
    }
#define HALF_ANY(name, fn, sources, type, format, count)                                           \
    HALF_PLAIN(name, fn, sources, type, format, count)                                             \
    static void name##_any_##type(const struct code *code, void *d, const void *const *s)          \
    {                                                                                              \
        each_half(fn, format, count, sources, code->attributes, d, s);                             \
    }
#define HALF(name, fn, sources, BF16)                                                              \
    HALF_ANY(name, fn, sources, f16, HALF_F16, LANES)                                              \
    HALF_ANY(name, fn, sources, f16x2, HALF_F16, 2 * LANES)                                        \
    BF16(name, fn, sources, bf16, HALF_BF16, LANES)                                                \
    BF16(name, fn, sources, bf16x2, HALF_BF16, 2 * LANES)
HALF(add, add, 2, HALF_PLAIN)
HALF(sub, sub, 2, HALF_PLAIN)
HALF(mul, mul, 2, HALF_PLAIN)
HALF(fma, fma_half, 3, HALF_ANY)

// clang-format off
#define ROWS_AS(name, type, widths, allowed)                                                       \
    {OP_##name, #type, widths, 0, .lanes = name##_##type},                                         \
    {OP_##name, #type, widths, allowed, .lanes = name##_any_##type}
#define ROWS_TWO(name)                                                                             \
    ROWS_AS(name, f16, "2=22", ATTR_FTZ | ATTR_SAT),                                               \
    ROWS_AS(name, f16x2, "4=44", ATTR_FTZ | ATTR_SAT),                                             \
    {OP_##name, "bf16", "2=22", 0, .lanes = name##_bf16},                                          \
    {OP_##name, "bf16x2", "4=44", 0, .lanes = name##_bf16x2}

const struct exec_row NAMED(rows_half)[] = {
    ROWS_TWO(add),
    ROWS_TWO(sub),
    ROWS_TWO(mul),
    ROWS_AS(fma, f16, "2=222", ATTR_FTZ | ATTR_SAT | ATTR_RELU | ATTR_OOB),
    ROWS_AS(fma, f16x2, "4=444", ATTR_FTZ | ATTR_SAT | ATTR_RELU | ATTR_OOB),
    ROWS_AS(fma, bf16, "2=222", ATTR_RELU | ATTR_OOB),
    ROWS_AS(fma, bf16x2, "4=444", ATTR_RELU | ATTR_OOB),
    {0},
};
// clang-format on
