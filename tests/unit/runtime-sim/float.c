// f32, f32x2 and f64 arithmetic, with each rounding, .ftz and .sat, compared with integers
// (exact.h).
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/exact.h"

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };

static uint64_t compute(enum operation operation, const struct format *f, const uint64_t *in,
                        enum exact_mode mode, int flags)
{
    struct exact a = exact_read(f, exact_flush(f, in[0], flags));
    struct exact b = exact_read(f, exact_flush(f, in[1], flags));
    struct exact c = exact_read(f, exact_flush(f, in[2], flags));
    struct exact one = {.digits = 1};
    struct exact x = a;
    switch (operation) {
    case ADD: x = exact_sum(a, b, mode); break;
    case SUB:
        b.negative = !b.negative;
        x = exact_sum(a, b, mode);
        break;
    case MUL: x = exact_product(a, b); break;
    case FMA: x = exact_sum(exact_product(a, b), c, mode); break;
    case DIV: x = exact_quotient(a, b); break;
    case RCP: x = exact_quotient(one, a); break;
    case SQRT: x = exact_root(a); break;
    }
    return exact_round(f, x, mode, flags);
}

// Computes f64: a NaN result is the first NaN source, made quiet.
static uint64_t compute_f64(enum operation operation, const uint64_t *in, uint32_t sources,
                            enum exact_mode mode)
{
    for (uint32_t i = 0; i < sources; i++)
        if (exact_is_nan(&exact_f64, in[i]))
            return in[i] | UINT64_C(0x0008000000000000);
    return compute(operation, &exact_f64, in, mode, 0);
}

static uint64_t compute_pair(enum operation operation, const uint64_t *in, enum exact_mode mode,
                             int flags)
{
    uint64_t low[3], high[3];
    for (uint32_t i = 0; i < 3; i++) {
        low[i] = in[i] & UINT32_MAX;
        high[i] = in[i] >> 32;
    }
    return compute(operation, &exact_f32, low, mode, flags) |
           compute(operation, &exact_f32, high, mode, flags) << 32;
}

// Every form has a function, its reference, and a case with its text.
#define MODES(X, name, operation)                                                                  \
    X(name, operation, rn) X(name, operation, rz) X(name, operation, rm) X(name, operation, rp)

