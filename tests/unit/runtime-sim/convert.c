// cvt between integers, halves, f32, f64 and tf32: all pairs, roundings and modifiers.
#include "tests/unit/runtime-sim/convert.h"
#include <fenv.h>

static struct conversion now;

static void reference(const uint64_t *in, uint64_t *out)
{
    out[0] = converted(&now, in[0]);
}

// Checks one instruction, with operands in registers of their width or wider.
static void check_by(conform_reference *by, const char *modifiers, uint32_t to_bits,
                     uint32_t from_bits)
{
    char text[96], operands[32];
    char to_kind = now.to->kind == 'f' ? 'b' : now.to->kind;
    snprintf(text, sizeof text, "cvt%s.%s.%s %%d, %%a;", modifiers, now.to->name, now.from->name);
    if (to_bits == now.to->bits && from_bits == now.from->bits)
        snprintf(operands, sizeof operands, "%s=%s", is_type(now.to, "tf32") ? "b32" : now.to->name,
                 now.from->name);
    else
        snprintf(operands, sizeof operands, "%c%u=b%u", to_kind, to_bits, from_bits);
    struct conform_case test = {text, operands, by, .version = "9.1", .target = "sm_100"};
    conform(&test, 1);
}

static void check(const char *modifiers, uint32_t to_bits, uint32_t from_bits)
{
    check_by(reference, modifiers, to_bits, from_bits);
}

static uint32_t at_least_16(uint32_t bits)
{
    return bits < 16 ? 16 : bits;
}

// Between integers

// Truncates to the source's width and extends by its sign; the same for the result.
static uint64_t resized(const struct type *type, uint64_t value)
{
    uint32_t unused = 64 - type->bits;
    return type->kind == 's' ? (uint64_t)((int64_t)(value << unused) >> unused)
                             : cut_to(value, type->bits);
}

static void extend(const uint64_t *in, uint64_t *out)
{
    out[0] = resized(now.to, resized(now.from, in[0]));
}

static bool may_saturate(const struct type *to, const struct type *from)
{
    uint32_t to_digits = to->bits - (to->kind == 's'),
             from_digits = from->bits - (from->kind == 's');
    return from_digits > to_digits || (from->kind == 's' && to->kind == 'u');
}

static void test_integers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 8; k++) {
            now = (struct conversion){.to = &types[i], .from = &types[k], .mode = 'z'};
            check_by(extend, "", now.to->bits, now.from->bits);
            check_by(extend, "", 64, 64);
            if (!may_saturate(now.to, now.from))
                continue;
            check(".sat", now.to->bits, now.from->bits);
            check(".sat", 64, 64);
        }
}

// Floating point to integers

static const char *const roundings[] = {"n", "z", "m", "p"};

static void test_to_integers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 8; k < 12; k++)
            for (uint32_t r = 0; r < 4; r++)
                for (uint32_t ftz = 0; ftz < 2; ftz++) {
                    char modifiers[32];
                    now = (struct conversion){
                        .to = &types[i], .from = &types[k], .mode = *roundings[r], .ftz = ftz};
                    if (ftz && !is_type(now.from, "f32"))
                        continue;
                    snprintf(modifiers, sizeof modifiers, ".r%si%s", roundings[r],
                             ftz ? ".ftz" : "");
                    check(modifiers, now.to->bits, now.from->bits);
                    if (is_type(now.from, "bf16"))
                        continue;
                    strcat(modifiers, ".sat");
                    check(modifiers, 64, k == 11 ? 64 : 32);
                }
}

// Integers to floating point

static void test_from_integers(void **state)
{
    (void)state;
    for (uint32_t i = 8; i < 12; i++)
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t r = 0; r < 4; r++) {
                char modifiers[32];
                now =
                    (struct conversion){.to = &types[i], .from = &types[k], .mode = *roundings[r]};
                snprintf(modifiers, sizeof modifiers, ".r%s", roundings[r]);
                check(modifiers, now.to->bits, at_least_16(now.from->bits));
                if (is_type(now.to, "bf16"))
                    continue;
                now.sat = true;
                strcat(modifiers, is_type(now.to, "f32") ? ".ftz.sat" : ".sat");
                check(modifiers, now.to->bits, 64);
            }
}

