// wgmma: products of a warpgroup, compared element by element. Operands lie at random places of
// shared memory; the reference finds them by the canonical layouts of the manual, written as there.
#include "tests/unit/runtime-sim/numbers.h"

enum { SHARED = 49152, A_WORDS = 4, D_WORDS = 128, THREADS = 128, M = 64, MAX_N = 256, MAX_K = 64 };
enum { A_AT = SHARED, BITS_AT = A_AT + THREADS * 16, D_AT = BITS_AT + THREADS * 4 };
enum { IN_BYTES = D_AT + THREADS * D_WORDS * 4 };

struct warpgroup_case {
    const char *k, *types; // "k16", "f32.f16.f16"
    bool modified;         // negated operands; transposed ones if they have 16 bits
    const char *before, *after;
    bool sparse;
};

// A descriptor, in bytes.
struct place {
    uint32_t start, leading, stride, base;
    uint32_t bits; // of the swizzle
    bool mn_major;
};

struct setup {
    const struct warpgroup_case *test;
    const struct format *d, *a, *b;
    uint32_t n, k, kept; // kept: elements of a row of A; k: rows of B
    uint32_t size;       // bytes of an element; b1 counts as words
    bool a_shared, negate_a, negate_b, adds;
    struct place pa, pb;
    uint32_t selector;
    uint64_t state;
    uint8_t *in;
    uint8_t row_of[M][MAX_K]; // row of B for each kept element
};

static uint32_t draw(struct setup *s, uint32_t below)
{
    return (uint32_t)(conform_random(&s->state) % below);
}

static struct place draw_place(struct setup *s, bool may_transpose)
{
    struct place p = {.start = 16 * draw(s, 256),
                      .leading = 16 * (1 + draw(s, 64)),
                      .stride = 16 * (1 + draw(s, 64)),
                      .bits = draw(s, 4)};
    p.base = p.bits ? draw(s, 2) * draw(s, 8) : 0;
    p.mn_major = may_transpose && draw(s, 2);
    return p;
}

static uint64_t descriptor(const struct place *p)
{
    static const uint64_t modes[] = {0, 3, 2, 1};
    return p->start >> 4 | (uint64_t)(p->leading >> 4) << 16 | (uint64_t)(p->stride >> 4) << 32 |
           (uint64_t)p->base << 49 | modes[p->bits] << 62;
}

// The canonical layouts, with strides of elements.
static uint32_t offset_of(const struct place *p, uint32_t t, uint32_t size, uint32_t mn, uint32_t k)
{
    uint32_t lbo = p->leading / size, sbo = p->stride / size, w = 1u << p->bits;
    if (p->mn_major && !p->bits) // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
        return mn % t + mn / t * sbo + k % 8 * t + k / 8 * lbo;
    if (p->mn_major) // ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
        return mn % t + mn / t % w * t + mn / t / w * lbo + k % 8 * w * t + k / 8 * sbo;
    if (!p->bits) // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
        return mn % 8 * t + mn / 8 * sbo + k % t + k / t * lbo;
    return mn % 8 * w * t + mn / 8 * sbo + k % t + k / t * t; // ((8,m),(T,2k)):((wT,SBO),(1,T))
}

static uint64_t element(const struct setup *s, const struct place *p, uint32_t mn, uint32_t k)
{
    uint32_t address = p->start + offset_of(p, 16 / s->size, s->size, mn, k) * s->size;
    uint32_t mask = (1u << p->bits) - 1;
    address ^= (((address >> 7) - p->base) & mask) << 4; // Swizzle<bits,4,3>
    uint64_t bits = 0;
    memcpy(&bits, s->in + address, s->size);
    return bits;
}

static uint64_t a_register_element(const struct setup *s, uint32_t row, uint32_t k)
{
    uint32_t per = 4 / s->size, reg = row / 8 % 2 + k / (4 * per) * 2;
    uint32_t thread = row / 16 * 32 + row % 8 * 4 + k / per % 4;
    uint64_t bits = 0;
    memcpy(&bits, s->in + A_AT + thread * 16 + reg * 4 + k % per * s->size, s->size);
    return bits;
}

static uint64_t element_a(const struct setup *s, uint32_t row, uint32_t k)
{
    return s->a_shared ? element(s, &s->pa, row, k) : a_register_element(s, row, k);
}

