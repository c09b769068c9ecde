// Matrices between memory and registers: wmma from memory to memory, ldmatrix, stmatrix, movmatrix.
#include "tests/unit/runtime-sim/numbers.h"

// wmma: matrices in memory, of any layout and stride, compared with a product of whole matrices

enum { PART_BYTES = 4096, PARTS = 4 }; // a, b, c, d

struct wmma_case {
    const char *shape, *a, *c, *d; // b is as a
    const char *types;             // of wmma.mma
    const char *operation;         // ".xor.popc"
    uint32_t registers[PARTS];
    bool fixed; // a by rows, b by columns
};

enum space { SPACE_GLOBAL, SPACE_GENERIC, SPACE_SHARED, SPACE_GENERIC_SHARED };

struct matrix {
    const struct format *format;
    uint32_t rows, columns, stride; // stride in elements
    bool by_columns;
    uint8_t *data;
};

struct wmma {
    const struct wmma_case *test;
    struct matrix part[PARTS];
    uint32_t k;
    enum space space;
    bool default_stride;
};

static uint64_t element(const struct matrix *m, uint32_t row, uint32_t column)
{
    uint64_t position = m->by_columns ? column * m->stride + row : row * m->stride + column;
    uint64_t bits = 0;
    position *= m->format->bits;
    for (uint32_t i = 0; i < m->format->bits; i++, position++)
        bits |= (uint64_t)(m->data[position / 8] >> position % 8 & 1) << i;
    return bits;
}

static uint64_t expected(const struct wmma *w, uint32_t row, uint32_t column)
{
    const struct matrix *a = &w->part[0], *b = &w->part[1], *c = &w->part[2];
    double sum = 0;
    int64_t whole = 0;
    if (c->format->bias)
        sum = value_of(c->format, element(c, row, column));
    else
        whole = integer_of(c->format, element(c, row, column));
    for (uint32_t k = 0; k < w->k; k++) {
        uint64_t x = element(a, row, k), y = element(b, k, column);
        if (a->format->bias)
            sum = fma(value_of(a->format, x), value_of(a->format, y), sum);
        else if (a->format->bits > 1)
            whole += integer_of(a->format, x) * integer_of(a->format, y);
        else
            whole += strstr(w->test->operation, "xor") ? x != y : x && y;
    }
    if (!a->format->bias)
        return strstr(w->test->types, "satfinite") && whole > INT32_MAX   ? INT32_MAX
               : strstr(w->test->types, "satfinite") && whole < INT32_MIN ? UINT32_C(0x80000000)
                                                                          : (uint32_t)whole;
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return w->part[3].format->bits == 64 ? bits : bits_of(w->part[3].format, sum);
}

static char *append_registers(char *at, const struct wmma *w, uint32_t part)
{
    bool wide = w->part[part].format->bits == 64;
    for (uint32_t i = 0; i < w->test->registers[part]; i++)
        at += sprintf(at, "%s%%%c%u", i ? "," : "{", wide ? 'y' : 'x', 8 * part + i);
    return at + sprintf(at, "}");
}

static const char copy_in[] = "mov.u32 %r2, s; mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 2;\n"
                              "mov.u32 %r1, %r0;\n"
                              "L: cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd0;\n"
                              "ld.global.b32 %r4, [%rd2]; add.u32 %r5, %r2, %r1;\n"
                              "st.shared.b32 [%r5], %r4; add.u32 %r1, %r1, 128;\n"
                              "setp.lt.u32 %p0, %r1, 16384; @%p0 bra L; bar.sync 0;\n";
static const char copy_out[] = "bar.sync 0; add.u32 %r1, %r0, 12288;\n"
                               "M: cvt.u64.u32 %rd2, %r1; add.u64 %rd2, %rd2, %rd0;\n"
                               "add.u32 %r5, %r2, %r1; ld.shared.b32 %r4, [%r5];\n"
                               "st.global.b32 [%rd2], %r4; add.u32 %r1, %r1, 128;\n"
                               "setp.lt.u32 %p0, %r1, 16384; @%p0 bra M;\n";

