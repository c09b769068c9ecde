// Approximations: errors are within the manual's bounds, compared with the C library's long double;
// special values are as in its tables; all instruction sets of the host give the same bits.
#include "tests/unit/runtime-sim/kernel.h"
#include <math.h>

enum { COUNT = 1 << 16 };
#define PI 3.14159265358979323846

// Runs `instruction` on COUNT values of %a (and %b), each `bits` wide.
static void run(const char *instruction, uint32_t bits, const uint64_t (*in)[2], uint64_t *out,
                const char *lanes)
{
    char text[1024];
    snprintf(text, sizeof text,
             HEAD("8.6", "sm_100") ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                                   ".reg .b32 %%r<4>; .reg .b64 %%i, %%o, %%x; .reg .b%u %%a, %%b, "
                                   "%%d;\nld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];\n"
                                   "mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%ntid.x; "
                                   "mov.u32 %%r2, %%tid.x; mad.lo.u32 %%r0, %%r0, %%r1, %%r2;\n"
                                   "mul.wide.u32 %%x, %%r0, 16; add.u64 %%i, %%i, %%x;\n"
                                   "mul.wide.u32 %%x, %%r0, 8; add.u64 %%o, %%o, %%x;\n"
                                   "ld.global.b%u %%a, [%%i]; ld.global.b%u %%b, [%%i+8];\n"
                                   "%s\nst.global.b%u [%%o], %%d; ret;\n}\n",
             bits, bits, bits, instruction, bits);
    struct kernel k;
    kernel_load(&k, text, lanes);
    memcpy(kernel_buffer(&k, COUNT * 16), in, COUNT * 16);
    uint64_t *result = kernel_buffer(&k, COUNT * 8);
    kernel_succeeds(&k, "k", COUNT / 256, 256);
    memcpy(out, result, COUNT * 8);
    kernel_free(&k);
}

static uint64_t (*new_values(void))[2]
{
    uint64_t(*values)[2] = calloc(COUNT, sizeof *values);
    assert_non_null(values);
    return values;
}

static void run_all(const char *instruction, uint32_t bits, const uint64_t (*in)[2], uint64_t *out)
{
    run(instruction, bits, in, out, "plain");
    if (!lanes_named("avx2"))
        return;
    uint64_t *other = calloc(COUNT, sizeof *other);
    assert_non_null(other);
    run(instruction, bits, in, other, "avx2");
    for (uint32_t i = 0; i < COUNT; i++)
        if (out[i] != other[i])
            fail_msg("%s of 0x%llx: 0x%llx and 0x%llx", instruction, (unsigned long long)in[i][0],
                     (unsigned long long)out[i], (unsigned long long)other[i]);
    free(other);
}

// Formats

struct format {
    uint32_t bits;
    int digits, min; // of the significand; the least exponent, as frexp counts
};
static const struct format f16 = {16, 11, -13}, bf16 = {16, 8, -125}, f32 = {32, 24, -125},
                           f64 = {64, 53, -1021};

static long double value_of(const struct format *f, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (f->bits - 1),
             fraction = bits & ((UINT64_C(1) << (f->digits - 1)) - 1);
    int power = (int)((bits & (sign - 1)) >> (f->digits - 1));
    int max = (1 << (f->bits - (uint32_t)f->digits)) - 1;
    long double value = (long double)fraction;
    if (power == max)
        value = fraction ? (long double)NAN : HUGE_VALL;
    else
        value = ldexpl(power ? value + ldexpl(1, f->digits - 1) : value,
                       (power ? power : 1) + f->min - f->digits - 1);
    return bits & sign ? -value : value;
}

static long double unit_at(const struct format *f, long double value)
{
    int exponent;
    frexpl(value, &exponent);
    return ldexpl(1, (exponent < f->min ? f->min : exponent) - f->digits);
}

// Errors

static long double quotient(long double a, long double b)
{
    return a / b;
}

static long double reciprocal(long double a, long double b)
{
    (void)b;
    return 1 / a;
}

