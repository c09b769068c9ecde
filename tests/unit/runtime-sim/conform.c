#include "tests/unit/runtime-sim/conform.h"
#include "support/random.h"
#include <ctype.h>
#include <math.h>

struct operand {
    char type[8];
    uint32_t bits;
    bool is_float, is_signed;
};

struct trial {
    const struct conform_case *test;
    struct operand result[CONFORM_RESULTS], source[CONFORM_SOURCES];
    uint32_t results, sources;
    uint64_t (*in)[CONFORM_SOURCES];
    char ptx[4096];
};

static const char *const source_names[] = {"%a", "%b", "%c", "%g"};
static const char *const result_names[] = {"%d", "%e"};

uint64_t conform_random(uint64_t *state)
{
    return splitmix64(state);
}

// Types

static struct operand read_operand(const char **at)
{
    struct operand operand = {0};
    size_t length = strcspn(*at, ",=");
    assert_true(length && length < sizeof operand.type);
    memcpy(operand.type, *at, length);
    *at += length;
    const char *digits = operand.type;
    while (*digits && !isdigit((unsigned char)*digits))
        digits++;
    operand.bits = !strcmp(operand.type, "pred") ? 1 : (uint32_t)atoi(digits);
    bool pair = strstr(operand.type, "x2") != NULL;
    operand.bits *= pair ? 2 : 1;
    operand.is_float = operand.type[0] == 'f' || operand.type[1] == 'f';
    operand.is_signed = operand.type[0] == 's';
    return operand;
}

static void read_types(struct trial *t)
{
    const char *at = t->test->types;
    while (*at && *at != '=') {
        t->result[t->results++] = read_operand(&at);
        at += *at == ',';
    }
    while (*at) {
        at++;
        t->source[t->sources++] = read_operand(&at);
    }
}

// Values

static const uint64_t edges_integer[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256};

static uint64_t edge_float(uint32_t bits, uint64_t n)
{
    static const uint64_t f32[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                   0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000,
                                   0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x4b000000,
                                   0x4b000001, 0x3f000000, 0x4f000000, 0xcf000000, 0x5f000000,
                                   0x40490fdb, 0x3effffff, 0xbf000000, 0x7fffffff, 0x4effffff};
    static const uint64_t f64[] = {0,
                                   UINT64_C(1) << 63,
                                   1,
                                   UINT64_C(0x000fffffffffffff),
                                   UINT64_C(0x0010000000000000),
                                   UINT64_C(0x8010000000000000),
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0xbff0000000000000),
                                   UINT64_C(0x3fefffffffffffff),
                                   UINT64_C(0x7fefffffffffffff),
                                   UINT64_C(0xffefffffffffffff),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0xfff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0x7ff0000000000001),
                                   UINT64_C(0x43e0000000000000),
                                   UINT64_C(0xc3e0000000000000),
                                   UINT64_C(0x41dfffffffc00000),
                                   UINT64_C(0x3fe0000000000000),
                                   UINT64_C(0x47efffffe0000000),
                                   UINT64_C(0x47effffff0000000),
                                   UINT64_C(0x3810000000000000),
                                   UINT64_C(0x36a0000000000000)};
    static const uint64_t f16[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                   0x3bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12,
                                   0x3800, 0x7f7f, 0x7f80, 0xff80, 0x0080, 0x007f, 0x3f80, 0xbf80};
    if (bits == 32)
        return f32[n % (sizeof f32 / sizeof *f32)];
    if (bits == 64)
        return f64[n % (sizeof f64 / sizeof *f64)];
    return f16[n % (sizeof f16 / sizeof *f16)];
}

