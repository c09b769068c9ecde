// Products with a sparse matrix, element by element: a whole matrix is drawn, and an instruction's
// part of it is laid out for the lanes as in the manual and in measurements of GPUs.
#include "tests/unit/runtime-sim/numbers.h"

enum { M = 16, N = 8, MAX_K = 128, LANE_WORDS = 16, WARPS = 8 };

struct sparse_case {
    const char *shape, *d, *a, *b, *word;
    uint32_t selector;
    const char *before; // of the types
};

struct setup {
    const struct sparse_case *test;
    const struct format *d, *a, *b;
    uint32_t k, registers[3]; // of a, b and d
    uint64_t state;
    uint32_t *in; // of a warp: for each lane a, b and c in fours, then e
    int32_t whole[M][MAX_K], other[MAX_K][N], c[M][N];
};

static uint32_t low_mask(uint32_t bits)
{
    return bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
}

static uint32_t draw(struct setup *s, uint32_t below)
{
    return (uint32_t)(conform_random(&s->state) % below);
}

// Draws an element and its number; floating-point elements are such that no sum is rounded.
static uint32_t draw_element(struct setup *s, const struct format *format, int32_t *value)
{
    uint32_t bits = draw(s, UINT32_MAX) & low_mask(format->bits);
    if (format->bias) {
        *value = (int32_t)draw(s, 9) - 4;
        return (uint32_t)bits_of(format, *value);
    }
    *value = (int32_t)integer_of(format, bits);
    return bits;
}

static void put(struct setup *s, uint32_t lane, uint32_t word, uint32_t position, uint32_t bits)
{
    s->in[lane * LANE_WORDS + word + position / 32] |= bits << position % 32;
}

// Sets element `column` of a row of A, where only kept elements are counted.
static void put_a(struct setup *s, uint32_t row, uint32_t column, uint32_t bits)
{
    uint32_t per = 32 / s->a->bits, place = row / 8 + column / (4 * per) * 2;
    put(s, row % 8 * 4 + column / per % 4, 0, (place * per + column % per) * s->a->bits, bits);
}

static void draw_b(struct setup *s)
{
    uint32_t per = 32 / s->b->bits;
    for (uint32_t row = 0; row < s->k; row++)
        for (uint32_t column = 0; column < N; column++)
            put(s, column * 4 + row / per % 4, 4, (row / (4 * per) * per + row % per) * s->b->bits,
                draw_element(s, s->b, &s->other[row][column]));
}

// Lanes whose e is unused have arbitrary values there.
static void draw_unused(struct setup *s)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        s->in[lane * LANE_WORDS + 12] = draw(s, UINT32_MAX);
}

// Returns the number of chunks of a row; each has four bits that select half of it.
static uint32_t chunks_of(const struct setup *s)
{
    return s->k / (s->a->bits == 4 ? 8 : s->a->bits == 32 ? 2 : 4);
}

// Sets the four bits for chunk `n` of a row.
static void put_indices(struct setup *s, uint32_t row, uint32_t n, uint32_t bits)
{
    uint32_t chunks = chunks_of(s), lane = row % 8 * 4, shift;
    bool wide = s->a->bits >= 16;
    if (wide && chunks == 4) { // one lane of four
        lane += s->test->selector;
        shift = 4 * n + row / 8 * 16;
    } else if (wide) { // two, each with half of the columns
        lane += 2 * s->test->selector + n / 4;
        shift = 4 * (n % 4) + row / 8 * 16;
    } else if (chunks == 8) { // two, each with one of the rows
        lane += 2 * s->test->selector + row / 8;
        shift = 4 * n;
    } else { // all
        lane += n / 8 * 2 + row / 8;
        shift = 4 * (n % 8);
    }
    uint32_t *word = &s->in[lane * LANE_WORDS + 12];
    *word = (*word & ~(15u << shift)) | bits << shift;
}