static long double root(long double a, long double b)
{
    (void)b;
    return sqrtl(a);
}

static long double reciprocal_root(long double a, long double b)
{
    (void)b;
    return 1 / sqrtl(a);
}

static long double sine(long double a, long double b)
{
    (void)b;
    return sinl(a);
}

static long double cosine(long double a, long double b)
{
    (void)b;
    return cosl(a);
}

static long double logarithm(long double a, long double b)
{
    (void)b;
    return log2l(a);
}

static long double power(long double a, long double b)
{
    (void)b;
    return exp2l(a);
}

static long double tangent(long double a, long double b)
{
    (void)b;
    return tanhl(a);
}

struct bound {
    const char *instruction;
    const struct format *format;
    long double (*exact)(long double a, long double b);
    double from, to; // of the magnitude; values have both signs if `both`
    bool both;
    double ulp, relative, absolute; // one of them is enough
};

// 2⁻²⁰·⁵ and so on
#define TWO_TO(power) exp2(power)

static bool within(const struct bound *bound, long double got, long double exact)
{
    long double error = fabsl(got - exact);
    if (isinf(got)) // beyond the largest number, rounded
        return fabsl(exact) >= ldexpl(1, 2 - bound->format->min - 1) * (1 - 1e-7L);
    return error <= bound->ulp * unit_at(bound->format, exact) ||
           error <= bound->relative * fabsl(exact) || error <= bound->absolute;
}

static uint64_t bits_of(const struct format *f, double value)
{
    uint64_t bits = 0, place = UINT64_C(1) << (f->bits - 2);
    for (; place; place >>= 1)
        if (value_of(f, bits | place) <= (long double)value)
            bits |= place;
    return bits;
}

// Checks a bound with values spread evenly over the bit patterns, and so over the magnitudes.
static void check_bound(const struct bound *bound)
{
    const struct format *f = bound->format;
    uint64_t first = bits_of(f, bound->from), last = bits_of(f, bound->to);
    uint64_t(*in)[2] = new_values(), *out = calloc(COUNT, sizeof *out);
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i][0] = first + (uint64_t)((long double)(last - first) * i / (COUNT - 1));
        in[i][1] = first + (uint64_t)((long double)(last - first) * (i * 40503u % COUNT) / COUNT);
        if (bound->both && i & 1)
            in[i][0] |= UINT64_C(1) << (f->bits - 1);
    }
    run_all(bound->instruction, f->bits, (const uint64_t(*)[2])in, out);
    for (uint32_t i = 0; i < COUNT; i++) {
        long double a = value_of(f, in[i][0]), b = value_of(f, in[i][1]);
        if (!within(bound, value_of(f, out[i]), bound->exact(a, b)))
            fail_msg("%s of %.10Lg and %.10Lg: %.10Lg, not %.10Lg", bound->instruction, a, b,
                     value_of(f, out[i]), bound->exact(a, b));
    }
    free(in);
    free(out);
}

static void check_bounds(const struct bound *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_bound(&bounds[i]);
}