#define REFER_F32(name, operation, mode, suffix, flags)                                            \
    static void name##_##mode##suffix(const uint64_t *in, uint64_t *out)                           \
    {                                                                                              \
        out[0] = compute(operation, &exact_f32, in, EXACT_##mode, flags);                          \
    }
#define REFER_MODE(name, operation, mode)                                                          \
    REFER_F32(name, operation, mode, _f32, 0)                                                      \
    REFER_F32(name, operation, mode, _ftz_f32, EXACT_FTZ)                                          \
    REFER_F32(name, operation, mode, _sat_f32, EXACT_SAT)                                          \
    REFER_F32(name, operation, mode, _ftz_sat_f32, EXACT_FTZ | EXACT_SAT)                          \
    static void name##_##mode##_f32x2(const uint64_t *in, uint64_t *out)                           \
    {                                                                                              \
        out[0] = compute_pair(operation, in, EXACT_##mode, 0);                                     \
    }                                                                                              \
    static void name##_##mode##_ftz_f32x2(const uint64_t *in, uint64_t *out)                       \
    {                                                                                              \
        out[0] = compute_pair(operation, in, EXACT_##mode, EXACT_FTZ);                             \
    }                                                                                              \
    static void name##_##mode##_f64(const uint64_t *in, uint64_t *out)                             \
    {                                                                                              \
        out[0] = compute_f64(operation, in, operation == FMA ? 3 : 2, EXACT_##mode);               \
    }
MODES(REFER_MODE, add, ADD)
MODES(REFER_MODE, sub, SUB)
MODES(REFER_MODE, mul, MUL)
MODES(REFER_MODE, fma, FMA)

#define TWO "%d, %a, %b;"
#define THREE "%d, %a, %b, %c;"
#define CASE_F32(op, name, mode, operands, types)                                                  \
    {op "." #mode ".f32 " operands, types, name##_##mode##_f32},                                   \
        {op "." #mode ".ftz.f32 " operands, types, name##_##mode##_ftz_f32},                       \
        {op "." #mode ".sat.f32 " operands, types, name##_##mode##_sat_f32},                       \
    {                                                                                              \
        op "." #mode ".ftz.sat.f32 " operands, types, name##_##mode##_ftz_sat_f32                  \
    }
#define CASE_F32X2(op, name, mode, operands, types)                                                \
    {op "." #mode ".f32x2 " operands, types, name##_##mode##_f32x2, .target = "sm_100"},           \
    {                                                                                              \
        op "." #mode ".ftz.f32x2 " operands, types, name##_##mode##_ftz_f32x2, .target = "sm_100"  \
    }
#define CASE_F64(op, name, mode, operands, types)                                                  \
    {                                                                                              \
        op "." #mode ".f64 " operands, types, name##_##mode##_f64                                  \
    }
#define FOUR(CASE, op, name, operands, types)                                                      \
    CASE(op, name, rn, operands, types), CASE(op, name, rz, operands, types),                      \
        CASE(op, name, rm, operands, types), CASE(op, name, rp, operands, types)

// clang-format off
static void test_f32(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        FOUR(CASE_F32, "add", add, TWO, "f32=f32,f32"),
        FOUR(CASE_F32, "sub", sub, TWO, "f32=f32,f32"),
        FOUR(CASE_F32, "mul", mul, TWO, "f32=f32,f32"),
        FOUR(CASE_F32, "fma", fma, THREE, "f32=f32,f32,f32"),
        FOUR(CASE_F32, "mad", fma, THREE, "f32=f32,f32,f32"),
        {"add.f32 " TWO, "f32=f32,f32", add_rn_f32},
        {"sub.ftz.f32 " TWO, "f32=f32,f32", sub_rn_ftz_f32},
        {"mul.sat.f32 " TWO, "f32=f32,f32", mul_rn_sat_f32},
        {"mad.ftz.sat.f32 " THREE, "f32=f32,f32,f32", fma_rn_ftz_sat_f32, .version = "3.0",
         .target = "sm_20"},
        {"add.f32.sat.rm.ftz " TWO, "f32=f32,f32", add_rm_ftz_sat_f32},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

static void test_f32x2(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        FOUR(CASE_F32X2, "add", add, TWO, "f32x2=f32x2,f32x2"),
        FOUR(CASE_F32X2, "sub", sub, TWO, "f32x2=f32x2,f32x2"),
        FOUR(CASE_F32X2, "mul", mul, TWO, "f32x2=f32x2,f32x2"),
        FOUR(CASE_F32X2, "fma", fma, THREE, "f32x2=f32x2,f32x2,f32x2"),
    };
    conform(cases, sizeof cases / sizeof *cases);
}

static void test_f64(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        FOUR(CASE_F64, "add", add, TWO, "f64=f64,f64"),
        FOUR(CASE_F64, "sub", sub, TWO, "f64=f64,f64"),
        FOUR(CASE_F64, "mul", mul, TWO, "f64=f64,f64"),
        FOUR(CASE_F64, "fma", fma, THREE, "f64=f64,f64,f64"),
        FOUR(CASE_F64, "mad", fma, THREE, "f64=f64,f64,f64"),
        {"add.f64 " TWO, "f64=f64,f64", add_rn_f64},
        {"mad.f64 " THREE, "f64=f64,f64,f64", fma_rn_f64, .version = "1.3", .target = "sm_13"},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// Division and roots

#define REFER_DIVIDE(name, operation, mode)                                                        \
    REFER_F32(name, operation, mode, _f32, 0)                                                      \
    REFER_F32(name, operation, mode, _ftz_f32, EXACT_FTZ)                                          \
    static void name##_##mode##_f64(const uint64_t *in, uint64_t *out)                             \
    {                                                                                              \
        out[0] = compute_f64(operation, in, operation == DIV ? 2 : 1, EXACT_##mode);               \
    }
MODES(REFER_DIVIDE, div, DIV)
MODES(REFER_DIVIDE, rcp, RCP)
MODES(REFER_DIVIDE, sqrt, SQRT)

#define ONE "%d, %a;"
#define CASE_DIVIDE(op, name, mode, operands, types)                                               \
    {op "." #mode ".f32 " operands, types, name##_##mode##_f32},                                   \
    {op "." #mode ".ftz.f32 " operands, types, name##_##mode##_ftz_f32}

static void test_divide(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        FOUR(CASE_DIVIDE, "div", div, TWO, "f32=f32,f32"),
        FOUR(CASE_DIVIDE, "rcp", rcp, ONE, "f32=f32"),
        FOUR(CASE_DIVIDE, "sqrt", sqrt, ONE, "f32=f32"),
        FOUR(CASE_F64, "div", div, TWO, "f64=f64,f64"),
        FOUR(CASE_F64, "rcp", rcp, ONE, "f64=f64"),
        FOUR(CASE_F64, "sqrt", sqrt, ONE, "f64=f64"),
        {"div.f64 " TWO, "f64=f64,f64", div_rn_f64, .version = "1.3", .target = "sm_13"},
        {"rcp.f64 " ONE, "f64=f64", rcp_rn_f64, .version = "1.3", .target = "sm_13"},
        {"sqrt.f64 " ONE, "f64=f64", sqrt_rn_f64, .version = "1.3", .target = "sm_13"},
        {"div.f32.rn " TWO, "f32=f32,f32", div_rn_f32},
    };
    conform(cases, sizeof cases / sizeof *cases);
}
// clang-format on

// Immediates: in decimal, in bits of their own type, and of the other one.

#define WITH(name, reference, place, value)                                                        \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        uint64_t all[3] = {in[0], in[1], in[2]};                                                   \
        all[place] = value;                                                                        \
        reference(all, out);                                                                       \
    }
WITH(add_tenth_f32, add_rn_f32, 1, 0x3dcccccd)
WITH(mul_least_ftz_f32, mul_rz_ftz_f32, 1, 0x00800001)
WITH(fma_half_f32, fma_rp_f32, 2, 0xbf000000)
WITH(sub_tenth_f64, sub_rn_f64, 1, UINT64_C(0x3fb999999999999a))
WITH(add_float_f64, add_rm_f64, 1, UINT64_C(0x3ff8000000000000))
WITH(div_three_f64, div_rz_f64, 1, UINT64_C(0x4008000000000000))

static void test_immediates(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"add.f32 %d, %a, 0.1;", "f32=f32", add_tenth_f32},
        {"add.rn.f32 %d, %a, 0f3DCCCCCD;", "f32=f32", add_tenth_f32},
        {"mul.rz.ftz.f32 %d, %a, 0f00800001;", "f32=f32", mul_least_ftz_f32},
        {"fma.rp.f32 %d, %a, %b, -0.5;", "f32=f32,f32", fma_half_f32},
        {"sub.f64 %d, %a, 0.1;", "f64=f64", sub_tenth_f64},
        {"sub.f64 %d, %a, 0d3FB999999999999A;", "f64=f64", sub_tenth_f64},
        {"add.rm.f64 %d, %a, 1.5;", "f64=f64", add_float_f64},
        {"div.rz.f64 %d, %a, 3.0;", "f64=f64", div_three_f64},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// Results just above and below the least normal number, where rounding and flushing interact.
static void test_min_normal(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, b, expected, flushed;
    } products[] = {
        {0x00ffffff, 0x3f000000, 0x00800000, 0x00000000}, // 2⁻¹²⁶ − 2⁻¹⁵⁰
        {0x00800400, 0x3f7ff800, 0x00800000, 0x00800000}, // 2⁻¹²⁶ − 2⁻¹⁵²
        {0x80ffffff, 0x3f000000, 0x80800000, 0x80000000},
        {0x00fffffe, 0x3f000000, 0x007fffff, 0x00000000},
        {0x01000000, 0x3f000000, 0x00800000, 0x00800000},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        uint64_t in[] = {products[i].a, products[i].b, 0};
        assert_int_equal(compute(MUL, &exact_f32, in, EXACT_rn, 0), products[i].expected);
        assert_int_equal(compute(MUL, &exact_f32, in, EXACT_rn, EXACT_FTZ), products[i].flushed);
    }
    struct kernel k;
    kernel_load(&k,
                HEAD("8.0", "sm_80") ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                                     ".reg .b32 %r<6>; .reg .b64 %i, %o, %x;\n"
                                     "ld.param.u64 %i, [in]; ld.param.u64 %o, [out];\n"
                                     "mov.u32 %r0, %tid.x; mul.wide.u32 %x, %r0, 8;\n"
                                     "add.u64 %i, %i, %x; add.u64 %o, %o, %x;\n"
                                     "ld.global.v2.b32 {%r1, %r2}, [%i];\n"
                                     "mul.f32 %r3, %r1, %r2; mul.ftz.f32 %r4, %r1, %r2;\n"
                                     "st.global.v2.b32 [%o], {%r3, %r4}; ret;\n}\n",
                NULL);
    uint32_t(*in)[2] = kernel_buffer(&k, 32 * 8), (*out)[2] = kernel_buffer(&k, 32 * 8);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        memcpy(in[i], &products[i], 8);
    kernel_succeeds(&k, "k", 1, 32);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        assert_int_equal(out[i][0], products[i].expected);
        assert_int_equal(out[i][1], products[i].flushed);
    }
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),        cmocka_unit_test(test_f32x2),
        cmocka_unit_test(test_f64),        cmocka_unit_test(test_divide),
        cmocka_unit_test(test_immediates), cmocka_unit_test(test_min_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