static uint64_t cut(uint64_t value, uint32_t bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t edge_integer(uint32_t bits, uint64_t n)
{
    uint64_t count = sizeof edges_integer / sizeof *edges_integer;
    uint64_t top = UINT64_C(1) << (bits - 1);
    uint64_t more[] = {top, top - 1, top + 1, ~UINT64_C(0), ~UINT64_C(1), 0x8000, 0x7fff, 0xffff};
    n %= count + sizeof more / sizeof *more;
    return n < count ? edges_integer[n] : more[n - count];
}

// Returns a random number, spread over all powers of two.
static uint64_t spread(uint64_t *state, const struct operand *operand)
{
    uint64_t value = conform_random(state);
    if (operand->is_float)
        return value;
    uint64_t shift = conform_random(state) % operand->bits;
    value >>= 64 - operand->bits + shift;
    return operand->is_signed && conform_random(state) & 1 ? 0 - value : value;
}

// Returns floating-point numbers with close exponents, which cancel and round.
static uint64_t close_float(uint64_t *state, uint32_t bits)
{
    uint64_t value = conform_random(state), exponent = conform_random(state) % 30;
    if (bits == 32)
        return (value & 0x807fffff) | (112 + exponent) << 23;
    if (bits == 64)
        return (value & UINT64_C(0x800fffffffffffff)) | (1008 + exponent) << 52;
    return value;
}

static uint64_t make_value(uint64_t *state, const struct operand *operand, uint32_t flags,
                           uint32_t place, uint32_t tuple)
{
    uint64_t kind = conform_random(state) % 4;
    if (operand->bits == 1)
        return conform_random(state) & 1;
    if (!strcmp(operand->type, "f32x2")) {
        struct operand one = {.type = "f32", .bits = 32, .is_float = true};
        uint64_t lower = make_value(state, &one, flags, place, tuple) & UINT32_MAX;
        return lower | make_value(state, &one, flags, place, tuple + 7) << 32;
    }
    if (tuple < 1024 || kind == 0) {
        uint64_t n = tuple < 1024 ? (place & 1 ? tuple / 32 : tuple) : conform_random(state);
        uint64_t low = operand->is_float
                           ? edge_float(strstr(operand->type, "x2") ? 16 : operand->bits, n)
                           : edge_integer(operand->bits, n);
        if (strstr(operand->type, "x2"))
            low |= edge_float(16, conform_random(state)) << 16;
        return low;
    }
    if (flags & CONFORM_SMALL && place && kind < 3)
        return conform_random(state) % (operand->bits + 8);
    if (operand->is_float && kind < 3)
        return close_float(state, operand->bits);
    return spread(state, operand);
}

uint64_t conform_bits(uint64_t *state, uint32_t bits)
{
    uint64_t kind = conform_random(state) % 3;
    struct operand operand = {.bits = bits, .is_float = kind > 0};
    if (kind == 2 && bits == 32)
        memcpy(operand.type, "f16x2", sizeof "f16x2");
    return cut(make_value(state, &operand, 0, 0, CONFORM_TUPLES), bits);
}

static void make_values(struct trial *t)
{
    uint64_t state = 1;
    t->in = calloc(CONFORM_TUPLES, sizeof *t->in);
    for (uint32_t i = 0; i < CONFORM_TUPLES; i++)
        for (uint32_t k = 0; k < t->sources; k++)
            t->in[i][k] =
                cut(make_value(&state, &t->source[k], t->test->flags, k, i), t->source[k].bits);
}

// The kernel, with 8 bytes for each source and each result of a thread

static uint32_t register_bits(const struct operand *operand)
{
    return operand->bits < 16 ? 16 : operand->bits;
}

static char *put(char *at, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *put(char *at, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    at += vsprintf(at, format, list);
    va_end(list);
    return at;
}

static void write_kernel(struct trial *t)
{
    const struct conform_case *test = t->test;
    char *at = t->ptx;
    at = put(at, ".version %s\n.target %s\n.address_size 64\n",
             test->version ? test->version : "9.0", test->target ? test->target : "sm_90");
    at = put(at, ".entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%t<4>; .reg .b64 "
                 "%%i, %%o, %%x<4>;\n");
    for (uint32_t i = 0; i < t->sources; i++)
        at = t->source[i].bits == 1
                 ? put(at, ".reg .pred %s;\n", source_names[i])
                 : put(at, ".reg .b%u %s;\n", register_bits(&t->source[i]), source_names[i]);
    for (uint32_t i = 0; i < t->results; i++)
        at = t->result[i].bits == 1
                 ? put(at, ".reg .pred %s;\n", result_names[i])
                 : put(at, ".reg .b%u %s;\n", register_bits(&t->result[i]), result_names[i]);
    at = put(at,
             "ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out];\n"
             "mov.u32 %%t0, %%ctaid.x; mov.u32 %%t1, %%ntid.x; mov.u32 %%t2, %%tid.x;\n"
             "mad.lo.u32 %%t0, %%t0, %%t1, %%t2;\n"
             "mul.wide.u32 %%x0, %%t0, %u; add.u64 %%i, %%i, %%x0;\n"
             "mul.wide.u32 %%x0, %%t0, %u; add.u64 %%o, %%o, %%x0;\n",
             8 * CONFORM_SOURCES, 8 * CONFORM_RESULTS);
    for (uint32_t i = 0; i < t->sources; i++)
        at = t->source[i].bits == 1
                 ? put(at, "ld.global.u32 %%t3, [%%i+%u]; setp.ne.u32 %s, %%t3, 0;\n", 8 * i,
                       source_names[i])
                 : put(at, "ld.global.b%u %s, [%%i+%u];\n", register_bits(&t->source[i]),
                       source_names[i], 8 * i);
    at = put(at, "%s\n", test->instruction);
    for (uint32_t i = 0; i < t->results; i++)
        at = t->result[i].bits == 1
                 ? put(at, "mov.u32 %%t3, 0; @%s mov.u32 %%t3, 1; st.global.u32 [%%o+%u], %%t3;\n",
                       result_names[i], 8 * i)
                 : put(at, "st.global.b%u [%%o+%u], %s;\n", register_bits(&t->result[i]), 8 * i,
                       result_names[i]);
    put(at, "ret;\n}\n");
}

// Comparing

static bool is_nan(uint64_t bits, const struct operand *operand)
{
    if (!operand->is_float)
        return false;
    if (operand->bits == 64)
        return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    if (operand->bits == 32 && !strstr(operand->type, "x2"))
        return (bits & INT32_MAX) > 0x7f800000;
    return operand->type[0] == 'b' ? (bits & 0x7fff) > 0x7f80 : (bits & 0x7fff) > 0x7c00;
}

static double as_double(uint64_t bits, const struct operand *operand)
{
    double wide;
    float narrow;
    if (operand->bits == 64) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
}

static bool close_enough(const struct conform_case *test, const struct operand *operand,
                         uint64_t got, uint64_t expected)
{
    double x = as_double(got, operand), y = as_double(expected, operand);
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y) || (!test->ulp && test->absolute == 0.0))
        return false;
    int exponent;
    frexp(y, &exponent);
    int digits = operand->bits == 64 ? 53 : 24, min = operand->bits == 64 ? -1021 : -125;
    double unit = ldexp(1, (exponent < min ? min : exponent) - digits);
    return fabs(x - y) <= test->ulp * unit || fabs(x - y) <= test->absolute;
}