static uint64_t d_bits(const struct setup *s, const uint8_t *lanes, uint32_t row, uint32_t column)
{
    uint32_t thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    uint32_t at = (column / 8 * 4 + row / 8 % 2 * 2 + column % 2) * s->d->bits / 8;
    uint64_t bits = 0;
    memcpy(&bits, lanes + thread * D_WORDS * 4 + at, s->d->bits / 8);
    return bits;
}

static uint64_t expected(const struct setup *s, uint32_t row, uint32_t column)
{
    uint64_t before = d_bits(s, s->in + D_AT, row, column);
    bool is_float = s->a->bias;
    double sum = s->adds && is_float ? value_of(s->d, before) : 0;
    int64_t total = s->adds && !is_float ? integer_of(s->d, before) : 0;
    for (uint32_t k = 0; k < s->kept; k++) {
        uint64_t a = element_a(s, row, k), b = element(s, &s->pb, column, s->row_of[row][k]);
        if (is_float) {
            double x = value_of(s->a, a), y = value_of(s->b, b);
            sum = fma(s->negate_a ? -x : x, s->negate_b ? -y : y, sum);
        } else if (s->a->bits == 1) {
            total += __builtin_popcountll(a & b);
        } else {
            total += integer_of(s->a, a) * integer_of(s->b, b);
        }
    }
    if (is_float)
        return bits_of(s->d, sum);
    if (s->test->before[0])
        total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
    return (uint32_t)total;
}

static void check(const struct setup *s, const uint8_t *out)
{
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t column = 0; column < s->n; column++) {
            uint64_t want = expected(s, row, column), have = d_bits(s, out, row, column);
            bool both_nan =
                s->a->bias && isnan(value_of(s->d, want)) && isnan(value_of(s->d, have));
            if (have != want && !both_nan)
                fail_msg("n%u %s %s: (%u,%u): %llx, not %llx", s->n, s->test->k, s->test->types,
                         row, column, (unsigned long long)have, (unsigned long long)want);
        }
}

// The kept elements of a sparse A, and the register that selects them; see matrix_sparse.c.
static void draw_selection(struct setup *s)
{
    static const uint8_t indices[] = {4, 8, 9, 12, 13, 14};
    uint32_t kept = s->size == 4 ? 1 : 2, chunks = s->k / (2 * kept);
    for (uint32_t i = 0; i < THREADS * 4; i++)
        s->in[BITS_AT + i] = (uint8_t)draw(s, 256);
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t n = 0; n < chunks; n++) {
            uint32_t bits = s->size == 4 ? draw(s, 2) ? 14 : 4 : indices[draw(s, 6)];
            uint32_t lane = row / 16 * 32 + row % 8 * 4, shift, word;
            if (s->size >= 2) {
                lane += 2 * s->selector + n / 4;
                shift = 4 * (n % 4) + row / 8 % 2 * 16;
            } else {
                lane += n / 8 * 2 + row / 8 % 2;
                shift = 4 * (n % 8);
            }
            memcpy(&word, s->in + BITS_AT + lane * 4, 4);
            word = (word & ~(15u << shift)) | bits << shift;
            memcpy(s->in + BITS_AT + lane * 4, &word, 4);
            for (uint32_t i = 0; i < kept; i++)
                s->row_of[row][n * kept + i] =
                    (uint8_t)(n * 2 * kept + (kept == 1 ? (bits & 3) / 2 : bits >> 2 * i & 3));
        }
}

static void fill(struct setup *s)
{
    const struct format *format = s->a;
    for (uint32_t at = 0; at < BITS_AT; at += s->size) {
        uint64_t bits = s->a->bits == 1 ? draw(s, UINT32_MAX)
                                        : random_element(format, draw(s, 64) == 0, &s->state);
        memcpy(s->in + at, &bits, s->size);
    }
    for (uint32_t at = D_AT; at < IN_BYTES; at += s->d->bits / 8) {
        uint64_t bits = random_element(s->d, 0, &s->state);
        memcpy(s->in + at, &bits, s->d->bits / 8);
    }
    for (uint32_t row = 0; row < M; row++)
        for (uint32_t k = 0; k < MAX_K; k++)
            s->row_of[row][k] = (uint8_t)k;
    if (s->test->sparse)
        draw_selection(s);
}

