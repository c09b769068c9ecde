// Products of matrices, compared with whole matrices: the manual's formulas give the place of each
// element of a fragment; they are inverted here to give the lane that holds each element of a
// matrix, and the product is computed element by element.
#include "tests/unit/runtime-sim/numbers.h"
#include <fenv.h>

#define PROLOGUE                                                                                   \
    ".reg .b32 %%r<40>; .reg .b64 %%rd<16>; .reg .pred %%p<4>;\n"                                  \
    "ld.param.u64 %%rd0, [in]; ld.param.u64 %%rd1, [out];\n"                                       \
    "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ntid.x; mov.u32 %%r2, %%ctaid.x;\n"                    \
    "mad.lo.u32 %%r0, %%r1, %%r2, %%r0;\n"                                                         \
    "mul.wide.u32 %%rd2, %%r0, %u; add.u64 %%rd2, %%rd0, %%rd2;\n"                                 \
    "mul.wide.u32 %%rd3, %%r0, %u; add.u64 %%rd3, %%rd1, %%rd3;\n"

// Products

enum { WARPS = 24, LIMIT = 256 };

struct product_case {
    const char *shape, *d, *a, *b, *c;
    const char *before, *behind; // of the types: ".satfinite", ".xor.popc"
    const char *layout;          // NULL: "row.col"
};

struct setup {
    const struct product_case *test;
    const struct format *d, *a, *b, *c;
    uint32_t m, n, k;
    bool quads; // four products
    bool column_a, row_b;
    uint32_t registers[4]; // d, a, b, c
};

static uint32_t register_bits(const struct format *format)
{
    return format->bits == 64 ? 64 : 32;
}

static uint32_t per_register(const struct format *format)
{
    return register_bits(format) / format->bits;
}

// Place of an element: the lane, and the index in the lane's part of the matrix.
struct spot_of {
    uint32_t lane, element;
};

static struct spot_of spot_a(const struct setup *s, uint32_t q, uint32_t row, uint32_t col)
{
    uint32_t per = per_register(s->a);
    if (s->quads && s->column_a)
        return (struct spot_of){col + row / 4 * 16 + 4 * q, row % 4};
    if (s->quads)
        return (struct spot_of){row % 4 + row / 4 * 16 + 4 * q, col};
    uint32_t reg = row / 8 + col / (4 * per) * (s->m / 8);
    return (struct spot_of){row % 8 * 4 + col / per % 4, reg * per + col % per};
}

static struct spot_of spot_b(const struct setup *s, uint32_t q, uint32_t row, uint32_t col)
{
    uint32_t per = per_register(s->b);
    if (s->quads && s->row_b)
        return (struct spot_of){row + col / 4 * 16 + 4 * q, col % 4};
    if (s->quads)
        return (struct spot_of){col % 4 + col / 4 * 16 + 4 * q, row};
    return (struct spot_of){col * 4 + row / per % 4, row / (4 * per) * per + row % per};
}

static struct spot_of spot_d(const struct setup *s, const struct format *format, uint32_t q,
                             uint32_t row, uint32_t col)
{
    if (s->quads && format->bits == 32) // bit by bit, as the manual has it
        return (struct spot_of){(row & 1) | (col & 2) | (row & 4) << 2 | q << 2,
                                (col & 1) | (row & 2) | (col & 4)};
    if (s->quads)
        return (struct spot_of){row % 4 + row / 4 * 16 + 4 * q, col};
    return (struct spot_of){row % 8 * 4 + col / 2, row / 8 * 2 + col % 2};
}

static uint64_t get(const uint8_t *lanes, uint32_t stride, const struct format *format,
                    struct spot_of at)
{
    uint64_t bits = 0, position = at.element * format->bits;
    for (uint32_t i = 0; i < format->bits; i++, position++) // bit by bit
        bits |= (uint64_t)(lanes[at.lane * stride + position / 8] >> position % 8 & 1) << i;
    return bits;
}

struct fragments {
    const uint8_t *part[4]; // of lane 0: d, a, b, c
    uint32_t stride[4];
};