static void draw_chunk(struct setup *s, uint32_t row, uint32_t n)
{
    static const uint8_t indices[] = {4, 8, 9, 12, 13, 14};
    bool is_tf32 = s->a->bits == 32;
    uint32_t bits = is_tf32 ? draw(s, 2) ? 14 : 4 : indices[draw(s, 6)];
    uint32_t kept = is_tf32 ? 1 : s->a->bits == 4 ? 4 : 2, width = 2 * kept;
    put_indices(s, row, n, bits);
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t first = bits & 3, second = bits >> 2;
        uint32_t place = is_tf32           ? first / 2
                         : s->a->bits == 4 ? (i < 2 ? first : second) * 2 + i % 2
                                           : (i ? second : first);
        put_a(s, row, n * kept + i, draw_element(s, s->a, &s->whole[row][n * width + place]));
    }
}

static void draw_c(struct setup *s)
{
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t column = 0; column < N; column++) {
            int32_t value = (int32_t)draw(s, 200) - 100;
            if (!s->a->bias && s->test->before[0])
                value += draw(s, 2) ? INT32_MAX - 100 : INT32_MIN + 100;
            s->c[row][column] = value;
            uint32_t bits = s->d->bias ? (uint32_t)bits_of(s->d, value) : (uint32_t)value;
            put(s, row % 8 * 4 + column / 2, 8, (row / 8 * 2 + column % 2) * s->d->bits, bits);
        }
}

static uint32_t expected(const struct setup *s, uint32_t row, uint32_t column)
{
    int64_t sum = s->c[row][column];
    for (uint32_t k = 0; k < s->k; k++)
        sum += (int64_t)s->whole[row][k] * s->other[k][column];
    if (s->d->bias)
        return (uint32_t)bits_of(s->d, (double)sum);
    if (s->test->before[0])
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static char *append_vector(char *at, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%s%%x%u", i ? "," : "{", first + i);
    return at + sprintf(at, "}, ");
}

static void write_kernel(const struct setup *s, char *text)
{
    const struct sparse_case *test = s->test;
    char *at =
        text +
        sprintf(text,
                HEAD("8.7", "sm_90") ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                                     ".reg .b32 %%x<20>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n"
                                     "ld.param.u64 %%rd0, [in]; ld.param.u64 %%rd1, [out];\n"
                                     "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x;\n"
                                     "mad.lo.u32 %%r0, %%r1, 32, %%r0;\n"
                                     "mad.wide.u32 %%rd2, %%r0, 64, %%rd0;\n"
                                     "mad.wide.u32 %%rd3, %%r0, 16, %%rd1;\n");
    for (uint32_t i = 0; i < 13; i++)
        at += sprintf(at, "ld.global.b32 %%x%u, [%%rd2+%u];\n", i, 4 * i);
    at += sprintf(at, "mma.%s.sync.aligned.%s.row.col%s.%s.%s.%s.%s ", test->word, test->shape,
                  test->before, test->d, test->a, test->b, test->d);
    at = append_vector(at, 8, s->registers[2]);
    at = append_vector(at, 0, s->registers[0]);
    at = append_vector(at, 4, s->registers[1]);
    at = append_vector(at, 8, s->registers[2]);
    at += sprintf(at, "%%x12, %u;\n", test->selector);
    for (uint32_t i = 0; i < s->registers[2]; i++)
        at += sprintf(at, "st.global.b32 [%%rd3+%u], %%x%u;\n", 4 * i, 8 + i);
    sprintf(at, "ret;\n}\n");
}

static void check_warp(struct setup *s, uint32_t warp, const uint32_t *out)
{
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t column = 0; column < N; column++) {
            uint32_t place = (row / 8 * 2 + column % 2) * s->d->bits;
            uint32_t have = out[(row % 8 * 4 + column / 2) * 4 + place / 32] >> place % 32;
            have &= low_mask(s->d->bits);
            if (have != expected(s, row, column))
                fail_msg("%s %s, selector %u, warp %u: (%u,%u): %x, not %x", s->test->shape,
                         s->test->a, s->test->selector, warp, row, column, have,
                         expected(s, row, column));
        }
}

static void draw_warp(struct setup *s, uint32_t *in)
{
    uint32_t chunks = chunks_of(s);
    s->in = in;
    memset(s->whole, 0, sizeof s->whole);
    draw_unused(s);
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t n = 0; n < chunks; n++)
            draw_chunk(s, row, n);
    draw_b(s);
    draw_c(s);
}