// The host rounds integers as IEEE 754 says.
static void host_f32_s64(const uint64_t *in, uint64_t *out)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    volatile int64_t source = (int64_t)in[0];
    float value;
    fesetround(modes[strchr("nzmp", now.mode) - "nzmp"]);
    volatile float rounded = (float)source;
    fesetround(FE_TONEAREST);
    value = rounded;
    memcpy(out, &value, sizeof value);
}

static void host_f32_f64(const uint64_t *in, uint64_t *out)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    double source;
    float value;
    memcpy(&source, in, sizeof source);
    volatile double from = source;
    fesetround(modes[strchr("nzmp", now.mode) - "nzmp"]);
    volatile float rounded = (float)from;
    fesetround(FE_TONEAREST);
    value = rounded;
    memcpy(out, &value, sizeof value);
}

static void test_host(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < 4; r++) {
        char text[2][64];
        snprintf(text[0], sizeof *text, "cvt.r%s.f32.s64 %%d, %%a;", roundings[r]);
        snprintf(text[1], sizeof *text, "cvt.r%s.f32.f64 %%d, %%a;", roundings[r]);
        struct conform_case cases[] = {
            {text[0], "f32=s64", host_f32_s64},
            {text[1], "f32=f64", host_f32_f64},
        };
        now.mode = *roundings[r];
        conform(cases, COUNT(cases));
    }
}

// Between floating-point types. `allowed`: f: .ftz, s: .sat, l: .relu, t: .satfinite.
static void check_floats(const char *to, const char *from, const char *rounding,
                         const char *allowed)
{
    static const char letters[] = "fslt";
    static const char *const words[] = {".ftz", ".sat", ".relu", ".satfinite"};
    uint32_t integral = strlen(rounding) == 4 && rounding[3] == 'i';
    for (uint32_t set = 0; set < 16; set++) {
        char modifiers[64];
        bool fits = (set & 12) == 0 || (set & 3) == 0;
        snprintf(modifiers, sizeof modifiers, "%s", rounding);
        for (uint32_t i = 0; i < 4; i++)
            if (set >> i & 1) {
                fits &= strchr(allowed, letters[i]) != NULL;
                strcat(modifiers, words[i]);
            }
        if (!fits)
            continue;
        now = (struct conversion){.to = type_named(to),
                                  .from = type_named(from),
                                  .mode = *rounding ? rounding[2] : 'n',
                                  .integral = integral,
                                  .ftz = set & 1,
                                  .sat = set & 2,
                                  .relu = set & 4,
                                  .finite = set & 8};
        if (!strcmp(rounding, ".rna"))
            now.mode = 'a';
        check(modifiers, now.to->bits, now.from->bits);
    }
}

static void check_roundings(const char *to, const char *from, const char *allowed)
{
    check_floats(to, from, ".rn", allowed);
    check_floats(to, from, ".rz", allowed);
    check_floats(to, from, ".rm", allowed);
    check_floats(to, from, ".rp", allowed);
}

static void check_integral(const char *type, const char *allowed)
{
    check_floats(type, type, ".rni", allowed);
    check_floats(type, type, ".rzi", allowed);
    check_floats(type, type, ".rmi", allowed);
    check_floats(type, type, ".rpi", allowed);
}

static void test_narrower(void **state)
{
    (void)state;
    check_roundings("f32", "f64", "fs");
    check_roundings("f16", "f64", "s");
    check_roundings("f16", "f32", "fs");
    check_roundings("bf16", "f64", "");
    check_roundings("bf16", "f32", "f");
    check_roundings("bf16", "f16", "");
    check_roundings("f16", "bf16", "");
    check_floats("bf16", "f16", "", "");
    check_floats("f16", "bf16", "", "");
    check_floats("f16", "f32", ".rn", "lt");
    check_floats("f16", "f32", ".rz", "lt");
    check_floats("bf16", "f32", ".rn", "lt");
    check_floats("bf16", "f32", ".rz", "lt");
    check_floats("tf32", "f32", ".rna", "t");
    check_floats("tf32", "f32", ".rn", "lt");
    check_floats("tf32", "f32", ".rz", "lt");
}