static char *append_registers(char *at, char letter, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%s%%%c%u", i ? "," : "{", letter, i);
    return at + sprintf(at, "}");
}

static void write_kernel(const struct setup *s, char *text)
{
    uint32_t words = s->n * s->d->bits / 64;
    bool half = s->d->bits == 16;
    char *at = text;
    at += sprintf(
        at,
        HEAD("8.4", "sm_90a") ".shared .align 1024 .b8 s[%u];\n"
                              ".entry k(.param .u64 in, .param .u64 out)\n{\n"
                              ".reg .b32 %%a<4>, %%m0; .reg .%s %%d<128>; .reg .b32 %%r<9>;\n"
                              ".reg .b64 %%x<9>; .reg .pred %%p<4>;\n"
                              "ld.param.u64 %%x0, [in]; ld.param.u64 %%x1, [out];\n"
                              "mov.u32 %%r0, %%tid.x; shl.b32 %%r1, %%r0, 4;\n"
                              "L: cvt.u64.u32 %%x2, %%r1; add.u64 %%x2, %%x0, %%x2;\n"
                              "ld.global.v4.b32 {%%a0, %%a1, %%a2, %%a3}, [%%x2];\n"
                              "mov.u32 %%r2, s; add.u32 %%r2, %%r2, %%r1;\n"
                              "st.shared.v4.b32 [%%r2], {%%a0, %%a1, %%a2, %%a3};\n"
                              "add.u32 %%r1, %%r1, %u; setp.lt.u32 %%p0, %%r1, %u;\n"
                              "@%%p0 bra L; bar.sync 0;\n"
                              "mul.wide.u32 %%x2, %%r0, 16; add.u64 %%x2, %%x0, %%x2;\n"
                              "ld.global.v4.b32 {%%a0, %%a1, %%a2, %%a3}, [%%x2+%u];\n"
                              "mul.wide.u32 %%x2, %%r0, 4; add.u64 %%x2, %%x0, %%x2;\n"
                              "ld.global.b32 %%m0, [%%x2+%u];\n"
                              "mul.wide.u32 %%x2, %%r0, %u; add.u64 %%x3, %%x0, %%x2;\n"
                              "add.u64 %%x4, %%x1, %%x2;\n",
        SHARED, half || !s->a->bias ? "b32" : "f32", THREADS * 16, SHARED, A_AT, BITS_AT,
        D_WORDS * 4);
    for (uint32_t i = 0; i < words; i++)
        at += sprintf(at, "ld.global.b32 %%d%u, [%%x3+%u];\n", i, D_AT + 4 * i);
    at += sprintf(at,
                  "mov.u64 %%x5, %llu; mov.u64 %%x6, %llu; setp.eq.u32 %%p1, %%r0, %%r0;\n"
                  "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m64n%u%s%s.%s%s ",
                  (unsigned long long)descriptor(&s->pa), (unsigned long long)descriptor(&s->pb),
                  s->test->sparse ? ".sp" : "", s->n, s->test->k, s->test->before, s->test->types,
                  s->test->after);
    at = append_registers(at, 'd', words);
    at += sprintf(at, ", ");
    at = s->a_shared ? at + sprintf(at, "%%x5") : append_registers(at, 'a', A_WORDS);
    at += sprintf(at, ", %%x6");
    if (s->test->sparse)
        at += sprintf(at, ", %%m0, %u", s->selector);
    at += sprintf(at, ", %s%%p1", s->adds ? "" : "!");
    if (s->test->modified)
        at += sprintf(at, ", %d, %d", s->negate_a ? -1 : 1, s->negate_b ? -1 : 1);
    if (s->test->modified && s->a->bits == 16 && s->a_shared)
        at += sprintf(at, ", %d", s->pa.mn_major);
    if (s->test->modified && s->a->bits == 16)
        at += sprintf(at, ", %d", s->pb.mn_major);
    at += sprintf(at, ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n");
    for (uint32_t i = 0; i < words; i++)
        at += sprintf(at, "st.global.b32 [%%x4+%u], %%d%u;\n", 4 * i, i);
    sprintf(at, "ret;\n}\n");
}

static void run_case(const struct warpgroup_case *test, uint32_t n, uint64_t seed)
{
    static char text[32768];
    char types[3][8] = {""};
    struct setup s = {.test = test, .n = n, .state = seed};
    sscanf(test->types, "%7[a-z0-9].%7[a-z0-9].%7[a-z0-9]", types[0], types[1], types[2]);
    s.d = format_named(types[0]);
    s.a = format_named(types[1]);
    s.b = format_named(types[2]);
    sscanf(test->k, "k%u", &s.k);
    s.k = s.a->bits == 1 ? s.k / 32 : s.k;
    s.kept = test->sparse ? s.k / 2 : s.k;
    s.size = s.a->bits == 1 ? 4 : s.a->bits / 8;
    s.a_shared = draw(&s, 2);
    s.negate_a = test->modified && draw(&s, 2);
    s.negate_b = test->modified && draw(&s, 2);
    s.adds = draw(&s, 4) != 0;
    s.selector = test->sparse && s.size >= 2 ? draw(&s, 2) : 0;
    bool transposes = test->modified && s.a->bits == 16;
    s.pa = draw_place(&s, transposes && s.a_shared);
    s.pb = draw_place(&s, transposes);
    write_kernel(&s, text);
    struct kernel k;
    kernel_load(&k, text, NULL);
    s.in = kernel_buffer(&k, IN_BYTES);
    uint8_t *out = kernel_buffer(&k, THREADS * D_WORDS * 4);
    fill(&s);
    kernel_succeeds(&k, "k", 1, THREADS);
    check(&s, out);
    kernel_free(&k);
}

static void run_cases(const struct warpgroup_case *cases, size_t count, uint32_t times)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < times; n++) {
            uint64_t state = 97 * i + n + 1;
            uint32_t columns = 8 * (1 + (uint32_t)(conform_random(&state) % 32));
            bool narrow = cases[i].types[0] == 's' && columns > 32;
            run_case(&cases[i], narrow ? (columns + 15) / 16 * 16 : columns, state);
        }
}
#define RUN(cases, times) run_cases(cases, sizeof cases / sizeof *cases, times)

