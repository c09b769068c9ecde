// Atomic operations, each compared with a sequence in plain C.
#include "support/random.h"
#include "tests/unit/runtime-sim/kernel.h"
#include <math.h>

enum { THREADS = 96, CELLS = 3, ROOM = 16 };

// References, on bits

typedef uint64_t reference_fn(uint64_t a, uint64_t b, uint64_t c, uint32_t bits);

static uint64_t cut(uint64_t value, uint32_t bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign(uint64_t value, uint32_t bits)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    return (int64_t)((value ^ top) - top);
}

static uint64_t ref_add(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c;
    return cut(a + b, bits);
}

static uint64_t ref_inc(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return a < b ? a + 1 : 0;
}

static uint64_t ref_dec(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    if (a != 0 && a <= b)
        return a - 1;
    return b;
}

static uint64_t ref_umin(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return b < a ? b : a;
}

static uint64_t ref_umax(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return b > a ? b : a;
}

static uint64_t ref_smin(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c;
    return sign(b, bits) < sign(a, bits) ? b : a;
}

static uint64_t ref_smax(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c;
    return sign(b, bits) > sign(a, bits) ? b : a;
}

static uint64_t ref_and(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return ~(~a | ~b);
}

static uint64_t ref_or(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c;
    return cut(~(~a & ~b), bits);
}

static uint64_t ref_xor(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return (a | b) - (a & b);
}

static uint64_t ref_exch(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)a, (void)c, (void)bits;
    return b;
}

static uint64_t ref_cas(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)bits;
    return a == b ? c : a;
}

// f32 through double: rounding a sum of two numbers once more does no harm.
static uint64_t sum_32(uint64_t a, uint64_t b, bool flush)
{
    uint32_t in[2] = {(uint32_t)a, (uint32_t)b}, out;
    double x[2];
    for (int i = 0; i < 2; i++) {
        float one;
        memcpy(&one, &in[i], 4);
        x[i] = (double)one;
        if (flush && fabs(x[i]) < 0x1p-126)
            x[i] = copysign(0, x[i]);
    }
    float sum = (float)(x[0] + x[1]);
    if (isnan(sum))
        return 0x7fffffff;
    if (flush && fabsf(sum) < 0x1p-126f)
        sum = copysignf(0, sum);
    memcpy(&out, &sum, 4);
    return out;
}

static uint64_t ref_f32(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return sum_32(a, b, false);
}

static uint64_t ref_f32_ftz(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    (void)c, (void)bits;
    return sum_32(a, b, true);
}

static uint64_t ref_f64(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)
{
    long double sum;
    double x, y, d;
    (void)c, (void)bits;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    sum = (long double)x + (long double)y; // the tests' numbers have few digits
    d = (double)sum;
    memcpy(&a, &d, 8);
    return a;
}

// Half precision: numbers as digits, rounded by looking at all of them

static double half_number(uint32_t half, bool brain)
{
    int digits = brain ? 7 : 10, bias = brain ? 127 : 15;
    int exponent = (int)(half >> digits & (brain ? 0xff : 0x1f));
    double fraction = half & ((1u << digits) - 1), value;
    if (exponent == (brain ? 0xff : 0x1f))
        value = fraction != 0 ? NAN : INFINITY;
    else
        value = exponent ? ldexp(fraction + (1 << digits), exponent - bias - digits)
                         : ldexp(fraction, 1 - bias - digits);
    return half & 0x8000 ? -value : value;
}

static uint32_t half_nearest(double value, bool brain)
{
    uint32_t best = 0, infinite = brain ? 0x7f80 : 0x7c00;
    double magnitude = fabs(value), distance = INFINITY;
    if (isnan(value))
        return 0x7fff;
    if (isinf(value))
        return infinite | (value < 0 ? 0x8000 : 0);
    for (uint32_t i = 0; i <= infinite; i++) {
        // Infinity stands where the next number would be.
        double one = i < infinite ? half_number(i, brain)
                                  : 2 * half_number(infinite - (brain ? 0x80 : 0x400), brain);
        double d = fabs(one - magnitude);
        if (d < distance || (d == distance && !(i & 1))) {
            best = i;
            distance = d;
        }
    }
    return best | (signbit(value) ? 0x8000 : 0);
}

