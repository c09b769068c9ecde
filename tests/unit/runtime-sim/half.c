// f16, f16x2, bf16, bf16x2 arithmetic, and f32 with sources in half precision, against integers
// (exact.h).
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/exact.h"

enum operation { ADD, SUB, MUL, FMA };
enum { OOB = 8 }; // beside exact_flag

static uint64_t compute(enum operation operation, const struct format *f, uint64_t a_bits,
                        uint64_t b_bits, uint64_t c_bits, int flags)
{
    if (flags & OOB && (a_bits == 0x7fff || b_bits == 0x7fff))
        return 0;
    struct exact a = exact_read(f, exact_flush(f, a_bits, flags));
    struct exact b = exact_read(f, exact_flush(f, b_bits, flags));
    struct exact c = exact_read(f, exact_flush(f, c_bits, flags));
    struct exact x = operation >= MUL ? exact_product(a, b) : a;
    if (operation == SUB)
        b.negative = !b.negative;
    if (operation <= SUB)
        x = exact_sum(a, b, EXACT_rn);
    if (operation == FMA)
        x = exact_sum(x, c, EXACT_rn);
    return exact_round(f, x, EXACT_rn, flags);
}

static void compute_halves(enum operation operation, const struct format *f, const uint64_t *in,
                           uint64_t *out, int flags)
{
    out[0] = 0;
    for (int shift = 0; shift < 32; shift += 16)
        out[0] |= compute(operation, f, in[0] >> shift & 0xffff, in[1] >> shift & 0xffff,
                          in[2] >> shift & 0xffff, flags)
                  << shift;
}