static char *append_access(char *at, const struct wmma *w, uint32_t part)
{
    static const char *const spaces[] = {".global", "", ".shared", ""};
    const struct matrix *m = &w->part[part];
    const char *address = w->space == SPACE_SHARED           ? "%r2"
                          : w->space == SPACE_GENERIC_SHARED ? "%rd4"
                                                             : "%rd0";
    char stride[32] = "";
    if (!w->default_stride) {
        at += sprintf(at, "mov.u32 %%r9, %u;\n", m->stride);
        strcpy(stride, ", %r9");
    }
    at += sprintf(at, "wmma.%s.%c.sync.aligned.%s.%s%s.%s ", part == 3 ? "store" : "load",
                  'a' + (int)part, m->by_columns ? "col" : "row", w->test->shape, spaces[w->space],
                  m->format->name);
    if (part < 3)
        at = append_registers(at, w, part);
    at += sprintf(at, "%s[%s+%u]", part < 3 ? ", " : "", address, part * PART_BYTES);
    if (part == 3) {
        at += sprintf(at, ", ");
        at = append_registers(at, w, part);
    }
    return at + sprintf(at, "%s;\n", stride);
}

static void write_wmma(const struct wmma *w, char *text)
{
    char *at =
        text + sprintf(text, HEAD("8.7", "sm_90") ".shared .align 128 .b8 s[16384];\n"
                                                  ".entry k(.param .u64 in)\n{\n"
                                                  ".reg .b32 %%x<40>, %%r<10>; .reg .pred %%p<2>;\n"
                                                  ".reg .b64 %%y<40>, %%rd<10>;\n"
                                                  "ld.param.u64 %%rd0, [in];\n");
    bool shared = w->space == SPACE_SHARED || w->space == SPACE_GENERIC_SHARED;
    if (shared)
        at = stpcpy(at, copy_in);
    if (w->space == SPACE_GENERIC_SHARED)
        at = stpcpy(at, "cvt.u64.u32 %rd3, %r2; cvta.shared.u64 %rd4, %rd3;\n");
    for (uint32_t part = 0; part < 3; part++)
        at = append_access(at, w, part);
    at += sprintf(at, "wmma.mma%s.sync.aligned.%s.%s.%s.%s ", w->test->operation,
                  w->part[0].by_columns ? "col" : "row", w->part[1].by_columns ? "col" : "row",
                  w->test->shape, w->test->types);
    for (uint32_t i = 0; i < PARTS; i++) {
        at = append_registers(at, w, (i + 3) % 4);
        at += sprintf(at, i < 3 ? ", " : ";\n");
    }
    at = append_access(at, w, 3);
    strcpy(stpcpy(at, shared ? copy_out : ""), "ret;\n}\n");
}

static void fill_matrix(struct matrix *m, uint64_t *state)
{
    uint32_t bits = m->format->bits, count = PART_BYTES * 8 / bits;
    memset(m->data, 0, PART_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = random_element(m->format, 0, state);
        if (bits == 32 && !m->format->bias) // sums that overflow
            value = (i & 1 ? 0x7fffff80 : 0x80000000) + value % 64;
        for (uint32_t k = 0; k < bits; k++)
            m->data[(i * bits + k) / 8] |= (uint8_t)((value >> k & 1) << (i * bits + k) % 8);
    }
}

static void set_shape(struct wmma *w, uint32_t layouts)
{
    const struct wmma_case *test = w->test;
    const char *names[] = {test->a, test->a, test->c, test->d};
    uint32_t m, n;
    sscanf(test->shape, "m%un%uk%u", &m, &n, &w->k);
    for (uint32_t i = 0; i < PARTS; i++) {
        struct matrix *part = &w->part[i];
        part->format = format_named(names[i]);
        part->rows = i == 1 ? w->k : m;
        part->columns = i == 0 ? w->k : n;
        part->by_columns = test->fixed && i < 2 ? i == 1 : layouts >> i & 1;
        part->stride = part->by_columns ? part->rows : part->columns;
        if (!w->default_stride)
            part->stride += 128 / part->format->bits;
    }
}