static void test_wider(void **state)
{
    (void)state;
    check_floats("f32", "f16", "", "fs");
    check_floats("f64", "f16", "", "s");
    check_floats("f64", "f32", "", "fs");
    check_floats("f32", "bf16", "", "f");
    check_roundings("f32", "bf16", "f");
    check_floats("f64", "bf16", "", "");
    check_roundings("f64", "bf16", "");
}

static void test_integral(void **state)
{
    (void)state;
    check_integral("f16", "s");
    check_integral("bf16", "");
    check_integral("f32", "fs");
    check_integral("f64", "s");
    check_floats("f16", "f16", "", "s");
    check_floats("bf16", "bf16", "", "");
}

// f32 and f64 to themselves: a copy, as in ptxas, unless a modifier changes it.
static void same(const uint64_t *in, uint64_t *out)
{
    out[0] = in[0];
}

static void test_copies(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"cvt.f32.f32 %d, %a;", "f32=f32", same},
        {"cvt.f64.f64 %d, %a;", "f64=f64", same},
    };
    conform(cases, COUNT(cases));
    now = (struct conversion){
        .to = type_named("f32"), .from = type_named("f32"), .mode = 'n', .ftz = true};
    check(".ftz", 32, 32);
    now.sat = true;
    check(".ftz.sat", 32, 32);
    now.ftz = false;
    check(".sat", 32, 32);
    now.to = now.from = type_named("f64");
    check(".sat", 64, 64);
}

// Modifiers in another order; numbers and special registers as sources; results under a guard.

static void reordered(const uint64_t *in, uint64_t *out)
{
    now = (struct conversion){.to = type_named("s32"), .from = type_named("f32"), .mode = 'p'};
    out[0] = converted(&now, in[0]);
    now = (struct conversion){
        .to = type_named("f32"), .from = type_named("f32"), .mode = 'm', .integral = true};
    out[1] = converted(&now, in[0]);
}

static void immediates(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = 0x42300000; // 300 has 8 bits: 44
    out[1] = UINT64_C(0xffffffffffffff80);
}

static void float_immediates(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = UINT64_C(0x3ff8000000000000);
    out[1] = 0x3e00;
}

static void guarded(const uint64_t *in, uint64_t *out)
{
    out[0] = in[2] ? (uint64_t)(int64_t)(int8_t)in[0] : in[1];
}

static void clock_is_read(const uint64_t *in, uint64_t *out)
{
    (void)in;
    out[0] = 1;
}

static void test_operands(void **state)
{
    (void)state;
    static const struct conform_case cases[] = {
        {"cvt.s32.f32.rpi %d, %a; cvt.f32.f32.rmi %e, %a;", "s32,f32=f32", reordered},
        {"cvt.rn.f32.s8 %d, 300; cvt.s64.s8 %e, 128;", "f32,s64=u32", immediates},
        {"cvt.f64.f32 %d, 1.5; cvt.rn.f16.f32 %e, 0f3FC00000;", "f64,f16=u32", float_immediates},
        {"mov.b64 %d, %b; @%c cvt.s8.s32 %d, %a;", "s64=s32,s64,pred", guarded},
        {"{ .reg .pred %p; .reg .b64 %y; cvt.u64.u32 %d, %clock; cvt.u64.u32 %y, %clock;\n"
         "setp.lt.u64 %p, %d, %y; selp.b64 %d, 1, 0, %p; }",
         "u64=u32", clock_is_read},
    };
    conform(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),      cmocka_unit_test(test_to_integers),
        cmocka_unit_test(test_from_integers), cmocka_unit_test(test_host),
        cmocka_unit_test(test_narrower),      cmocka_unit_test(test_wider),
        cmocka_unit_test(test_integral),      cmocka_unit_test(test_copies),
        cmocka_unit_test(test_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