#define LARGEST 3.4028234663852886e38
#define MINIMUM 0x1p-126
static void test_division(void **state)
{
    (void)state;
    const struct bound bounds[] = {
        {"rcp.approx.f32 %d, %a;", &f32, reciprocal, 0x1p-128, LARGEST, true, .ulp = 1},
        {"rcp.approx.ftz.f32 %d, %a;", &f32, reciprocal, MINIMUM, 0x1p126, true, .ulp = 1},
        {"sqrt.approx.f32 %d, %a;", &f32, root, 0x1p-149, LARGEST, .relative = 0x1p-23},
        {"sqrt.approx.ftz.f32 %d, %a;", &f32, root, MINIMUM, LARGEST, .relative = 0x1p-23},
        {"rsqrt.approx.f32 %d, %a;", &f32, reciprocal_root, 0x1p-149, LARGEST,
         .relative = TWO_TO(-22.9)},
        {"rsqrt.approx.ftz.f32 %d, %a;", &f32, reciprocal_root, MINIMUM, LARGEST,
         .relative = TWO_TO(-22.9)},
        {"rsqrt.approx.f64 %d, %a;", &f64, reciprocal_root, 0x1p-1074, 0x1p1023, .ulp = 2},
        {"rcp.approx.ftz.f64 %d, %a;", &f64, reciprocal, 0x1p-1022, 0x1p1022, true,
         .relative = 0x1p-19},
        {"rsqrt.approx.ftz.f64 %d, %a;", &f64, reciprocal_root, 0x1p-1022, 0x1p1023,
         .relative = 0x1p-20},
        {"div.full.f32 %d, %a, %b;", &f32, quotient, 0x1p-126, LARGEST, true, .ulp = 2},
        {"div.full.f32 %d, %a, %b;", &f32, quotient, 0x1p-149, 0x1p-126, true, .ulp = 2},
        {"div.full.ftz.f32 %d, %a, %b;", &f32, quotient, 0x1p-62, 0x1p62, true, .ulp = 2},
        {"div.approx.f32 %d, %a, %b;", &f32, quotient, 0x1p-126, 0x1p126, true, .ulp = 2},
        {"div.approx.ftz.f32 %d, %a, %b;", &f32, quotient, 0x1p-62, 0x1p62, true, .ulp = 2},
    };
    check_bounds(bounds, sizeof bounds / sizeof *bounds);
}

static void test_functions(void **state)
{
    (void)state;
    const struct bound bounds[] = {
        {"sin.approx.f32 %d, %a;", &f32, sine, 0, 2 * PI, true, .absolute = TWO_TO(-20.5)},
        {"sin.approx.f32 %d, %a;", &f32, sine, 2 * PI, 100 * PI, true, .absolute = TWO_TO(-14.7)},
        {"sin.approx.ftz.f32 %d, %a;", &f32, sine, 0, 2 * PI, true, .absolute = TWO_TO(-20.5)},
        {"cos.approx.f32 %d, %a;", &f32, cosine, 0, 2 * PI, true, .absolute = TWO_TO(-20.5)},
        {"cos.approx.f32 %d, %a;", &f32, cosine, 2 * PI, 100 * PI, true, .absolute = TWO_TO(-14.7)},
        {"cos.approx.ftz.f32 %d, %a;", &f32, cosine, 0, 2 * PI, true, .absolute = TWO_TO(-20.5)},
        {"lg2.approx.f32 %d, %a;", &f32, logarithm, 0.5, 2, .absolute = 0x1p-22},
        {"lg2.approx.f32 %d, %a;", &f32, logarithm, 0x1p-149, 0.5, .relative = 0x1p-22},
        {"lg2.approx.f32 %d, %a;", &f32, logarithm, 2, LARGEST, .relative = 0x1p-22},
        {"lg2.approx.ftz.f32 %d, %a;", &f32, logarithm, 2, LARGEST, .relative = 0x1p-22},
        {"ex2.approx.f32 %d, %a;", &f32, power, 0, 160, true, .ulp = 2},
        {"ex2.approx.f32 %d, %a;", &f32, power, 0.001, 150, true, .ulp = 2},
        {"ex2.approx.ftz.f32 %d, %a;", &f32, power, 0.001, 126, true, .ulp = 2},
        {"tanh.approx.f32 %d, %a;", &f32, tangent, 0, 20, true, .relative = 0x1p-11},
        {"tanh.approx.f32 %d, %a;", &f32, tangent, 0.01, LARGEST, true, .relative = 0x1p-11},
        {"tanh.approx.f16 %d, %a;", &f16, tangent, 0, 65504, true, .absolute = TWO_TO(-10.987)},
        {"tanh.approx.bf16 %d, %a;", &bf16, tangent, 0, 3e38, true, .absolute = 0x1p-8},
        {"ex2.approx.f16 %d, %a;", &f16, power, 0, 13.9, true, .relative = TWO_TO(-9.9)},
        {"ex2.approx.f16 %d, %a;", &f16, power, 0, 30, true, .relative = TWO_TO(-9.9),
         .absolute = 0x1p-24},
        {"ex2.approx.ftz.bf16 %d, %a;", &bf16, power, 0, 125.9, true, .relative = 0x1p-7},
    };
    check_bounds(bounds, sizeof bounds / sizeof *bounds);
}