static void check_wmma(const struct wmma_case *test, uint32_t layouts)
{
    struct wmma w = {.test = test, .space = layouts % 4, .default_stride = layouts / 4 % 2};
    set_shape(&w, layouts);
    char text[8192];
    write_wmma(&w, text);
    struct kernel k;
    kernel_load(&k, text, NULL);
    uint8_t *data = kernel_buffer(&k, PARTS * PART_BYTES);
    uint64_t state = layouts;
    for (uint32_t i = 0; i < PARTS; i++) {
        w.part[i].data = data + i * PART_BYTES;
        fill_matrix(&w.part[i], &state);
    }
    uint8_t before[PART_BYTES];
    memcpy(before, w.part[3].data, PART_BYTES);
    kernel_succeeds(&k, "k", 1, 32);
    uint32_t same = 0;
    for (uint32_t row = 0; row < w.part[3].rows; row++)
        for (uint32_t column = 0; column < w.part[3].columns; column++)
            if (element(&w.part[3], row, column) != expected(&w, row, column))
                fail_msg("%s %s %u: (%u,%u): %llx, not %llx", test->shape, test->types, layouts,
                         row, column, (unsigned long long)element(&w.part[3], row, column),
                         (unsigned long long)expected(&w, row, column));
    for (uint32_t i = 0; i < PART_BYTES; i++) // between the lines nothing was written
        same += before[i] == w.part[3].data[i];
    assert_true(same >=
                PART_BYTES - w.part[3].rows * w.part[3].columns * w.part[3].format->bits / 8);
    kernel_free(&k);
}