static void test_float(void **state)
{
    (void)state;
    static const struct warpgroup_case cases[] = {
        {"k16", "f16.f16.f16", true, "", "", false},
        {"k16", "f32.f16.f16", true, "", "", false},
        {"k16", "f32.bf16.bf16", true, "", "", false},
        {"k8", "f32.tf32.tf32", true, "", "", false},
        {"k32", "f16.e4m3.e5m2", true, "", "", false},
        {"k32", "f32.e5m2.e4m3", true, "", "", false},
    };
    RUN(cases, 12);
}

static void test_integer(void **state)
{
    (void)state;
    static const struct warpgroup_case cases[] = {
        {"k32", "s32.s8.s8", false, "", "", false},
        {"k32", "s32.u8.u8", false, ".satfinite", "", false},
        {"k32", "s32.s8.u8", false, "", "", false},
        {"k32", "s32.u8.s8", false, ".satfinite", "", false},
        {"k256", "s32.b1.b1", false, "", ".and.popc", false},
    };
    RUN(cases, 6);
}

static void test_sparse(void **state)
{
    (void)state;
    static const struct warpgroup_case cases[] = {
        {"k32", "f32.f16.f16", true, "", "", true},   {"k32", "f16.f16.f16", true, "", "", true},
        {"k32", "f32.bf16.bf16", true, "", "", true}, {"k16", "f32.tf32.tf32", true, "", "", true},
        {"k64", "f32.e4m3.e5m2", true, "", "", true}, {"k64", "s32.s8.u8", false, "", "", true},
    };
    RUN(cases, 6);
}

// An operand outside of shared memory, and lanes that are missing.
static void test_faults(void **state)
{
    (void)state;
    static const char body[] =
        HEAD("8.0", "sm_90a") ".shared .align 1024 .b8 s[4096];\n.entry k()\n{\n"
                              ".reg .b32 %d<4>, %r0; .reg .b64 %x<2>; .reg .pred %p0;\n"
                              "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 128; @!%p0 ret;\n"
                              "mov.u64 %x0, 0; mov.u64 %x1, 255;\n"
                              "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 "
                              "{%d0, %d1, %d2, %d3}, %x0, %x1, 1, 1, 1;\nret;\n}\n";
    struct kernel k;
    kernel_load(&k, body, NULL);
    kernel_run(&k, "k", 1, 128, 0);
    assert_true(k.result.fault.happened);
    assert_non_null(strstr(k.result.fault.nearest, "s"));
    kernel_free(&k);
    kernel_load(&k, body, NULL);
    kernel_run(&k, "k", 1, 16, 0);
    assert_true(k.result.fault.happened);
    assert_non_null(strstr(k.result.fault.text, "needs all lanes"));
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float),
        cmocka_unit_test(test_integer),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