static bool same(const struct conform_case *test, const struct operand *operand, uint64_t got,
                 uint64_t expected)
{
    if (got == expected)
        return true;
    if (test->flags & CONFORM_ANY_NAN && is_nan(got, operand) && is_nan(expected, operand))
        return true;
    uint64_t magnitude = cut(~UINT64_C(0), operand->bits - 1);
    if (test->flags & CONFORM_ZERO_SIGN && !(got & magnitude) && !(expected & magnitude))
        return true;
    return operand->is_float && operand->bits >= 32 && close_enough(test, operand, got, expected);
}

static bool check_result(const struct trial *t, const uint64_t (*out)[CONFORM_RESULTS],
                         const char *lanes)
{
    for (uint32_t i = 0; i < CONFORM_TUPLES; i++) {
        uint64_t expected[CONFORM_RESULTS] = {0};
        t->test->reference(t->in[i], expected);
        for (uint32_t k = 0; k < t->results; k++) {
            uint64_t got = cut(out[i][k], t->result[k].bits);
            if (same(t->test, &t->result[k], got, cut(expected[k], t->result[k].bits)))
                continue;
            print_error("%s (%s), lanes %s: %s =", t->test->instruction, t->test->types, lanes,
                        result_names[k]);
            print_error(" 0x%llx, expected 0x%llx, of", (unsigned long long)got,
                        (unsigned long long)cut(expected[k], t->result[k].bits));
            for (uint32_t s = 0; s < t->sources; s++)
                print_error(" 0x%llx", (unsigned long long)t->in[i][s]);
            print_error("\n");
            return false;
        }
    }
    return true;
}

static bool run(struct trial *t, const char *lanes)
{
    struct kernel k;
    if (!lanes_named(lanes))
        return true;
    kernel_load(&k, t->ptx, lanes);
    void *in = kernel_buffer(&k, sizeof *t->in * CONFORM_TUPLES);
    void *out = kernel_buffer(&k, 8 * CONFORM_RESULTS * CONFORM_TUPLES);
    memcpy(in, t->in, sizeof *t->in * CONFORM_TUPLES);
    kernel_succeeds(&k, "k", CONFORM_TUPLES / 64, 64);
    bool good = check_result(t, out, lanes);
    kernel_free(&k);
    return good;
}

void conform(const struct conform_case *cases, size_t count)
{
    uint32_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct trial t = {.test = &cases[i]};
        read_types(&t);
        make_values(&t);
        write_kernel(&t);
        failed += !run(&t, "plain") || !run(&t, "avx2");
        free(t.in);
    }
    assert_int_equal(failed, 0);
}