static void test_wmma(void **state)
{
    (void)state;
    static const struct wmma_case cases[] = {
        {"m16n16k16", "f16", "f16", "f16", "f16.f16", "", {8, 8, 4, 4}},
        {"m16n16k16", "f16", "f32", "f16", "f16.f32", "", {8, 8, 8, 4}},
        {"m32n8k16", "f16", "f16", "f32", "f32.f16", "", {8, 8, 4, 8}},
        {"m8n32k16", "f16", "f32", "f32", "f32.f32", "", {8, 8, 8, 8}},
        {"m32n8k16", "f16", "f32", "f32", "f32.f32", "", {8, 8, 8, 8}},
        {"m8n32k16", "f16", "f16", "f16", "f16.f16", "", {8, 8, 4, 4}},
        {"m16n16k16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", "", {4, 4, 8, 8}},
        {"m8n32k16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", "", {2, 8, 8, 8}},
        {"m32n8k16", "bf16", "f32", "f32", "f32.bf16.bf16.f32", "", {8, 2, 8, 8}},
        {"m16n16k8", "tf32", "f32", "f32", "f32.tf32.tf32.f32", "", {4, 4, 8, 8}},
        {"m8n8k4", "f64", "f64", "f64", "f64.f64.f64.f64", "", {1, 1, 2, 2}},
        {"m16n16k16", "s8", "s32", "s32", "s32.s8.s8.s32", "", {2, 2, 8, 8}},
        {"m8n32k16", "u8", "s32", "s32", "s32.u8.u8.s32.satfinite", "", {1, 4, 8, 8}},
        {"m32n8k16", "s8", "s32", "s32", "s32.s8.s8.s32.satfinite", "", {4, 1, 8, 8}},
        {"m8n8k32", "s4", "s32", "s32", "s32.s4.s4.s32", "", {1, 1, 2, 2}, true},
        {"m8n8k32", "u4", "s32", "s32", "s32.u4.u4.s32.satfinite", "", {1, 1, 2, 2}, true},
        {"m8n8k128", "b1", "s32", "s32", "s32.b1.b1.s32", ".xor.popc", {1, 1, 2, 2}, true},
        {"m8n8k128", "b1", "s32", "s32", "s32.b1.b1.s32", ".and.popc", {1, 1, 2, 2}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t layouts = 0; layouts < 16; layouts++)
            check_wmma(&cases[i], layouts);
}

// ldmatrix and stmatrix: lane i has the address of line i; the lines are in no order

static uint32_t row_place(uint32_t line)
{
    return (line * 7 + 3) % 32;
}

#define MATRIX_KERNEL(text)                                                                        \
    HEAD("7.8", "sm_90")                                                                           \
    ".shared .align 128 .b8 s[512];\n"                                                             \
    ".entry k(.param .u64 in, .param .u64 out, .param .u32 shift)\n{\n"                            \
    ".reg .b32 %%r<20>; .reg .b64 %%rd<8>; .reg .pred %%p<2>;\n"                                   \
    "ld.param.u64 %%rd0, [in]; ld.param.u64 %%rd1, [out]; ld.param.u32 %%r1, [shift];\n"           \
    "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd2, %%r0, 16; add.u64 %%rd0, %%rd0, %%rd2;\n"          \
    "add.u64 %%rd1, %%rd1, %%rd2; mov.u32 %%r2, s; mad.lo.u32 %%r3, %%r0, 16, %%r2;\n"             \
    "ld.global.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%rd0];\n"                                           \
    "mad.lo.u32 %%r8, %%r0, 7, 3; and.b32 %%r8, %%r8, 31; mad.lo.u32 %%r8, %%r8, 16, %%r2;\n"      \
    "add.u32 %%r8, %%r8, %%r1; cvt.u64.u32 %%rd3, %%r8; cvta.shared.u64 %%rd3, %%rd3;\n" text      \
    "ret;\n}\n"

static const char load_text[] =
    MATRIX_KERNEL("st.shared.v4.b32 [%%r3], {%%r4,%%r5,%%r6,%%r7}; bar.sync 0;\n"
                  "mov.b32 %%r10, 0; mov.b32 %%r11, 0; mov.b32 %%r12, 0; mov.b32 %%r13, 0;\n"
                  "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 %s, [%s];\n"
                  "st.global.v4.b32 [%%rd1], {%%r10,%%r11,%%r12,%%r13};\n");
static const char store_text[] =
    MATRIX_KERNEL("mov.b32 %%r10, 0; st.shared.v4.b32 [%%r3], {%%r10,%%r10,%%r10,%%r10};\n"
                  "bar.sync 0; stmatrix.sync.aligned.m8n8.x%u%s%s.b16 [%s], %s; bar.sync 0;\n"
                  "ld.shared.v4.b32 {%%r10,%%r11,%%r12,%%r13}, [%%r3];\n"
                  "st.global.v4.b32 [%%rd1], {%%r10,%%r11,%%r12,%%r13};\n");

static void run_lines(struct kernel *k, const char *text, uint16_t **in, uint16_t **out)
{
    kernel_load(k, text, NULL);
    *in = kernel_buffer(k, 512);
    *out = kernel_buffer(k, 512);
    kernel_u32(k, 0);
    for (uint32_t i = 0; i < 256; i++)
        (*in)[i] = (uint16_t)(0x4001 + 37 * i);
    kernel_succeeds(k, "k", 1, 32);
}

static const char *const loaded[] = {"{%r10}", "{%r10,%r11}", "", "{%r10,%r11,%r12,%r13}"};
static const char *const stored[] = {"{%r4}", "{%r4,%r5}", "", "{%r4,%r5,%r6,%r7}"};

static void test_ldmatrix(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t number = 1u << i / 4;
        bool trans = i & 1;
        char text[2048];
        sprintf(text, load_text, number, trans ? ".trans" : "", i & 2 ? ".shared" : "",
                loaded[number - 1], i & 2 ? "%r8" : "%rd3");
        struct kernel k;
        uint16_t *in, *out;
        run_lines(&k, text, &in, &out);
        for (uint32_t matrix = 0; matrix < 4; matrix++)
            for (uint32_t row = 0; row < 8; row++)
                for (uint32_t column = 0; column < 8; column++) {
                    uint32_t lane = trans ? column * 4 + row / 2 : row * 4 + column / 2;
                    uint16_t have = out[lane * 8 + matrix * 2 + (trans ? row : column) % 2];
                    uint16_t want = in[row_place(8 * matrix + row) * 8 + column];
                    assert_int_equal(have, matrix < number ? want : 0);
                }
        kernel_free(&k);
    }
}