// Angles beyond ±100 π: the manual states no error, but a sine stays in [-1, 1].
static void test_large_angles(void **state)
{
    (void)state;
    static const char *const names[] = {"sin.approx.f32 %d, %a;", "cos.approx.f32 %d, %a;"};
    uint64_t(*in)[2] = new_values(), *out = calloc(COUNT, sizeof *out);
    for (uint32_t i = 0; i < COUNT; i++)
        in[i][0] = 0x43800000 + i * 0x3bffu;
    for (size_t k = 0; k < 2; k++) {
        run_all(names[k], 32, (const uint64_t(*)[2])in, out);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(fabsl(value_of(&f32, out[i])) <= 1);
    }
    free(in);
    free(out);
}

// Packed forms give each half the result of the scalar form.
static void test_pairs(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"ex2.approx.f16 %d, %a;", "ex2.approx.f16x2 %d, %a;"},
        {"ex2.approx.ftz.bf16 %d, %a;", "ex2.approx.ftz.bf16x2 %d, %a;"},
        {"tanh.approx.f16 %d, %a;", "tanh.approx.f16x2 %d, %a;"},
        {"tanh.approx.bf16 %d, %a;", "tanh.approx.bf16x2 %d, %a;"},
    };
    uint64_t(*in)[2] = new_values(), *one = calloc(COUNT, sizeof *one),
    *two = calloc(COUNT, sizeof *two);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (uint32_t i = 0; i < COUNT; i++)
            in[i][0] = i;
        run_all(names[k][0], 16, (const uint64_t(*)[2])in, one);
        for (uint32_t i = 0; i < COUNT; i++)
            in[i][0] = i | (uint64_t)(uint16_t)(i * 40503u) << 16;
        run_all(names[k][1], 32, (const uint64_t(*)[2])in, two);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(two[i], one[i] | one[(uint16_t)(i * 40503u)] << 16);
    }
    free(in);
    free(one);
    free(two);
}

// The manual's tables of special values. A NaN stands for that of its format.

#define INF 0x7f800000u
struct special {
    const char *instruction;
    uint32_t bits;
    struct {
        uint64_t in, out;
    } cases[12];
};

