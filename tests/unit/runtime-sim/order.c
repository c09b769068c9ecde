// Floating point that is compared, selected and tested, but not computed: min, max, abs, neg,
// copysign, testp, setp, set. The reference reads numbers as digits and exponent (exact.h).
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/exact.h"

enum flag { FTZ = EXACT_FTZ, NAN_WINS = 16, ABSOLUTE = 32, XORSIGN = 64, GREATEST = 128 };

// min and max

static uint64_t canonical(const struct format *f, uint64_t a)
{
    return f == &exact_f64 ? a | UINT64_C(1) << 51 : f->nan;
}

// Returns the chosen number; of two zeros, the negative one is less.
static uint64_t choose(const struct format *f, uint64_t a, uint64_t b, int flags)
{
    bool nan_a = exact_is_nan(f, a), nan_b = exact_is_nan(f, b);
    if ((nan_a && nan_b) || (flags & NAN_WINS && (nan_a || nan_b)))
        return canonical(f, a);
    if (nan_a || nan_b)
        return nan_a ? b : a;
    enum exact_order order = exact_compare(exact_read(f, a), exact_read(f, b));
    if (order == EXACT_SAME)
        order = a & exact_sign_bit(f) ? EXACT_BELOW : EXACT_ABOVE;
    bool first = flags & GREATEST ? order == EXACT_ABOVE : order == EXACT_BELOW;
    return first ? a : b;
}

static uint64_t choose_of(const struct format *f, const uint64_t *in, uint32_t count, int flags)
{
    uint64_t value[3] = {0}, sign = exact_sign_bit(f);
    for (uint32_t i = 0; i < count; i++) {
        value[i] = exact_flush(f, in[i], flags);
        if (flags & ABSOLUTE)
            value[i] &= ~sign;
    }
    uint64_t result = choose(f, value[0], value[1], flags);
    if (count == 3)
        result = choose(f, result, value[2], flags);
    if (flags & XORSIGN && !exact_is_nan(f, result))
        result = (result & ~sign) | ((in[0] ^ in[1]) & sign);
    return result;
}

static void choose_halves(const struct format *f, const uint64_t *in, uint64_t *out, int flags)
{
    out[0] = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        uint64_t halves[] = {in[0] >> shift & 0xffff, in[1] >> shift & 0xffff};
        out[0] |= choose_of(f, halves, 2, flags) << shift;
    }
}

#define CHOICE_F32(name, flags)                                                                    \
    static void name##_f32(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        out[0] = choose_of(&exact_f32, in, 2, flags);                                              \
    }                                                                                              \
    static void name##_three(const uint64_t *in, uint64_t *out)                                    \
    {                                                                                              \
        out[0] = choose_of(&exact_f32, in, 3, (flags) & ~XORSIGN);                                 \
    }