static void test_stmatrix(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t number = 1u << i / 4;
        bool trans = i & 1;
        char text[2048];
        sprintf(text, store_text, number, trans ? ".trans" : "", i & 2 ? ".shared" : "",
                i & 2 ? "%r8" : "%rd3", stored[number - 1]);
        struct kernel k;
        uint16_t *in, *out;
        run_lines(&k, text, &in, &out);
        for (uint32_t matrix = 0; matrix < 4; matrix++)
            for (uint32_t row = 0; row < 8; row++)
                for (uint32_t column = 0; column < 8; column++) {
                    uint32_t lane = trans ? column * 4 + row / 2 : row * 4 + column / 2;
                    uint16_t want = in[lane * 8 + matrix * 2 + (trans ? row : column) % 2];
                    uint16_t have = out[row_place(8 * matrix + row) * 8 + column];
                    assert_int_equal(have, matrix < number ? want : 0);
                }
        kernel_free(&k);
    }
}

static void test_movmatrix(void **state)
{
    (void)state;
    char text[2048];
    sprintf(text, MATRIX_KERNEL("movmatrix.sync.aligned.m8n8.trans.b16 %%r10, %%r4;\n"
                                "st.global.b32 [%%rd1], %%r10;\n"));
    struct kernel k;
    uint16_t *in, *out;
    run_lines(&k, text, &in, &out);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t column = 0; column < 8; column++)
            assert_int_equal(out[(column * 4 + row / 2) * 8 + row % 2],
                             in[(row * 4 + column / 2) * 8 + column % 2]);
    kernel_free(&k);
}

// Faults and their reports

static void check_fault(const char *text, uint32_t shift, uint32_t threads, const char *expects)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    kernel_buffer(&k, 512);
    kernel_buffer(&k, 512);
    kernel_u32(&k, shift);
    kernel_run(&k, "k", 1, threads, 0);
    assert_true(k.result.fault.happened);
    if (!strstr(k.result.fault.text, expects))
        fail_msg("%s", k.result.fault.text);
    kernel_free(&k);
}

static void test_faults(void **state)
{
    (void)state;
    char text[2048];
    sprintf(text, load_text, 4, "", ".shared", loaded[3], "%r8");
    check_fault(text, 8, 32, "is not aligned");
    check_fault(text, 512, 32, "is outside of the CTA's shared memory");
    check_fault(text, 0, 24, "all lanes of the warp; active are 0x00ffffff");
    sprintf(text, MATRIX_KERNEL("setp.lt.u32 %%p0, %%r0, 16; @%%p0 exit;\n"
                                "movmatrix.sync.aligned.m8n8.trans.b16 %%r10, %%r4;\n"));
    check_fault(text, 0, 32, "active are 0xffff0000");
    sprintf(text, MATRIX_KERNEL("setp.lt.u32 %%p0, %%r0, 16;\n"
                                "@%%p0 movmatrix.sync.aligned.m8n8.trans.b16 %%r10, %%r4;\n"));
    check_fault(text, 0, 32, "active are 0x0000ffff");
    sprintf(text, MATRIX_KERNEL(
                      "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%%rd4}, [%%rd1+320];\n"));
    check_fault(text, 0, 32, "load of 32 bytes at global address");
}

// Lanes on both sides of a branch reach the instruction one after the other.
static void test_warp_sync(void **state)
{
    (void)state;
    char text[2048];
    sprintf(text,
            MATRIX_KERNEL("and.b32 %%r9, %%r0, 1; setp.eq.u32 %%p0, %%r9, 0; mov.u32 %%r10, 9;\n"
                          "@%%p0 bra A; mov.u32 %%r10, 0; bra B;\nA: mov.u32 %%r10, 1;\n"
                          "B: movmatrix.sync.aligned.m8n8.trans.b16 %%r11, %%r4;\n"
                          "st.global.v2.b32 [%%rd1], {%%r11,%%r10};\n"));
    struct kernel k;
    uint16_t *in, *out;
    run_lines(&k, text, &in, &out);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t row = lane / 4, column = lane % 4 * 2; // of the result
        assert_int_equal(out[lane * 8], in[(column * 4 + row / 2) * 8 + row % 2]);
        assert_int_equal(out[lane * 8 + 2], !(lane & 1));
    }
    kernel_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wmma),     cmocka_unit_test(test_ldmatrix),
        cmocka_unit_test(test_stmatrix), cmocka_unit_test(test_movmatrix),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_warp_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