#define MINUS 0x80000000u
#define NAN32 0x7fc00000u, 0x7fffffffu
#define HIGH(upper) ((uint64_t)(upper) << 32)
static const struct special specials[] = {
    {"rcp.approx.f32 %d, %a;",
     32,
     {{0xff800000, MINUS}, {MINUS, 0xff800000}, {0, INF}, {INF, 0}, {NAN32}}},
    {"rcp.approx.ftz.f32 %d, %a;",
     32,
     {{0x807fffff, 0xff800000}, {1, INF}, {0x7f000001, 0}, {0xff000001, MINUS}, {NAN32}}},
    {"sqrt.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0x7fffffff},
      {0xbf800000, 0x7fffffff},
      {MINUS, MINUS},
      {0, 0},
      {INF, INF},
      {NAN32}}},
    {"sqrt.approx.ftz.f32 %d, %a;", 32, {{0x80000001, MINUS}, {0x007fffff, 0}, {INF, INF}}},
    {"rsqrt.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0x7fffffff},
      {0xbf800000, 0x7fffffff},
      {MINUS, 0xff800000},
      {0, INF},
      {INF, 0},
      {NAN32}}},
    {"rsqrt.approx.ftz.f32 %d, %a;", 32, {{0x80000001, 0xff800000}, {0x007fffff, INF}}},
    {"sin.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0x7fffffff}, {MINUS, MINUS}, {0, 0}, {INF, 0x7fffffff}, {NAN32}, {1, 1}}},
    {"sin.approx.ftz.f32 %d, %a;", 32, {{0x80000001, MINUS}, {0x007fffff, 0}, {NAN32}}},
    {"cos.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0x7fffffff}, {MINUS, 0x3f800000}, {0, 0x3f800000}, {INF, 0x7fffffff}, {NAN32}}},
    {"cos.approx.ftz.f32 %d, %a;", 32, {{0x80000001, 0x3f800000}, {NAN32}}},
    {"lg2.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0x7fffffff},
      {0xbf800000, 0x7fffffff},
      {MINUS, 0xff800000},
      {0, 0xff800000},
      {INF, INF},
      {NAN32},
      {0x3f800000, 0},
      {1, 0xc3150000}}},
    {"lg2.approx.ftz.f32 %d, %a;", 32, {{0x80000001, 0xff800000}, {0x007fffff, 0xff800000}}},
    {"ex2.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0}, {MINUS, 0x3f800000}, {0, 0x3f800000}, {INF, INF}, {NAN32}, {0xc3150000, 1}}},
    {"ex2.approx.ftz.f32 %d, %a;",
     32,
     {{0x80000001, 0x3f800000}, {0xc2fe0000, 0}, {0xc2fc0000, 0x00800000}, {INF, INF}}},
    {"tanh.approx.f32 %d, %a;",
     32,
     {{0xff800000, 0xbf800000},
      {MINUS, MINUS},
      {0, 0},
      {INF, 0x3f800000},
      {NAN32},
      {1, 1},
      {0x807fffff, 0x807fffff}}},
    {"tanh.approx.f16 %d, %a;",
     16,
     {{0xfc00, 0xbc00}, {0x8000, 0x8000}, {0, 0}, {0x7c00, 0x3c00}, {0xfe00, 0x7fff}, {1, 1}}},
    {"tanh.approx.bf16 %d, %a;",
     16,
     {{0xff80, 0xbf80}, {0x8000, 0x8000}, {0, 0}, {0x7f80, 0x3f80}, {0xffc0, 0x7fff}, {1, 1}}},
    {"ex2.approx.f16 %d, %a;",
     16,
     {{0xfc00, 0}, {0x8000, 0x3c00}, {0, 0x3c00}, {0x7c00, 0x7c00}, {0xfe00, 0x7fff}}},
    {"ex2.approx.ftz.bf16 %d, %a;",
     16,
     {{0xff80, 0},
      {0x8001, 0x3f80},
      {0x8000, 0x3f80},
      {0, 0x3f80},
      {0x7f, 0x3f80},
      {0x7f80, 0x7f80},
      {0xffc0, 0x7fff},
      {0xc2fe, 0}}},
    {"rcp.approx.ftz.f64 %d, %a;",
     64,
     {{HIGH(0xfff00000), HIGH(MINUS)},
      {HIGH(0x800fffff), HIGH(0xfff00000)},
      {HIGH(MINUS), HIGH(0xfff00000)},
      {0, HIGH(0x7ff00000)},
      {HIGH(1), HIGH(0x7ff00000)},
      {HIGH(0x7ff00000), 0},
      {HIGH(0xfff80000), HIGH(0x7fffffff)},
      {HIGH(0x7fe00000), 0x0},
      {HIGH(0x40000000) | 0xffffffff, HIGH(0x3fe00000)}}},
    {"rsqrt.approx.ftz.f64 %d, %a;",
     64,
     {{HIGH(0xfff00000), HIGH(0x7fffffff)},
      {HIGH(0x800fffff), HIGH(0xfff00000)},
      {HIGH(MINUS), HIGH(0xfff00000)},
      {0, HIGH(0x7ff00000)},
      {HIGH(1), HIGH(0x7ff00000)},
      {HIGH(0x7ff00000), 0},
      {HIGH(0xfff80000), HIGH(0x7fffffff)},
      {HIGH(0x40100000) | 0xffffffff, HIGH(0x3fe00000)}}},
    // What PTX before 1.4 wrote without .approx.ftz.
    {"rcp.f32 %d, %a;", 32, {{0x807fffff, 0xff800000}, {0x7f000001, 0}, {0x40000000, 0x3f000000}}},
    {"sqrt.f32 %d, %a;", 32, {{0x007fffff, 0}, {0x40800000, 0x40000000}}},
    {"rsqrt.f32 %d, %a;", 32, {{0x007fffff, INF}, {0x40800000, 0x3f000000}}},
    {"sin.f32 %d, %a;", 32, {{0x807fffff, MINUS}, {0, 0}}},
    {"cos.f32 %d, %a;", 32, {{0x807fffff, 0x3f800000}}},
    {"lg2.f32 %d, %a;", 32, {{0x007fffff, 0xff800000}, {0x41000000, 0x40400000}}},
    {"ex2.f32 %d, %a;", 32, {{0x807fffff, 0x3f800000}, {0xc2fe0000, 0}, {0x40400000, 0x41000000}}},
};

static void test_specials(void **state)
{
    (void)state;
    uint64_t(*in)[2] = new_values(), *out = calloc(COUNT, sizeof *out);
    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
        const struct special *special = &specials[k];
        for (uint32_t i = 0; i < 12; i++)
            in[i][0] = special->cases[i].in;
        run_all(special->instruction, special->bits, (const uint64_t(*)[2])in, out);
        uint32_t count = 12; // without the zeros behind the last case
        while (!special->cases[count - 1].in && !special->cases[count - 1].out)
            count--;
        for (uint32_t i = 0; i < count; i++)
            if (out[i] != special->cases[i].out)
                fail_msg("%s of 0x%llx: 0x%llx, not 0x%llx", special->instruction,
                         (unsigned long long)in[i][0], (unsigned long long)out[i],
                         (unsigned long long)special->cases[i].out);
    }
    free(in);
    free(out);
}