#define CHOICE_HALF(name, format, flags)                                                           \
    static void name##_##format(const uint64_t *in, uint64_t *out)                                 \
    {                                                                                              \
        choose_halves(&exact_##format, in, out, flags);                                            \
    }
#define CHOICE(name, flags)                                                                        \
    CHOICE_F32(name, flags)                                                                        \
    CHOICE_HALF(name, f16, flags)
#define CHOICES(name, which)                                                                       \
    CHOICE(name, which)                                                                            \
    CHOICE(name##_ftz, (which) | FTZ)                                                              \
    CHOICE(name##_nan, (which) | NAN_WINS)                                                         \
    CHOICE(name##_ftz_nan, (which) | FTZ | NAN_WINS)                                               \
    CHOICE(name##_abs, (which) | ABSOLUTE | XORSIGN)                                               \
    CHOICE(name##_ftz_abs, (which) | FTZ | ABSOLUTE | XORSIGN)                                     \
    CHOICE(name##_nan_abs, (which) | NAN_WINS | ABSOLUTE | XORSIGN)                                \
    CHOICE(name##_ftz_nan_abs, (which) | FTZ | NAN_WINS | ABSOLUTE | XORSIGN)                      \
    CHOICE_HALF(name, bf16, which)                                                                 \
    CHOICE_HALF(name##_nan, bf16, (which) | NAN_WINS)                                              \
    CHOICE_HALF(name##_abs, bf16, (which) | ABSOLUTE | XORSIGN)                                    \
    CHOICE_HALF(name##_nan_abs, bf16, (which) | NAN_WINS | ABSOLUTE | XORSIGN)                     \
    static void name##_f64(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        out[0] = choose_of(&exact_f64, in, 2, which);                                              \
    }
CHOICES(min, 0)
CHOICES(max, GREATEST)

#define TWO " %d, %a, %b;"
#define THREE " %d, %a, %b, %c;"
#define CASE_F32(text, reference)                                                                  \
    {                                                                                              \
        text ".f32" TWO, "f32=f32,f32", reference##_f32                                            \
    }
#define CASE_THREE(text, reference)                                                                \
    {                                                                                              \
        text ".f32" THREE, "f32=f32,f32,f32", reference##_three, .target = "sm_100"                \
    }
#define CASE_HALF(text, reference, format)                                                         \
    {text "." #format TWO, #format "=" #format "," #format, reference##_##format},                 \
    {                                                                                              \
        text "." #format "x2" TWO, #format "x2=" #format "x2," #format "x2", reference##_##format  \
    }
#define CASE_ALL(text, reference)                                                                  \
    CASE_F32(text, reference), CASE_HALF(text, reference, f16), CASE_HALF(text, reference, bf16)
#define CASE_FTZ(text, reference) CASE_F32(text, reference), CASE_HALF(text, reference, f16)
// clang-format off
#define CASES(op)                                                                                  \
    CASE_ALL(#op, op), CASE_FTZ(#op ".ftz", op##_ftz),                                             \
    CASE_ALL(#op ".NaN", op##_nan), CASE_FTZ(#op ".ftz.NaN", op##_ftz_nan),                        \
    CASE_ALL(#op ".xorsign.abs", op##_abs), CASE_FTZ(#op ".ftz.xorsign.abs", op##_ftz_abs),        \
    CASE_ALL(#op ".NaN.xorsign.abs", op##_nan_abs),                                                \
    CASE_FTZ(#op ".ftz.NaN.xorsign.abs", op##_ftz_nan_abs),                                        \
    CASE_THREE(#op, op), CASE_THREE(#op ".ftz", op##_ftz), CASE_THREE(#op ".NaN", op##_nan),       \
    CASE_THREE(#op ".ftz.NaN", op##_ftz_nan), CASE_THREE(#op ".abs", op##_abs),                    \
    CASE_THREE(#op ".ftz.abs", op##_ftz_abs), CASE_THREE(#op ".NaN.abs", op##_nan_abs),            \
    CASE_THREE(#op ".ftz.NaN.abs", op##_ftz_nan_abs),                                              \
    {#op ".f64" TWO, "f64=f64,f64", op##_f64}
// clang-format on

static void test_choice(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {CASES(min), CASES(max)};
    conform(cases, sizeof cases / sizeof *cases);
}

// Signs

static uint64_t sign_of(const struct format *f, uint64_t bits, bool negated, int flags)
{
    uint64_t sign = exact_sign_bit(f), value = exact_flush(f, bits, flags);
    if (exact_is_nan(f, bits) && f != &exact_f64)
        return f->nan;
    return negated ? value ^ sign : value & ~sign;
}

#define SIGN(name, format, negated, flags)                                                         \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        out[0] = sign_of(&exact_##format, in[0], negated, flags);                                  \
    }                                                                                              \
    static void name##x2(const uint64_t *in, uint64_t *out)                                        \
    {                                                                                              \
        out[0] = sign_of(&exact_##format, in[0] & 0xffff, negated, flags) |                        \
                 sign_of(&exact_##format, in[0] >> 16 & 0xffff, negated, flags) << 16;             \
    }
SIGN(abs_f16, f16, false, 0)
SIGN(abs_ftz_f16, f16, false, FTZ)
SIGN(neg_f16, f16, true, 0)
SIGN(neg_ftz_f16, f16, true, FTZ)
SIGN(abs_bf16, bf16, false, 0)
SIGN(neg_bf16, bf16, true, 0)
#undef SIGN
#define SIGN(name, format, negated, flags)                                                         \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        out[0] = sign_of(&exact_##format, in[0], negated, flags);                                  \
    }
SIGN(abs_f32, f32, false, 0)
SIGN(abs_ftz_f32, f32, false, FTZ)
SIGN(neg_f32, f32, true, 0)
SIGN(neg_ftz_f32, f32, true, FTZ)
SIGN(abs_f64, f64, false, 0)
SIGN(neg_f64, f64, true, 0)

static void copysign_f32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1] % 0x80000000 + in[0] / 0x80000000 * 0x80000000;
}

static void copysign_f64(const uint64_t *in, uint64_t *out)
{
    out[0] = in[1] << 1 >> 1 | in[0] >> 63 << 63;
}

#define ONE " %d, %a;"
static void test_signs(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"abs.f16" ONE, "f16=f16", abs_f16},
        {"abs.f16x2" ONE, "f16x2=f16x2", abs_f16x2},
        {"abs.ftz.f16" ONE, "f16=f16", abs_ftz_f16},
        {"abs.ftz.f16x2" ONE, "f16x2=f16x2", abs_ftz_f16x2},
        {"neg.f16" ONE, "f16=f16", neg_f16},
        {"neg.f16x2" ONE, "f16x2=f16x2", neg_f16x2},
        {"neg.ftz.f16" ONE, "f16=f16", neg_ftz_f16},
        {"neg.ftz.f16x2" ONE, "f16x2=f16x2", neg_ftz_f16x2},
        {"abs.bf16" ONE, "bf16=bf16", abs_bf16},
        {"abs.bf16x2" ONE, "bf16x2=bf16x2", abs_bf16x2},
        {"neg.bf16" ONE, "bf16=bf16", neg_bf16},
        {"neg.bf16x2" ONE, "bf16x2=bf16x2", neg_bf16x2},
        {"abs.f32" ONE, "f32=f32", abs_f32},
        {"abs.ftz.f32" ONE, "f32=f32", abs_ftz_f32},
        {"neg.f32" ONE, "f32=f32", neg_f32},
        {"neg.ftz.f32" ONE, "f32=f32", neg_ftz_f32},
        {"abs.f64" ONE, "f64=f64", abs_f64},
        {"neg.f64" ONE, "f64=f64", neg_f64},
        {"copysign.f32" TWO, "f32=f32,f32", copysign_f32},
        {"copysign.f64" TWO, "f64=f64,f64", copysign_f64},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// testp

enum property { FINITE, INFINITE, NUMBER, NOTANUMBER, NORMAL, SUBNORMAL };

static bool has(enum property property, const struct format *f, uint64_t bits)
{
    struct exact x = exact_read(f, bits);
    bool leading = x.digits >> f->digits; // the digit before the point
    switch (property) {
    case FINITE: return x.kind == EXACT_FINITE;
    case INFINITE: return x.kind == EXACT_INFINITE;
    case NUMBER: return x.kind != EXACT_NAN;
    case NOTANUMBER: return x.kind == EXACT_NAN;
    case NORMAL: return x.kind == EXACT_FINITE && (leading || !x.digits);
    default: return x.kind == EXACT_FINITE && !leading && x.digits;
    }
}

#define PROPERTY(name, property)                                                                   \
    static void name##_f32(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        out[0] = has(property, &exact_f32, in[0]);                                                 \
    }                                                                                              \
    static void name##_f64(const uint64_t *in, uint64_t *out)                                      \
    {                                                                                              \
        out[0] = has(property, &exact_f64, in[0]);                                                 \
    }
PROPERTY(finite, FINITE)
PROPERTY(infinite, INFINITE)
PROPERTY(number, NUMBER)
PROPERTY(notanumber, NOTANUMBER)
PROPERTY(normal, NORMAL)
PROPERTY(subnormal, SUBNORMAL)
#define CASE_PROPERTY(name)                                                                        \
    {"testp." #name ".f32" ONE, "pred=f32", name##_f32},                                           \
    {                                                                                              \
        "testp." #name ".f64" ONE, "pred=f64", name##_f64                                          \
    }

static void test_properties(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        CASE_PROPERTY(finite),     CASE_PROPERTY(infinite), CASE_PROPERTY(number),
        CASE_PROPERTY(notanumber), CASE_PROPERTY(normal),   CASE_PROPERTY(subnormal),
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// Comparison: for each operator, whether it holds if the first number is below, the same, above, or
// unordered.
enum { BELOW = 1, SAME = 2, ABOVE = 4, UNORDERED = 8 };
enum operator_holds {
    HOLDS_eq = SAME,
    HOLDS_ne = BELOW | ABOVE,
    HOLDS_lt = BELOW,
    HOLDS_le = BELOW | SAME,
    HOLDS_gt = ABOVE,
    HOLDS_ge = ABOVE | SAME,
    HOLDS_equ = SAME | UNORDERED,
    HOLDS_neu = BELOW | ABOVE | UNORDERED,
    HOLDS_ltu = BELOW | UNORDERED,
    HOLDS_leu = BELOW | SAME | UNORDERED,
    HOLDS_gtu = ABOVE | UNORDERED,
    HOLDS_geu = ABOVE | SAME | UNORDERED,
    HOLDS_num = BELOW | SAME | ABOVE,
    HOLDS_nan = UNORDERED,
};

static bool holds(int operator, const struct format * f, uint64_t a, uint64_t b, int flags)
{
    enum exact_order order = exact_compare(exact_read(f, exact_flush(f, a, flags)),
                                           exact_read(f, exact_flush(f, b, flags)));
    return operator>>(order + 1) & 1;
}

#define EACH_OPERATOR(X, ...)                                                                      \
    X(eq, __VA_ARGS__)                                                                             \
    X(ne, __VA_ARGS__)                                                                             \
    X(lt, __VA_ARGS__)                                                                             \
    X(le, __VA_ARGS__)                                                                             \
    X(gt, __VA_ARGS__)                                                                             \
    X(ge, __VA_ARGS__)                                                                             \
    X(equ, __VA_ARGS__)                                                                            \
    X(neu, __VA_ARGS__)                                                                            \
    X(ltu, __VA_ARGS__)                                                                            \
    X(leu, __VA_ARGS__)                                                                            \
    X(gtu, __VA_ARGS__) X(geu, __VA_ARGS__) X(num, __VA_ARGS__) X(nan, __VA_ARGS__)
#define COMPARISON(op, name, format, flags)                                                        \
    static void op##_##name(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        out[0] = holds(HOLDS_##op, &exact_##format, in[0], in[1], flags);                          \
        out[1] = !out[0];                                                                          \
    }
EACH_OPERATOR(COMPARISON, f32, f32, 0)
EACH_OPERATOR(COMPARISON, ftz_f32, f32, FTZ)
EACH_OPERATOR(COMPARISON, f64, f64, 0)
EACH_OPERATOR(COMPARISON, f16, f16, 0)
EACH_OPERATOR(COMPARISON, ftz_f16, f16, FTZ)
EACH_OPERATOR(COMPARISON, bf16, bf16, 0)
#define COMPARISON_PAIR(op, name, format, flags)                                                   \
    static void op##_##name(const uint64_t *in, uint64_t *out)                                     \
    {                                                                                              \
        out[0] = holds(HOLDS_##op, &exact_##format, in[0] & 0xffff, in[1] & 0xffff, flags);        \
        out[1] = holds(HOLDS_##op, &exact_##format, in[0] >> 16, in[1] >> 16, flags);              \
    }
EACH_OPERATOR(COMPARISON_PAIR, f16x2, f16, 0)
EACH_OPERATOR(COMPARISON_PAIR, ftz_f16x2, f16, FTZ)
EACH_OPERATOR(COMPARISON_PAIR, bf16x2, bf16, 0)

#define PAIRED(op, text, type, name)                                                               \
    {"setp." #op text " %d|%e, %a, %b;", "pred,pred=" type, op##_##name},
#define SINGLE(op, text, type, name) {"setp." #op text " %d, %a, %b;", "pred=" type, op##_##name},

static void test_setp(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        // clang-format off
        EACH_OPERATOR(PAIRED, ".f32", "f32,f32", f32)
        EACH_OPERATOR(PAIRED, ".ftz.f32", "f32,f32", ftz_f32)
        EACH_OPERATOR(PAIRED, ".f64", "f64,f64", f64)
        EACH_OPERATOR(SINGLE, ".f16", "f16,f16", f16)
        EACH_OPERATOR(SINGLE, ".ftz.f16", "f16,f16", ftz_f16)
        EACH_OPERATOR(SINGLE, ".bf16", "bf16,bf16", bf16)
        EACH_OPERATOR(PAIRED, ".f16x2", "f16x2,f16x2", f16x2)
        EACH_OPERATOR(PAIRED, ".ftz.f16x2", "f16x2,f16x2", ftz_f16x2)
        EACH_OPERATOR(PAIRED, ".bf16x2", "bf16x2,bf16x2", bf16x2)
        EACH_OPERATOR(SINGLE, ".f16x2", "f16x2,f16x2", f16x2)
        // clang-format on
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// With a Boolean operation

#define COMBINED(name, from, with)                                                                 \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        from(in, out);                                                                             \
        for (int i = 0; i < 2; i++) {                                                              \
            bool t = out[i], c = in[2];                                                            \
            out[i] = with;                                                                         \
        }                                                                                          \
    }
COMBINED(and_lt_f32, lt_f32, t &&c)
COMBINED(or_ge_ftz_f32, ge_ftz_f32, t || !c)
COMBINED(xor_neu_f64, neu_f64, t != c)
COMBINED(and_gtu_f16, gtu_f16, t && !c)
COMBINED(or_eq_bf16, eq_bf16, t || c)
COMBINED(and_lt_f16x2, lt_f16x2, t &&c)
COMBINED(or_num_ftz_f16x2, num_ftz_f16x2, t || c)
COMBINED(xor_geu_bf16x2, geu_bf16x2, t == c)

// set: `one` for each comparison that holds; both results of a pair side by side.
#define SET(name, from, one)                                                                       \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        from(in, out);                                                                             \
        out[0] = out[0] ? (one) : 0;                                                               \
    }
#define SET_PAIR(name, from, one)                                                                  \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        from(in, out);                                                                             \
        out[0] = (out[0] ? (one) : 0u) + (out[1] ? (one)*65536u : 0u);                             \
    }
SET(set_u32, lt_f32, 0xffffffff)
SET(set_f32, and_lt_f32, 0x3f800000)
SET(set_s32, or_ge_ftz_f32, 0xffffffff)
SET(set_f32_f64, xor_neu_f64, 0x3f800000)
SET(set_f16, ltu_f16, 0x3c00)
SET(set_f16_ftz, ne_ftz_f16, 0x3c00)
SET(set_f16_f32, ge_ftz_f32, 0x3c00)
SET(set_f16_f64, nan_f64, 0x3c00)
SET(set_bf16, or_eq_bf16, 0x3f80)
SET(set_bf16_f16, le_f16, 0x3f80)
SET(set_bf16_f32, gt_f32, 0x3f80)
SET(set_u16, and_gtu_f16, 0xffff)
SET(set_s32_f16, equ_ftz_f16, 0xffffffff)
SET(set_u16_bf16, leu_bf16, 0xffff)
SET(set_s32_bf16, num_bf16, 0xffffffff)
SET_PAIR(set_f16x2, and_lt_f16x2, 0x3c00u)
SET_PAIR(set_u32_f16x2, or_num_ftz_f16x2, 0xffffu)
SET_PAIR(set_bf16x2, xor_geu_bf16x2, 0x3f80u)
SET_PAIR(set_s32_bf16x2, ne_bf16x2, 0xffffu)

static void set_f16_u32(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0] >= in[1] ? 0x3c00 : 0;
}

static void set_bf16_s64(const uint64_t *in, uint64_t *out)
{
    out[0] = (int64_t)in[0] < (int64_t)in[1] ? 0x3f80 : 0;
}

static void set_f16_b16(const uint64_t *in, uint64_t *out)
{
    out[0] = (in[0] != in[1]) != in[2] ? 0x3c00 : 0;
}

#define WITH " %d, %a, %b, %c;"
#define WITH_NOT " %d, %a, %b, !%c;"
static void test_boolean(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"setp.lt.and.f32 %d|%e, %a, %b, %c;", "pred,pred=f32,f32,pred", and_lt_f32},
        {"setp.ge.or.ftz.f32 %d|%e, %a, %b, !%c;", "pred,pred=f32,f32,pred", or_ge_ftz_f32},
        {"setp.neu.xor.f64 %d|%e, %a, %b, %c;", "pred,pred=f64,f64,pred", xor_neu_f64},
        {"setp.gtu.and.f16 %d, %a, %b, !%c;", "pred=f16,f16,pred", and_gtu_f16},
        {"setp.eq.or.bf16 %d, %a, %b, %c;", "pred=bf16,bf16,pred", or_eq_bf16},
        {"setp.lt.and.f16x2 %d|%e, %a, %b, %c;", "pred,pred=f16x2,f16x2,pred", and_lt_f16x2},
        {"setp.lt.and.f16x2 %d, %a, %b, %c;", "pred=f16x2,f16x2,pred", and_lt_f16x2},
        {"setp.num.or.ftz.f16x2 %d|%e, %a, %b, %c;", "pred,pred=f16x2,f16x2,pred",
         or_num_ftz_f16x2},
        {"setp.geu.xor.bf16x2 %d|%e, %a, %b, !%c;", "pred,pred=bf16x2,bf16x2,pred", xor_geu_bf16x2},
        // The first result is also the predicate that is read.
        {"mov.pred %d, %c; setp.lt.and.f16x2 %d|%e, %a, %b, %d;", "pred,pred=f16x2,f16x2,pred",
         and_lt_f16x2},
        {"mov.pred %e, %c; setp.lt.and.f16x2 %d|%e, %a, %b, %e;", "pred,pred=f16x2,f16x2,pred",
         and_lt_f16x2},
        {"mov.pred %d, %c; setp.lt.and.f32 %d|%e, %a, %b, %d;", "pred,pred=f32,f32,pred",
         and_lt_f32},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

static void test_set(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"set.lt.u32.f32" TWO, "u32=f32,f32", set_u32},
        {"set.lt.and.f32.f32" WITH, "f32=f32,f32,pred", set_f32},
        {"set.ge.or.ftz.s32.f32" WITH_NOT, "s32=f32,f32,pred", set_s32},
        {"set.neu.xor.f32.f64" WITH, "f32=f64,f64,pred", set_f32_f64},
        {"set.ltu.f16.f16" TWO, "f16=f16,f16", set_f16},
        {"set.ne.ftz.f16.f16" TWO, "f16=f16,f16", set_f16_ftz},
        {"set.ge.ftz.f16.f32" TWO, "f16=f32,f32", set_f16_f32},
        {"set.nan.f16.f64" TWO, "f16=f64,f64", set_f16_f64},
        {"set.ge.f16.u32" TWO, "f16=u32,u32", set_f16_u32},
        {"set.hs.f16.u32" TWO, "f16=u32,u32", set_f16_u32},
        {"set.lt.bf16.s64" TWO, "bf16=s64,s64", set_bf16_s64},
        {"set.ne.xor.f16.b16" WITH, "f16=b16,b16,pred", set_f16_b16},
        {"set.eq.or.bf16.bf16" WITH, "bf16=bf16,bf16,pred", set_bf16},
        {"set.le.bf16.f16" TWO, "bf16=f16,f16", set_bf16_f16},
        {"set.gt.bf16.f32" TWO, "bf16=f32,f32", set_bf16_f32},
        {"set.gtu.and.u16.f16" WITH_NOT, "u16=f16,f16,pred", set_u16},
        {"set.equ.ftz.s32.f16" TWO, "s32=f16,f16", set_s32_f16},
        {"set.leu.u16.bf16" TWO, "u16=bf16,bf16", set_u16_bf16},
        {"set.num.s32.bf16" TWO, "s32=bf16,bf16", set_s32_bf16},
        {"set.lt.and.f16x2.f16x2" WITH, "f16x2=f16x2,f16x2,pred", set_f16x2},
        {"set.num.or.ftz.u32.f16x2" WITH, "u32=f16x2,f16x2,pred", set_u32_f16x2},
        {"set.geu.xor.bf16x2.bf16x2" WITH_NOT, "bf16x2=bf16x2,bf16x2,pred", set_bf16x2},
        {"set.ne.s32.bf16x2" TWO, "s32=bf16x2,bf16x2", set_s32_bf16x2},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),     cmocka_unit_test(test_signs),
        cmocka_unit_test(test_properties), cmocka_unit_test(test_setp),
        cmocka_unit_test(test_boolean),    cmocka_unit_test(test_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