static uint32_t half_ref(char op, uint32_t a, uint32_t b, bool brain)
{
    double x = half_number(a, brain), y = half_number(b, brain);
    if (op == '+')
        return half_nearest(x + y, brain);
    if (isnan(x) && isnan(y))
        return 0x7fff;
    if (isnan(x) || isnan(y))
        return isnan(x) ? b : a;
    if (x == y) // zeros of both signs
        return (op == '<') == !!(a & 0x8000) ? a : b;
    return (x < y) == (op == '<') ? a : b;
}

#define HALF_REF(name, op, brain)                                                                  \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint32_t bits)                        \
    {                                                                                              \
        (void)c;                                                                                   \
        uint64_t low = half_ref(op, a & 0xffff, b & 0xffff, brain);                                \
        return bits == 16 ? low                                                                    \
                          : low | (uint64_t)half_ref(op, a >> 16 & 0xffff, b >> 16, brain) << 16;  \
    }
HALF_REF(ref_add_f16, '+', false)
HALF_REF(ref_add_bf16, '+', true)
HALF_REF(ref_min_f16, '<', false)
HALF_REF(ref_max_f16, '>', false)
HALF_REF(ref_min_bf16, '<', true)
HALF_REF(ref_max_bf16, '>', true)

// Kinds of operands.
enum values { ANY, SMALL, FLOAT32, FLOAT64, HALVES, BRAINS };

static const struct {
    const char *words; // behind the space
    uint32_t bits, elements;
    uint8_t values;
    reference_fn *ref, *global; // NULL: the same in global memory
} cases[] = {
    {"add.u32", 32, 1, ANY, ref_add, NULL},
    {"add.s32", 32, 1, ANY, ref_add, NULL},
    {"add.u64", 64, 1, ANY, ref_add, NULL},
    {"add.f32", 32, 1, FLOAT32, ref_f32, ref_f32_ftz},
    {"add.f64", 64, 1, FLOAT64, ref_f64, NULL},
    {"add.noftz.f16", 16, 1, HALVES, ref_add_f16, NULL},
    {"add.noftz.f16x2", 32, 1, HALVES, ref_add_f16, NULL},
    {"add.noftz.bf16", 16, 1, BRAINS, ref_add_bf16, NULL},
    {"add.noftz.bf16x2", 32, 1, BRAINS, ref_add_bf16, NULL},
    {"inc.u32", 32, 1, SMALL, ref_inc, NULL},
    {"dec.u32", 32, 1, SMALL, ref_dec, NULL},
    {"min.u32", 32, 1, ANY, ref_umin, NULL},
    {"max.u32", 32, 1, ANY, ref_umax, NULL},
    {"min.s32", 32, 1, ANY, ref_smin, NULL},
    {"max.s32", 32, 1, ANY, ref_smax, NULL},
    {"min.u64", 64, 1, ANY, ref_umin, NULL},
    {"max.u64", 64, 1, ANY, ref_umax, NULL},
    {"min.s64", 64, 1, ANY, ref_smin, NULL},
    {"max.s64", 64, 1, ANY, ref_smax, NULL},
    {"and.b32", 32, 1, ANY, ref_and, NULL},
    {"or.b32", 32, 1, ANY, ref_or, NULL},
    {"xor.b32", 32, 1, ANY, ref_xor, NULL},
    {"and.b64", 64, 1, ANY, ref_and, NULL},
    {"or.b64", 64, 1, ANY, ref_or, NULL},
    {"xor.b64", 64, 1, ANY, ref_xor, NULL},
    {"exch.b32", 32, 1, ANY, ref_exch, NULL},
    {"exch.b64", 64, 1, ANY, ref_exch, NULL},
    {"cas.b16", 16, 1, SMALL, ref_cas, NULL},
    {"cas.b32", 32, 1, SMALL, ref_cas, NULL},
    {"cas.b64", 64, 1, SMALL, ref_cas, NULL},
    {"add.v2.f32", 32, 2, FLOAT32, NULL, ref_f32_ftz},
    {"add.v4.f32", 32, 4, FLOAT32, NULL, ref_f32_ftz},
    {"add.noftz.v8.f16", 16, 8, HALVES, NULL, ref_add_f16},
    {"min.noftz.v4.f16", 16, 4, HALVES, NULL, ref_min_f16},
    {"max.noftz.v2.bf16", 16, 2, BRAINS, NULL, ref_max_bf16},
    {"min.noftz.v8.bf16", 16, 8, BRAINS, NULL, ref_min_bf16},
    {"max.noftz.v4.f16x2", 32, 4, HALVES, NULL, ref_max_f16},
    {"add.noftz.v2.bf16x2", 32, 2, BRAINS, NULL, ref_add_bf16},
};

