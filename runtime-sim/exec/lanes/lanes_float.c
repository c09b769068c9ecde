// add, sub, mul and fma of f32, f32x2, f64, and of f32 with halves, rounded to nearest. A NaN
// result of f32 is the one NaN of PTX, 0x7fffffff. An f32x2 is two adjacent f32 lanes.
#include "runtime-sim/exec/lanes/float_ops.h"

// Returns the distance of the magnitude of a nonzero number from the smallest one.
INLINE uint32_t above_zero(float value)
{
    return (bits_f32(value) << 1) - 1;
}

INLINE uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// .ftz: usually no value must be flushed, and changing the host's mode takes longer than the lanes.
// A result that equals the smallest normal number may have been rounded up to it.
INLINE void each_f32_ftz(const struct code *code, f32_fn *fn, void *dp, const void *const *sp,
                         int sources)
{
    float out[LANES];
    const float *ap = sp[0], *bp = sp[1], *cp = sp[sources - 1];
    uint32_t min = UINT32_MAX;
    EACH(LANES)
    {
        float a = ap[i], b = bp[i], c = cp[i], value = fn(a, b, c);
        uint32_t near = lesser(above_zero(a), above_zero(b));
        near = sources == 3 ? lesser(near, above_zero(c)) : near;
        near = lesser(near, above_zero(value));
        min = lesser(min, near);
        out[i] = canonical(value);
    }
    if (min <= above_zero(0x1p-126f))
        each_f32_mode(code, fn, LANES, ATTR_FTZ, dp, sp, sources);
    else
        memcpy(dp, out, sizeof out);
}

#define F32(name, fn, sources)                                                                     \
    static void name##_f32(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(fn, LANES, 0, d, s, sources);                                                     \
    }                                                                                              \
    static void name##_ftz_f32(const struct code *code, void *d, const void *const *s)             \
    {                                                                                              \
        each_f32_ftz(code, fn, d, s, sources);                                                     \
    }                                                                                              \
    static void name##_f32x2(const struct code *code, void *d, const void *const *s)               \
    {                                                                                              \
        (void)code;                                                                                \
        each_f32(fn, 2 * LANES, 0, d, s, sources);                                                 \
    }
F32(add, add, 2)
F32(sub, sub, 2)
F32(mul, mul, 2)
F32(fma, fma_nearest, 3)

#define F64(name, fn, sources)                                                                     \
    static void name##_f64(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_f64(fn, d, s, sources);                                                               \
    }
F64(add, add_wide, 2)
F64(sub, sub_wide, 2)
F64(mul, mul_wide, 2)
F64(fma, fma_wide, 3)

#define MIXED(name, fn, sources)                                                                   \
    static void name##_f16(const struct code *code, void *d, const void *const *s)                 \
    {                                                                                              \
        (void)code;                                                                                \
        each_mixed(fn, HALF_F16, 0, d, s, sources);                                                \
    }                                                                                              \
    static void name##_bf16(const struct code *code, void *d, const void *const *s)                \
    {                                                                                              \
        (void)code;                                                                                \
        each_mixed(fn, HALF_BF16, 0, d, s, sources);                                               \
    }
MIXED(add, add, 2)
MIXED(sub, sub, 2)
MIXED(fma, fma_nearest, 3)

// clang-format off
#define ROWS_F32(op, name, sources)                                                                \
    {OP_##op, "f32", "4=" sources, 0, .lanes = name##_f32},                                        \
    {OP_##op, "f32", "4=" sources, ATTR_FTZ, .lanes = name##_ftz_f32}
#define ROWS_F32X2(op, name, wide) {OP_##op, "f32x2", "8=" wide, 0, .lanes = name##_f32x2}
#define ROWS_F64(op, name, wide) {OP_##op, "f64", "8=" wide, 0, .lanes = name##_f64}
#define ROWS_MIXED(op, name, halves)                                                               \
    {OP_##op, "f32 f16", "4=" halves "4", 0, .lanes = name##_f16},                                 \
    {OP_##op, "f32 bf16", "4=" halves "4", 0, .lanes = name##_bf16}

const struct exec_row NAMED(rows_float)[] = {
    FLOAT_ROWS,
    {0},
};
// clang-format on