static void run_case(const struct sparse_case *test, const char *lanes)
{
    struct setup s = {.test = test,
                      .d = format_named(test->d),
                      .a = format_named(test->a),
                      .b = format_named(test->b),
                      .state = 5};
    char text[4096];
    struct kernel k;
    sscanf(test->shape, "m16n8k%u", &s.k);
    s.registers[0] = M * s.k / 2 * s.a->bits / 32 / 32;
    s.registers[1] = N * s.k * s.b->bits / 32 / 32;
    s.registers[2] = M * N * s.d->bits / 32 / 32;
    write_kernel(&s, text);
    kernel_load(&k, text, lanes);
    uint32_t *in = kernel_buffer(&k, WARPS * 32 * LANE_WORDS * 4);
    uint32_t *out = kernel_buffer(&k, WARPS * 32 * 16);
    for (uint32_t i = 0; i < WARPS; i++)
        draw_warp(&s, in + i * 32 * LANE_WORDS);
    kernel_succeeds(&k, "k", WARPS, 32);
    s.state = 5;
    memset(in, 0, WARPS * 32 * LANE_WORDS * 4);
    for (uint32_t i = 0; i < WARPS; i++) {
        draw_warp(&s, in + i * 32 * LANE_WORDS);
        check_warp(&s, i, out + i * 32 * 4);
    }
    kernel_free(&k);
}

static void check_cases(const struct sparse_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        run_case(&cases[i], "plain");
        if (lanes_named("avx2"))
            run_case(&cases[i], "avx2");
    }
}
#define CHECK_CASES(cases) check_cases(cases, sizeof cases / sizeof *cases)

static void test_floats(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const struct sparse_case cases[] = {
            {"m16n8k16", "f16", "f16", "f16", "sp", i, ""},
            {"m16n8k16", "f32", "f16", "f16", "sp::ordered_metadata", i, ""},
            {"m16n8k16", "f32", "bf16", "bf16", "sp", i, ""},
            {"m16n8k8", "f32", "tf32", "tf32", "sp", i, ""},
            {"m16n8k32", "f16", "f16", "f16", "sp", i / 2, ""},
            {"m16n8k32", "f32", "f16", "f16", "sp", i / 2, ""},
            {"m16n8k32", "f32", "bf16", "bf16", "sp", i / 2, ""},
            {"m16n8k16", "f32", "tf32", "tf32", "sp::ordered_metadata", i / 2, ""},
        };
        CHECK_CASES(cases);
    }
}

static void test_small_floats(void **state)
{
    (void)state;
    static const struct sparse_case cases[] = {
        {"m16n8k64", "f32", "e4m3", "e4m3", "sp", 0, ""},
        {"m16n8k64", "f32", "e4m3", "e5m2", "sp", 0, ""},
        {"m16n8k64", "f32", "e5m2", "e4m3", "sp::ordered_metadata", 0, ""},
    };
    CHECK_CASES(cases);
}

static void test_integers(void **state)
{
    (void)state;
    static const char *const types[] = {"s8", "u8", "s4", "u4"};
    for (int i = 0; i < 16; i++) {
        const char *a = types[i & 1], *b = types[i >> 1 & 1];
        const char *c = types[2 + (i & 1)], *d = types[2 + (i >> 1 & 1)];
        const char *before = i & 4 ? ".satfinite" : "";
        const struct sparse_case cases[] = {
            {"m16n8k32", "s32", a, b, "sp", (uint32_t)i >> 3, before},
            {"m16n8k64", "s32", a, b, "sp", 0, before},
            {"m16n8k64", "s32", c, d, "sp", (uint32_t)i >> 3, before},
            {"m16n8k128", "s32", c, d, "sp::ordered_metadata", 0, before},
        };
        CHECK_CASES(cases);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