static uint64_t random_value(uint64_t *state, uint8_t values, uint32_t bits)
{
    static const uint32_t floats[] = {0,          0x80000000, 1,          0x80000003, 0x007fffff,
                                      0x00800000, 0x80800000, 0x7f7fffff, 0x3f800000, 0x34000001};
    static const uint16_t halves[] = {0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0x3c01, 0xbc00};
    static const uint16_t brains[] = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0x3f81, 0xbf80};
    uint64_t any = splitmix64(state);
    double d;
    switch (values) {
    case SMALL: return any % 6;
    case FLOAT32: return any & 1 ? floats[(any >> 1) % 10] : (any >> 8 & 0x83ffffff) | 0x3c000000;
    case FLOAT64:
        d = (double)(int32_t)any * 0x1p-7;
        memcpy(&any, &d, 8);
        return any;
    case HALVES:
    case BRAINS: {
        const uint16_t *edges = values == HALVES ? halves : brains;
        uint64_t low = any & 1 ? edges[(any >> 1) % 9] : any >> 8 & 0xffff;
        uint64_t high = any & 2 ? edges[(any >> 3) % 9] : any >> 24 & 0xffff;
        return cut(low | high << 16, bits);
    }
    default: return cut(any, bits);
    }
}

static void vector(char *to, size_t size, const char *reg, uint32_t first, uint32_t elements)
{
    size_t n = 0;
    if (elements == 1) {
        snprintf(to, size, "%s%u", reg, first);
        return;
    }
    for (uint32_t i = 0; i < elements; i++)
        n += (size_t)snprintf(to + n, size - n, "%s%s%u", i ? ", " : "{", reg, first + i);
    snprintf(to + n, size - n, "}");
}

// Writes a kernel in which thread i updates cell i % CELLS with its own b and c. The old value goes
// to its result; with `red` nothing is returned.
static void write_kernel(char *text, size_t size, uint32_t n, const char *space, bool red)
{
    uint32_t bits = cases[n].bits, elements = cases[n].elements;
    bool three = !strncmp(cases[n].words, "cas", 3), shared = strstr(space, "shared") != NULL;
    const char *reg = bits == 16 ? "%h" : bits == 32 ? "%r" : "%rd";
    char d[128], b[128], c[128], op[1024], to[256] = "", values[512] = "", results[512] = "";
    vector(d, sizeof d, reg, 20, elements);
    vector(b, sizeof b, reg, 30, elements);
    vector(c, sizeof c, reg, 40, elements);
    for (uint32_t e = 0; e < elements; e++) {
        char one[200];
        snprintf(one, sizeof one,
                 "ld.global.b%u %s%u, [%%rd5+%u]; ld.global.b%u %s%u, [%%rd6+%u];\n", bits, reg,
                 30 + e, e * bits / 8, bits, reg, 40 + e, e * bits / 8);
        strcat(values, one);
        snprintf(one, sizeof one, "st.global.b%u [%%rd7+%u], %s%u;\n", bits, e * bits / 8, reg,
                 20 + e);
        if (!red)
            strcat(results, one);
    }
    if (!red)
        snprintf(to, sizeof to, "%s, ", d);
    snprintf(op, sizeof op, "%s%s.%s %s[%s], %s%s%s;\n", red ? "red" : "atom", space,
             cases[n].words, to, shared ? "%rd9" : "%rd8", b, three ? ", " : "", three ? c : "");
    snprintf(text, size,
             HEAD("8.6", "sm_90") ".shared .align 16 .b8 s[64];\n"
                                  ".entry k(.param .u64 cells, .param .u64 b, .param .u64 c, "
                                  ".param .u64 out)\n{\n"
                                  ".reg .b16 %%h<50>; .reg .b32 %%r<50>; .reg .b64 %%rd<50>;\n"
                                  ".reg .pred %%p<3>;\n"
                                  "ld.param.u64 %%rd1, [cells]; ld.param.u64 %%rd2, [b];\n"
                                  "ld.param.u64 %%rd3, [c]; ld.param.u64 %%rd4, [out];\n"
                                  "mov.u32 %%r1, %%tid.x; mov.u32 %%r3, %%ctaid.x; mad.lo.u32 "
                                  "%%r1, %%r3, 32, %%r1;\n"
                                  "mul.wide.u32 %%rd10, %%r1, 16;\n"
                                  "add.u64 %%rd5, %%rd2, %%rd10; add.u64 %%rd6, %%rd3, %%rd10;\n"
                                  "add.u64 %%rd7, %%rd4, %%rd10; rem.u32 %%r2, %%r1, 3;\n"
                                  "mul.wide.u32 %%rd11, %%r2, 16; add.u64 %%rd8, %%rd1, %%rd11;\n"
                                  "mov.u64 %%rd9, s; add.u64 %%rd9, %%rd9, %%rd11;\n"
                                  "ld.global.v2.b64 {%%rd12, %%rd13}, [%%rd8];\n"
                                  "setp.lt.u32 %%p1, %%r1, 3;\n"
                                  "@%%p1 st.shared.v2.b64 [%%rd9], {%%rd12, %%rd13};\n%s"
                                  "bar.sync 0;\n%s%s"
                                  "bar.sync 0; ld.shared.v2.b64 {%%rd12, %%rd13}, [%%rd9];\n"
                                  "%sst.global.v2.b64 [%%rd8], {%%rd12, %%rd13};\nret;\n}\n",
             values, op, results, shared ? "@%p1 " : "ret; ");
}