#define REFER(name, operation, format, flags)                                                      \
    static void name(const uint64_t *in, uint64_t *out)                                            \
    {                                                                                              \
        compute_halves(operation, &exact_##format, in, out, flags);                                \
    }
#define REFER_F16(name, operation)                                                                 \
    REFER(name##_f16, operation, f16, 0)                                                           \
    REFER(name##_ftz_f16, operation, f16, EXACT_FTZ)                                               \
    REFER(name##_sat_f16, operation, f16, EXACT_SAT)                                               \
    REFER(name##_ftz_sat_f16, operation, f16, EXACT_FTZ | EXACT_SAT)                               \
    REFER(name##_bf16, operation, bf16, 0)
REFER_F16(add, ADD)
REFER_F16(sub, SUB)
REFER_F16(mul, MUL)
REFER_F16(fma, FMA)
REFER(fma_relu_f16, FMA, f16, EXACT_RELU)
REFER(fma_ftz_relu_f16, FMA, f16, EXACT_FTZ | EXACT_RELU)
REFER(fma_relu_bf16, FMA, bf16, EXACT_RELU)
REFER(fma_oob_f16, FMA, f16, OOB)
REFER(fma_oob_relu_f16, FMA, f16, OOB | EXACT_RELU)
REFER(fma_oob_bf16, FMA, bf16, OOB)
REFER(fma_oob_relu_bf16, FMA, bf16, OOB | EXACT_RELU)

#define TWO " %d, %a, %b;"
#define THREE " %d, %a, %b, %c;"
// Cases for one half and for a pair.
#define BOTH(text, format, operands, one, two, reference)                                          \
    {text "." #format operands, one, reference},                                                   \
    {                                                                                              \
        text "." #format "x2" operands, two, reference                                             \
    }
#define CASE(text, format, reference)                                                              \
    BOTH(text, format, TWO, #format "=" #format "," #format,                                       \
         #format "x2=" #format "x2," #format "x2", reference##_##format)
#define CASE_FMA(text, format, reference)                                                          \
    BOTH(text, format, THREE, #format "=" #format "," #format "," #format,                         \
         #format "x2=" #format "x2," #format "x2," #format "x2", reference##_##format)
#define CASES(op)                                                                                  \
    CASE(#op, f16, op), CASE(#op ".rn", f16, op), CASE(#op ".ftz", f16, op##_ftz),                 \
        CASE(#op ".rn.sat", f16, op##_sat), CASE(#op ".rn.ftz.sat", f16, op##_ftz_sat),            \
        CASE(#op, bf16, op), CASE(#op ".rn", bf16, op)

static void test_arithmetic(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        CASES(add),
        CASES(sub),
        CASES(mul),
    };
    conform(cases, sizeof cases / sizeof *cases);
}

static void test_fma(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        CASE_FMA("fma.rn", f16, fma),           CASE_FMA("fma.rn.ftz", f16, fma_ftz),
        CASE_FMA("fma.rn.sat", f16, fma_sat),   CASE_FMA("fma.rn.ftz.sat", f16, fma_ftz_sat),
        CASE_FMA("fma.rn.relu", f16, fma_relu), CASE_FMA("fma.rn.ftz.relu", f16, fma_ftz_relu),
        CASE_FMA("fma.rn.oob", f16, fma_oob),   CASE_FMA("fma.rn.oob.relu", f16, fma_oob_relu),
        CASE_FMA("fma.rn", bf16, fma),          CASE_FMA("fma.rn.relu", bf16, fma_relu),
        CASE_FMA("fma.rn.oob", bf16, fma_oob),  CASE_FMA("fma.rn.oob.relu", bf16, fma_oob_relu),
    };
    conform(cases, sizeof cases / sizeof *cases);
}

// f32 with halves

static uint64_t compute_mixed(enum operation operation, const struct format *f, const uint64_t *in,
                              enum exact_mode mode, int flags)
{
    struct exact a = exact_read(f, in[0]), x = a;
    struct exact c = exact_read(&exact_f32, in[operation == FMA ? 2 : 1]);
    if (operation == FMA)
        x = exact_product(a, exact_read(f, in[1]));
    c.negative ^= operation == SUB;
    return exact_round(&exact_f32, exact_sum(x, c, mode), mode, flags);
}

#define MIXED_MODE(name, operation, format, mode)                                                  \
    static void name##_##mode##_##format(const uint64_t *in, uint64_t *out)                        \
    {                                                                                              \
        out[0] = compute_mixed(operation, &exact_##format, in, EXACT_##mode, 0);                   \
    }                                                                                              \
    static void name##_##mode##_sat_##format(const uint64_t *in, uint64_t *out)                    \
    {                                                                                              \
        out[0] = compute_mixed(operation, &exact_##format, in, EXACT_##mode, EXACT_SAT);           \
    }
#define MIXED(name, operation, format)                                                             \
    MIXED_MODE(name, operation, format, rn)                                                        \
    MIXED_MODE(name, operation, format, rz)                                                        \
    MIXED_MODE(name, operation, format, rm)                                                        \
    MIXED_MODE(name, operation, format, rp)
MIXED(mixed_add, ADD, f16)
MIXED(mixed_sub, SUB, f16)
MIXED(mixed_fma, FMA, f16)
MIXED(mixed_add, ADD, bf16)
MIXED(mixed_sub, SUB, bf16)
MIXED(mixed_fma, FMA, bf16)

#define CASE_MIXED_MODE(op, format, mode, operands, types)                                         \
    {#op "." #mode ".f32." #format operands, types, mixed_##op##_##mode##_##format,                \
     .target = "sm_100"},                                                                          \
    {                                                                                              \
#op "." #mode ".sat.f32." #format operands, types, mixed_##op##_##mode##_sat_##format,     \
            .target = "sm_100"                                                                     \
    }
#define CASE_MIXED(op, format, operands, types)                                                    \
    CASE_MIXED_MODE(op, format, rn, operands, types),                                              \
        CASE_MIXED_MODE(op, format, rz, operands, types),                                          \
        CASE_MIXED_MODE(op, format, rm, operands, types),                                          \
        CASE_MIXED_MODE(op, format, rp, operands, types)

static void test_mixed(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        CASE_MIXED(add, f16, TWO, "f32=f16,f32"),
        CASE_MIXED(add, bf16, TWO, "f32=bf16,f32"),
        CASE_MIXED(sub, f16, TWO, "f32=f16,f32"),
        CASE_MIXED(sub, bf16, TWO, "f32=bf16,f32"),
        CASE_MIXED(fma, f16, THREE, "f32=f16,f16,f32"),
        CASE_MIXED(fma, bf16, THREE, "f32=bf16,bf16,f32"),
        {"add.f32.f16" TWO, "f32=f16,f32", mixed_add_rn_f16, .target = "sm_100"},
        {"sub.f32.bf16" TWO, "f32=bf16,f32", mixed_sub_rn_bf16, .target = "sm_100"},
    };
    conform(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic),
                                       cmocka_unit_test(test_fma), cmocka_unit_test(test_mixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