// div.approx: above 2¹²⁶ the divisor's reciprocal is zero.
static void test_quotients(void **state)
{
    (void)state;
    static const struct {
        uint32_t a, b, approx, full, ftz;
    } cases[] = {
        {0x3f800000, 0x7e800001, 0x00000000, 0x007fffff, 0x00000000},
        {0xbf800000, 0x7e800001, 0x80000000, 0x807fffff, 0x80000000},
        {0x7f000000, 0x7f000000, 0x00000000, 0x3f800000, 0x00000000},
        {0x7f800000, 0x7f000000, 0x7fffffff, 0x7f800000, 0x7fffffff},
        {0x7f800000, 0x7f800000, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {0x3f800000, 0xff800000, 0x80000000, 0x80000000, 0x80000000},
        {0x3f800000, 0x00000000, 0x7f800000, 0x7f800000, 0x7f800000},
        {0x00000000, 0x00000000, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {0x7fc00000, 0x3f800000, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {0x3f800000, 0xffc00000, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {0x00000002, 0x00000001, 0x40000000, 0x40000000, 0x7fffffff},
        {0x00800000, 0x40000000, 0x00400000, 0x00400000, 0x00000000},
    };
    enum { ROWS = sizeof cases / sizeof *cases };
    uint64_t(*in)[2] = new_values(), *out = calloc(COUNT, sizeof *out);
    for (uint32_t i = 0; i < ROWS; i++) {
        in[i][0] = cases[i].a;
        in[i][1] = cases[i].b;
    }
    run_all("div.approx.f32 %d, %a, %b;", 32, (const uint64_t(*)[2])in, out);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(out[i], cases[i].approx);
    run_all("div.full.f32 %d, %a, %b;", 32, (const uint64_t(*)[2])in, out);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(out[i], cases[i].full);
    run_all("div.approx.ftz.f32 %d, %a, %b;", 32, (const uint64_t(*)[2])in, out);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(out[i], cases[i].ftz);
    run_all("div.f32 %d, %a, %b;", 32, (const uint64_t(*)[2])in, out);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(out[i], cases[i].ftz);
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division),     cmocka_unit_test(test_functions),
        cmocka_unit_test(test_large_angles), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_specials),     cmocka_unit_test(test_quotients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
