// Operations on the bits of floating-point numbers, without arithmetic: min, max, abs, neg,
// copysign, testp. The same code is used for f16, bf16, f32 and f64. Packed types have twice the
// number of lanes.
//
// NaN results: f64 keeps the digits of the (first) source; the other formats give their one NaN.
#include "runtime-sim/exec/lanes/floats.h"
#include "runtime-sim/exec/decode/prepare.h"

// A format: the unsigned integer type U of its bits, infinity, the smallest normal number, the NaN
// of results.
#define FORMAT(format, U, S, infinity, smallest, nan)                                              \
    enum { BITS_##format = 8 * sizeof(U) };                                                        \
    INLINE U magnitude_##format(U a)                                                               \
    {                                                                                              \
        return (U)(a & (U)((U)-1 >> 1));                                                           \
    }                                                                                              \
    INLINE U sign_##format(U a)                                                                    \
    {                                                                                              \
        return (U)(a & (U)((U)1 << (BITS_##format - 1)));                                          \
    }                                                                                              \
    INLINE bool is_nan_##format(U a)                                                               \
    {                                                                                              \
        return magnitude_##format(a) > infinity;                                                   \
    }                                                                                              \
    INLINE U flushed_##format(U a, uint32_t attributes)                                            \
    {                                                                                              \
        return attributes & ATTR_FTZ && magnitude_##format(a) < smallest ? sign_##format(a) : a;   \
    }                                                                                              \
    /* Integers in the order of the numbers, −0 below +0. */                                     \
    INLINE S key_##format(U a)                                                                     \
    {                                                                                              \
        return (S)(a ^ magnitude_##format((U)((S)a >> (BITS_##format - 1))));                      \
    }                                                                                              \
    INLINE U smallest_##format(U a, U b)                                                           \
    {                                                                                              \
        return key_##format(a) < key_##format(b) ? a : b;                                          \
    }                                                                                              \
    INLINE U greatest_##format(U a, U b)                                                           \
    {                                                                                              \
        return key_##format(a) > key_##format(b) ? a : b;                                          \
    }                                                                                              \
    INLINE U choose_##format(U a, U b, U chosen, uint32_t attributes)                              \
    {                                                                                              \
        bool nan_a = is_nan_##format(a), nan_b = is_nan_##format(b);                               \
        chosen = nan_a ? b : chosen;                                                               \
        chosen = nan_b ? a : chosen;                                                               \
        bool none = attributes & ATTR_NAN ? nan_a | nan_b : nan_a & nan_b;                         \
        U neither = BITS_##format == 64 ? (U)(a | (U)1 << (BITS_##format - 13)) : nan;             \
        return none ? neither : chosen;                                                            \
    }                                                                                              \
    INLINE U prepared_##format(U a, uint32_t attributes)                                           \
    {                                                                                              \
        a = flushed_##format(a, attributes);                                                       \
        return attributes & ATTR_ABS ? magnitude_##format(a) : a;                                  \
    }                                                                                              \
    INLINE U signed_##format(U a, U b, U chosen, uint32_t attributes)                              \
    {                                                                                              \
        bool asked = attributes & ATTR_XORSIGN && !is_nan_##format(chosen);                        \
        return asked ? (U)(chosen | sign_##format(a ^ b)) : chosen;                                \
    }                                                                                              \
    INLINE U absolute_##format(U a, uint32_t attributes)                                           \
    {                                                                                              \
        U result = magnitude_##format(flushed_##format(a, attributes));                            \
        return is_nan_##format(a) && BITS_##format < 64 ? nan : result;                            \
    }                                                                                              \
    INLINE U negative_##format(U a, uint32_t attributes)                                           \
    {                                                                                              \
        U top = (U)((U)1 << (BITS_##format - 1));                                                  \
        U result = flushed_##format(a, attributes) ^ top;                                          \
        return is_nan_##format(a) && BITS_##format < 64 ? nan : result;                            \
    }
FORMAT(f16, uint16_t, int16_t, 0x7c00, 0x0400, 0x7fff)
FORMAT(bf16, uint16_t, int16_t, 0x7f80, 0x0080, 0x7fff)
FORMAT(f32, uint32_t, int32_t, 0x7f800000, 0x00800000, 0x7fffffff)
FORMAT(f64, uint64_t, int64_t, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000),
       UINT64_C(0x7fffffffffffffff))
#undef FORMAT

#define UNARY_AS(name, fn, format, U, count, attributes)                                           \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        U *to = dp;                                                                                \
        const U *ap = sp[0];                                                                       \
        EACH(count)                                                                                \
        {                                                                                          \
            to[i] = fn##_##format(ap[i], attributes);                                              \
        }                                                                                          \
    }
#define UNARY(type, format, U, count)                                                              \
    UNARY_AS(abs_##type, absolute, format, U, count, 0)                                            \
    UNARY_AS(abs_ftz_##type, absolute, format, U, count, ATTR_FTZ)                                 \
    UNARY_AS(neg_##type, negative, format, U, count, 0)                                            \
    UNARY_AS(neg_ftz_##type, negative, format, U, count, ATTR_FTZ)

#define CHOICE_AS(name, fn, format, U, count, attributes)                                          \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        uint32_t asked = attributes;                                                               \
        U *to = dp;                                                                                \
        const U *ap = sp[0], *bp = sp[1];                                                          \
        EACH(count)                                                                                \
        {                                                                                          \
            U a = prepared_##format(ap[i], asked), b = prepared_##format(bp[i], asked);            \
            U chosen = choose_##format(a, b, fn##_##format(a, b), asked);                          \
            to[i] = signed_##format(ap[i], bp[i], chosen, asked);                                  \
        }                                                                                          \
    }
#define CHOICE(type, format, U, count)                                                             \
    CHOICE_AS(min_##type, smallest, format, U, count, 0)                                           \
    CHOICE_AS(min_ftz_##type, smallest, format, U, count, ATTR_FTZ)                                \
    CHOICE_AS(min_nan_##type, smallest, format, U, count, ATTR_NAN)                                \
    CHOICE_AS(min_any_##type, smallest, format, U, count, code->attributes)                        \
    CHOICE_AS(max_##type, greatest, format, U, count, 0)                                           \
    CHOICE_AS(max_ftz_##type, greatest, format, U, count, ATTR_FTZ)                                \
    CHOICE_AS(max_nan_##type, greatest, format, U, count, ATTR_NAN)                                \
    CHOICE_AS(max_any_##type, greatest, format, U, count, code->attributes)

#define ALL(type, format, U, count) UNARY(type, format, U, count) CHOICE(type, format, U, count)
ALL(f16, f16, uint16_t, LANES)
ALL(f16x2, f16, uint16_t, 2 * LANES)
ALL(bf16, bf16, uint16_t, LANES)
ALL(bf16x2, bf16, uint16_t, 2 * LANES)
UNARY(f32, f32, uint32_t, LANES)
UNARY_AS(abs_f64, absolute, f64, uint64_t, LANES, 0)
UNARY_AS(neg_f64, negative, f64, uint64_t, LANES, 0)
CHOICE_AS(min_f64, smallest, f64, uint64_t, LANES, 0)
CHOICE_AS(max_f64, greatest, f64, uint64_t, LANES, 0)

// f32 has min and max of two or three sources.
CHOICE(two_f32, f32, uint32_t, LANES)
#define THREE(name, fn, attributes)                                                                \
    static void name##_f32(const struct code *code, void *dp, const void *const *sp)               \
    {                                                                                              \
        if (code->source_count == 2) {                                                             \
            name##_two_f32(code, dp, sp);                                                          \
            return;                                                                                \
        }                                                                                          \
        uint32_t asked = attributes, *to = dp;                                                     \
        const uint32_t *ap = sp[0], *bp = sp[1], *cp = sp[2];                                      \
        EACH(LANES)                                                                                \
        {                                                                                          \
            uint32_t a = prepared_f32(ap[i], asked), b = prepared_f32(bp[i], asked);               \
            uint32_t c = prepared_f32(cp[i], asked);                                               \
            uint32_t both = choose_f32(a, b, fn(a, b), asked);                                     \
            to[i] = choose_f32(both, c, fn(both, c), asked);                                       \
        }                                                                                          \
    }
THREE(min, smallest_f32, 0)
THREE(min_ftz, smallest_f32, ATTR_FTZ)
THREE(min_nan, smallest_f32, ATTR_NAN)
THREE(min_any, smallest_f32, code->attributes)
THREE(max, greatest_f32, 0)
THREE(max_ftz, greatest_f32, ATTR_FTZ)
THREE(max_nan, greatest_f32, ATTR_NAN)
THREE(max_any, greatest_f32, code->attributes)

LANES_2(copysign_f32, uint32_t, uint32_t, uint32_t, sign_f32(a) | magnitude_f32(b))
LANES_2(copysign_f64, uint64_t, uint64_t, uint64_t, sign_f64(a) | magnitude_f64(b))

// testp: zeros count as normal.
#define PROPERTY(name, U, ...)                                                                     \
    static void name(const struct code *code, void *dp, const void *const *sp)                     \
    {                                                                                              \
        (void)code;                                                                                \
        const U *ap = sp[0];                                                                       \
        uint32_t mask = 0;                                                                         \
        EACH(LANES)                                                                                \
        {                                                                                          \
            U a = (U)(ap[i] << 1) >> 1;                                                            \
            mask |= (uint32_t)(__VA_ARGS__) << i;                                                  \
        }                                                                                          \
        *(uint32_t *)dp = mask;                                                                    \
    }
#define PROPERTIES(format, U, infinity, smallest)                                                  \
    PROPERTY(finite_##format, U, a < infinity)                                                     \
    PROPERTY(infinite_##format, U, a == infinity)                                                  \
    PROPERTY(number_##format, U, a <= infinity)                                                    \
    PROPERTY(notanumber_##format, U, a > infinity)                                                 \
    PROPERTY(normal_##format, U, (a >= smallest && a < infinity) || a == 0)                        \
    PROPERTY(subnormal_##format, U, a < smallest && a != 0)
PROPERTIES(f32, uint32_t, 0x7f800000, 0x00800000)
PROPERTIES(f64, uint64_t, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000))

// clang-format off
#define ROWS_UNARY(type, width)                                                                    \
    {OP_abs, #type, width "=" width, 0, .lanes = abs_##type},                                      \
    {OP_abs, #type, width "=" width, ATTR_FTZ, .lanes = abs_ftz_##type},                           \
    {OP_neg, #type, width "=" width, 0, .lanes = neg_##type},                                      \
    {OP_neg, #type, width "=" width, ATTR_FTZ, .lanes = neg_ftz_##type}
#define ROWS_CHOICE(type, width)                                                                   \
    {OP_min, #type, width "=" width width, 0, .lanes = min_##type},                                \
    {OP_max, #type, width "=" width width, 0, .lanes = max_##type},                                \
    {OP_min, #type, width "=" width width, ATTR_FTZ, .lanes = min_ftz_##type},                     \
    {OP_max, #type, width "=" width width, ATTR_FTZ, .lanes = max_ftz_##type},                     \
    {OP_min, #type, width "=" width width, ATTR_NAN, .lanes = min_nan_##type},                     \
    {OP_max, #type, width "=" width width, ATTR_NAN, .lanes = max_nan_##type},                     \
    {OP_min, #type, width "=" width width, ATTR_FTZ | ATTR_NAN | ATTR_ABS | ATTR_XORSIGN,          \
     .lanes = min_any_##type},                                                                     \
    {OP_max, #type, width "=" width width, ATTR_FTZ | ATTR_NAN | ATTR_ABS | ATTR_XORSIGN,          \
     .lanes = max_any_##type}
#define ROWS_PROPERTY(name)                                                                        \
    {OP_testp, #name " f32", "p=4", 0, .lanes = name##_f32},                                       \
    {OP_testp, #name " f64", "p=8", 0, .lanes = name##_f64}

const struct exec_row NAMED(rows_order)[] = {
    ROWS_UNARY(f32, "4"),
    ROWS_UNARY(f16, "2"),
    ROWS_UNARY(f16x2, "4"),
    ROWS_UNARY(bf16, "2"),
    ROWS_UNARY(bf16x2, "4"),
    {OP_abs, "f64", "8=8", 0, .lanes = abs_f64},
    {OP_neg, "f64", "8=8", 0, .lanes = neg_f64},
    {OP_min, "f32", NULL, 0, .lanes = min_f32, .prepare = prepare_two_or_three},
    {OP_max, "f32", NULL, 0, .lanes = max_f32, .prepare = prepare_two_or_three},
    {OP_min, "f32", NULL, ATTR_FTZ, .lanes = min_ftz_f32, .prepare = prepare_two_or_three},
    {OP_max, "f32", NULL, ATTR_FTZ, .lanes = max_ftz_f32, .prepare = prepare_two_or_three},
    {OP_min, "f32", NULL, ATTR_NAN, .lanes = min_nan_f32, .prepare = prepare_two_or_three},
    {OP_max, "f32", NULL, ATTR_NAN, .lanes = max_nan_f32, .prepare = prepare_two_or_three},
    {OP_min, "f32", NULL, ATTR_FTZ | ATTR_NAN | ATTR_ABS | ATTR_XORSIGN, .lanes = min_any_f32,
     .prepare = prepare_two_or_three},
    {OP_max, "f32", NULL, ATTR_FTZ | ATTR_NAN | ATTR_ABS | ATTR_XORSIGN, .lanes = max_any_f32,
     .prepare = prepare_two_or_three},
    ROWS_CHOICE(f16, "2"),
    ROWS_CHOICE(f16x2, "4"),
    ROWS_CHOICE(bf16, "2"),
    ROWS_CHOICE(bf16x2, "4"),
    {OP_min, "f64", "8=88", 0, .lanes = min_f64},
    {OP_max, "f64", "8=88", 0, .lanes = max_f64},
    {OP_copysign, "f32", "4=44", 0, .lanes = copysign_f32},
    {OP_copysign, "f64", "8=88", 0, .lanes = copysign_f64},
    ROWS_PROPERTY(finite), ROWS_PROPERTY(infinite), ROWS_PROPERTY(number),
    ROWS_PROPERTY(notanumber), ROWS_PROPERTY(normal), ROWS_PROPERTY(subnormal),
    {0},
};
// clang-format on