static uint64_t expected_float(const struct setup *s, const struct fragments *f, uint32_t q,
                               uint32_t row, uint32_t col)
{
    double sum = value_of(s->c, get(f->part[3], f->stride[3], s->c, spot_d(s, s->c, q, row, col)));
    for (uint32_t k = 0; k < s->k; k++) {
        double a = value_of(s->a, get(f->part[1], f->stride[1], s->a, spot_a(s, q, row, k)));
        double b = value_of(s->b, get(f->part[2], f->stride[2], s->b, spot_b(s, q, k, col)));
        sum = fma(a, b, sum);
    }
    if (s->d->bits == 64) {
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        return isnan(sum) ? UINT64_MAX : bits;
    }
    return bits_of(s->d, sum);
}

static uint64_t expected_integer(const struct setup *s, const struct fragments *f, uint32_t row,
                                 uint32_t col)
{
    int64_t sum =
        integer_of(s->c, get(f->part[3], f->stride[3], s->c, spot_d(s, s->c, 0, row, col)));
    for (uint32_t k = 0; k < s->k; k++) {
        int64_t a = integer_of(s->a, get(f->part[1], f->stride[1], s->a, spot_a(s, 0, row, k)));
        int64_t b = integer_of(s->b, get(f->part[2], f->stride[2], s->b, spot_b(s, 0, k, col)));
        sum += s->a->bits > 1 ? a * b : strstr(s->test->behind, "xor") ? a != b : a && b;
    }
    if (s->test->before[0] && sum > INT32_MAX)
        sum = INT32_MAX;
    if (s->test->before[0] && sum < INT32_MIN)
        sum = INT32_MIN;
    return (uint32_t)sum;
}

static uint32_t bytes_of(const struct setup *s, uint32_t operand)
{
    const struct format *format[] = {s->d, s->a, s->b, s->c};
    return s->registers[operand] * register_bits(format[operand]) / 8;
}

static void check_warp(const struct setup *s, const uint8_t *in, const uint8_t *out)
{
    uint32_t stride = bytes_of(s, 1) + bytes_of(s, 2) + bytes_of(s, 3);
    struct fragments f = {
        .part = {out, in, in + bytes_of(s, 1), in + bytes_of(s, 1) + bytes_of(s, 2)},
        .stride = {bytes_of(s, 0), stride, stride, stride}};
    for (uint32_t q = 0; q < (s->quads ? 4 : 1); q++)
        for (uint32_t row = 0; row < s->m; row++)
            for (uint32_t col = 0; col < s->n; col++) {
                uint64_t have = get(out, f.stride[0], s->d, spot_d(s, s->d, q, row, col));
                uint64_t want = s->a->bias ? expected_float(s, &f, q, row, col)
                                           : expected_integer(s, &f, row, col);
                if (want == UINT64_MAX && isnan(value_of(s->d, have)))
                    continue;
                if (have != want)
                    fail_msg("%s %s: (%u,%u): %llx, not %llx", s->test->shape, s->test->a, row, col,
                             (unsigned long long)have, (unsigned long long)want);
            }
}