static void check_case(uint32_t n, const char *space, bool red, const char *lanes)
{
    uint32_t bits = cases[n].bits, elements = cases[n].elements;
    bool shared = strstr(space, "shared") != NULL;
    reference_fn *ref = !shared && cases[n].global ? cases[n].global : cases[n].ref;
    char text[8192];
    struct kernel k;
    write_kernel(text, sizeof text, n, space, red);
    kernel_load(&k, text, lanes);
    uint8_t *cells = kernel_buffer(&k, CELLS * ROOM), expected[CELLS * ROOM] = {0};
    uint8_t *b = kernel_buffer(&k, THREADS * ROOM), *c = kernel_buffer(&k, THREADS * ROOM);
    uint8_t *out = kernel_buffer(&k, THREADS * ROOM);
    uint64_t state = n;
    for (uint32_t i = 0; i < THREADS * elements; i++) {
        uint64_t at = i / elements * ROOM + i % elements * bits / 8;
        uint64_t value[3];
        for (uint32_t v = 0; v < 3; v++)
            value[v] = random_value(&state, cases[n].values, bits);
        memcpy(b + at, &value[0], bits / 8);
        memcpy(c + at, &value[1], bits / 8);
        if (i / elements < CELLS)
            memcpy(cells + at, &value[2], bits / 8);
    }
    memcpy(expected, cells, sizeof expected);
    // A warp after the other; what CTAs have in shared memory is their own.
    kernel_succeeds(&k, "k", shared ? 1 : THREADS / 32, 32);
    for (uint32_t i = 0; i < (shared ? 32 : THREADS) * elements; i++) {
        uint32_t thread = i / elements, part = i % elements * bits / 8;
        uint8_t *cell = expected + thread % CELLS * ROOM + part;
        uint64_t x = 0, y = 0, z = 0, found = 0;
        memcpy(&x, cell, bits / 8);
        memcpy(&y, b + thread * ROOM + part, bits / 8);
        memcpy(&z, c + thread * ROOM + part, bits / 8);
        memcpy(&found, out + thread * ROOM + part, bits / 8);
        if (!red && found != x)
            fail_msg("atom%s.%s, thread %u: read %#llx, not %#llx", space, cases[n].words, thread,
                     (unsigned long long)found, (unsigned long long)x);
        x = ref(x, y, z, bits);
        memcpy(cell, &x, bits / 8);
    }
    if (memcmp(cells, expected, sizeof expected))
        fail_msg("%s%s.%s: memory differs", red ? "red" : "atom", space, cases[n].words);
    kernel_free(&k);
}