static char *append_vector(char *at, uint32_t first, uint32_t count, char letter)
{
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%s%%%c%u", i ? "," : "{", letter, first + i);
    return at + sprintf(at, "}");
}

static void write_kernel(const struct setup *s, char *text)
{
    const struct format *format[] = {s->d, s->a, s->b, s->c};
    uint32_t in = bytes_of(s, 1) + bytes_of(s, 2) + bytes_of(s, 3), offset = 0;
    char *at =
        text + sprintf(text,
                       HEAD("8.7", "sm_90") ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                                            ".reg .b32 %%x<40>; .reg .b64 %%y<40>;\n" PROLOGUE,
                       in, bytes_of(s, 0));
    for (uint32_t o = 1; o < 4; o++)
        for (uint32_t i = 0; i < s->registers[o]; i++) {
            uint32_t bits = register_bits(format[o]);
            at += sprintf(at, "ld.global.b%u %%%c%u, [%%rd2+%u];\n", bits, bits == 64 ? 'y' : 'x',
                          8 * o + i, offset);
            offset += bits / 8;
        }
    const struct product_case *test = s->test;
    at += sprintf(at, "mma.sync.aligned.%s.%s%s.%s.%s.%s.%s%s ", test->shape,
                  test->layout ? test->layout : "row.col", test->before, test->d, test->a, test->b,
                  test->c, test->behind);
    for (uint32_t o = 0; o < 4; o++) {
        at = append_vector(at, 8 * o, s->registers[o], register_bits(format[o]) == 64 ? 'y' : 'x');
        at += sprintf(at, o < 3 ? ", " : ";\n");
    }
    for (uint32_t i = 0; i < s->registers[0]; i++)
        at += sprintf(at, "st.global.b%u [%%rd3+%u], %%%c%u;\n", register_bits(s->d),
                      i * register_bits(s->d) / 8, register_bits(s->d) == 64 ? 'y' : 'x', i);
    sprintf(at, "ret;\n}\n");
}

static void fill(const struct setup *s, uint8_t *in, uint64_t *state)
{
    const struct format *format[] = {s->d, s->a, s->b, s->c};
    for (uint32_t lane = 0; lane < 32 * WARPS; lane++)
        for (uint32_t o = 1; o < 4; o++)
            for (uint32_t i = 0; i < s->registers[o]; i++) {
                uint64_t bits = 0;
                uint32_t per = per_register(format[o]), width = register_bits(format[o]) / 8;
                for (uint32_t e = 0; e < per; e++)
                    bits |= random_element(format[o], lane / 32 % 3, state)
                            << (e * format[o]->bits);
                if (o == 3 && format[o]->bits == 32 && !format[o]->bias && lane & 1)
                    bits = (uint32_t)bits % 64 + 0x7fffff00 + (lane & 2) * 0x40000080u;
                memcpy(in, &bits, width);
                in += width;
            }
}

static void run_product(const struct setup *s, const char *lanes)
{
    char text[8192];
    write_kernel(s, text);
    struct kernel k;
    kernel_load(&k, text, lanes);
    uint32_t in_bytes = 32 * (bytes_of(s, 1) + bytes_of(s, 2) + bytes_of(s, 3));
    uint8_t *in = kernel_buffer(&k, WARPS * in_bytes);
    uint8_t *out = kernel_buffer(&k, WARPS * 32 * bytes_of(s, 0));
    uint64_t state = 11;
    fill(s, in, &state);
    kernel_succeeds(&k, "k", WARPS / 2, 64);
    for (uint32_t w = 0; w < WARPS; w++)
        check_warp(s, in + w * in_bytes, out + w * 32 * bytes_of(s, 0));
    kernel_free(&k);
}

static void check_product(const struct product_case *test)
{
    struct setup s = {.test = test,
                      .d = format_named(test->d),
                      .a = format_named(test->a),
                      .b = format_named(test->b),
                      .c = format_named(test->c)};
    sscanf(test->shape, "m%un%uk%u", &s.m, &s.n, &s.k);
    s.quads = s.m == 8 && s.k == 4 && s.a->bits == 16;
    s.column_a = test->layout && !strncmp(test->layout, "col", 3);
    s.row_b = test->layout && strstr(test->layout, ".row");
    uint32_t times = s.quads ? 4 : 1;
    s.registers[0] = times * s.m * s.n / 32 / per_register(s.d);
    s.registers[1] = times * s.m * s.k / 32 / per_register(s.a);
    s.registers[2] = times * s.k * s.n / 32 / per_register(s.b);
    s.registers[3] = times * s.m * s.n / 32 / per_register(s.c);
    run_product(&s, "plain");
    if (lanes_named("avx2"))
        run_product(&s, "avx2");
}

static void check_products(const struct product_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_product(&cases[i]);
}
#define CHECK_PRODUCTS(cases) check_products(cases, sizeof cases / sizeof *cases)

static void test_half(void **state)
{
    (void)state;
    static const struct product_case cases[] = {
        {"m16n8k8", "f16", "f16", "f16", "f16", "", ""},
        {"m16n8k8", "f32", "f16", "f16", "f32", "", ""},
        {"m16n8k16", "f16", "f16", "f16", "f16", "", ""},
        {"m16n8k16", "f32", "f16", "f16", "f32", "", ""},
        {"m16n8k8", "f32", "bf16", "bf16", "f32", "", ""},
        {"m16n8k16", "f32", "bf16", "bf16", "f32", "", ""},
        {"m16n8k4", "f32", "tf32", "tf32", "f32", "", ""},
        {"m16n8k8", "f32", "tf32", "tf32", "f32", "", ""},
    };
    CHECK_PRODUCTS(cases);
}

static void test_quarter(void **state)
{
    (void)state;
    static const struct product_case cases[] = {
        {"m16n8k32", "f32", "e4m3", "e5m2", "f32", "", ""},
        {"m16n8k32", "f32", "e5m2", "e4m3", "f32", "", ""},
        {"m16n8k32", "f16", "e4m3", "e4m3", "f16", "", ""},
        {"m16n8k16", "f32", "e5m2", "e5m2", "f32", "", ""},
        {"m16n8k16", "f16", "e4m3", "e5m2", "f16", "", ""},
    };
    CHECK_PRODUCTS(cases);
}

static void test_quads(void **state)
{
    (void)state;
    static const char *const layouts[] = {"row.row", "row.col", "col.row", "col.col"};
    for (int i = 0; i < 4; i++) {
        const struct product_case cases[] = {
            {"m8n8k4", "f16", "f16", "f16", "f16", "", "", layouts[i]},
            {"m8n8k4", "f32", "f16", "f16", "f16", "", "", layouts[i]},
            {"m8n8k4", "f32", "f16", "f16", "f32", "", "", layouts[i]},
        };
        CHECK_PRODUCTS(cases);
    }
}

static void test_double(void **state)
{
    (void)state;
    static const char *const shapes[] = {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"};
    static const struct {
        const char *word;
        int mode;
    } rounding[] = {{"", FE_TONEAREST},
                    {".rn", FE_TONEAREST},
                    {".rz", FE_TOWARDZERO},
                    {".rm", FE_DOWNWARD},
                    {".rp", FE_UPWARD}};
    for (int i = 0; i < 20; i++) {
        const struct product_case test = {shapes[i % 4],        "f64", "f64", "f64", "f64",
                                          rounding[i / 4].word, ""};
        fesetround(rounding[i / 4].mode);
        check_product(&test);
        fesetround(FE_TONEAREST);
    }
}

static void test_integer(void **state)
{
    (void)state;
    static const char *const eight[] = {"m8n8k16", "m16n8k16", "m16n8k32"};
    static const char *const four[] = {"m8n8k32", "m16n8k32", "m16n8k64"};
    static const char *const types[] = {"s8", "u8", "s4", "u4"};
    for (int i = 0; i < 48; i++) {
        int first = i & 1 ? 2 : 0;
        const struct product_case test = {(i & 1 ? four : eight)[i / 16],
                                          "s32",
                                          types[first + (i >> 1 & 1)],
                                          types[first + (i >> 2 & 1)],
                                          "s32",
                                          i & 8 ? ".satfinite" : "",
                                          ""};
        check_product(&test);
    }
}

static void test_single_bits(void **state)
{
    (void)state;
    static const char *const shapes[] = {"m8n8k128", "m16n8k128", "m16n8k256"};
    for (int i = 0; i < 6; i++) {
        const struct product_case test = {
            shapes[i / 2], "s32", "b1", "b1", "s32", "", i & 1 ? ".xor.popc" : ".and.popc"};
        check_product(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half),    cmocka_unit_test(test_quarter),
        cmocka_unit_test(test_quads),   cmocka_unit_test(test_double),
        cmocka_unit_test(test_integer), cmocka_unit_test(test_single_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