static void test_operations(void **state)
{
    kernel_needs_order();
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool whole = cases[i].elements == 1;
        bool red =
            strncmp(cases[i].words, "cas", 3) != 0 && strncmp(cases[i].words, "exch", 4) != 0;
        check_case(i, ".global", false, NULL);
        check_case(i, ".acquire.cta.global", false, "plain");
        check_case(i, "", false, NULL);
        if (whole) {
            check_case(i, ".shared", false, NULL);
            check_case(i, ".acq_rel.cluster.shared::cta", false, NULL);
        }
        if (red) {
            check_case(i, ".relaxed.sys.global", true, NULL);
            if (whole)
                check_case(i, ".shared", true, NULL);
        }
    }
}

// Of two NaNs the one in memory is the result, made quiet. A NaN from infinities is always
// negative, as the host generates it.
static void test_not_a_number(void **state)
{
    static const uint64_t inf = UINT64_C(0x7ff) << 52, sign = UINT64_C(1) << 63,
                          quiet = UINT64_C(1) << 51;
    const uint64_t rows[][3] = {
        {inf, sign | inf, sign | inf | quiet},
        {sign | inf, inf, sign | inf | quiet},
        {inf | 5, 0, inf | quiet | 5},
        {0, sign | inf | 6, sign | inf | quiet | 6},
        {inf | 7, sign | inf | 8, inf | quiet | 7},
        {sign | inf | 9, inf | quiet | 10, sign | inf | quiet | 9},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct kernel k;
    (void)state;
    kernel_load(&k,
                HEAD("8.6", "sm_90") ".entry k(.param .u64 rows)\n{ .reg .b64 %rd<4>;\n"
                                     ".reg .b32 %r<2>;\nld.param.u64 %rd0, [rows];\n"
                                     "mov.u32 %r0, %tid.x; mad.wide.u32 %rd0, %r0, 16, %rd0;\n"
                                     "ld.global.b64 %rd1, [%rd0+8];\n"
                                     "red.global.add.f64 [%rd0], %rd1; ret;\n}\n",
                NULL);
    uint64_t *cells = kernel_buffer(&k, 16 * ROWS);
    for (uint32_t i = 0; i < ROWS; i++)
        memcpy(cells + 2 * i, rows[i], 16);
    kernel_succeeds(&k, "k", 1, ROWS);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(cells[2 * i], rows[i][2]);
    kernel_free(&k);
}

static void test_128_bits(void **state)
{
    (void)state;
    struct kernel k;
    kernel_load(
        &k,
        HEAD("8.4", "sm_90") ".entry k(.param .u64 cell, .param .u64 out)\n{\n"
                             ".reg .b32 %r<4>; .reg .b64 %rd<20>; .reg .b128 %q<8>;\n"
                             "ld.param.u64 %rd1, [cell]; ld.param.u64 %rd2, [out];\n"
                             "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 16;\n"
                             "add.u64 %rd4, %rd2, %rd3; cvt.u64.u32 %rd5, %r1;\n"
                             "add.u64 %rd6, %rd5, 1; not.b64 %rd7, %rd5; not.b64 %rd8, %rd6;\n"
                             "mov.b128 %q1, {%rd5, %rd7}; mov.b128 %q2, {%rd6, %rd8};\n"
                             "atom.global.cas.b128 %q3, [%rd1], %q1, %q2;\n"
                             "st.global.b128 [%rd4], %q3;\n"
                             "atom.global.exch.b128 %q4, [%rd1+16], %q1;\n"
                             "st.global.b128 [%rd4+512], %q4; ret;\n}\n",
        NULL);
    uint64_t *cell = kernel_buffer(&k, 32), *out = kernel_buffer(&k, 1024);
    cell[1] = UINT64_MAX;
    kernel_succeeds(&k, "k", 1, 32);
    for (uint64_t i = 0; i < 32; i++) {
        assert_int_equal(out[2 * i], i);
        assert_int_equal(out[2 * i + 1], ~i);
        assert_int_equal(out[64 + 2 * i], i ? i - 1 : 0);
        assert_int_equal(out[64 + 2 * i + 1], i ? ~(i - 1) : 0);
    }
    assert_int_equal(cell[0], 32);
    assert_int_equal(cell[1], ~UINT64_C(32));
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_128_bits),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
