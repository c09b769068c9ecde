// Run files: numbers, expressions, fills, and the run that a file describes.
#include "runtime-sim/run/fill.h"
#include "support/random.h"
#include "tests/lib/sanitized.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
    struct source source;
    struct diags diags;
    struct run run;
};

static struct fixture f;

static void begin(const char *text)
{
    if (setjmp(f.memory.on_failure))
        abort();
    arena_init(&f.arena, &f.memory);
    size_t length = strlen(text);
    char *copy = arena_alloc(&f.arena, length + 2);
    memcpy(copy, text, length);
    source_init(&f.source, &f.arena, "folder/run.yaml", copy, (uint32_t)length);
    diags_init(&f.diags, &f.arena);
    run_init(&f.run, &f.arena, &f.source, &f.diags);
}

static void end(void)
{
    arena_free(&f.arena);
    assert_int_equal(f.memory.bytes, 0);
}

static struct run_text text_of(const char *text)
{
    return (struct run_text){text, (uint32_t)strlen(text), 0, 0, UINT32_MAX};
}

// Numbers

// Every 16-bit value except NaNs reads and writes unchanged; values in between round to the
// nearest, halfway to even.
static void halves(void **state)
{
    (void)state;
    static const char *const names[] = {"f16", "bf16"};
    for (int n = 0; n < 2; n++) {
        const struct scalar *type = scalar_find(names[n], strlen(names[n]));
        uint16_t infinity = n ? 0x7f80 : 0x7c00, back;
        for (uint32_t i = 0; i < 0x10000; i++) {
            uint16_t bits = (uint16_t)i;
            struct host_number number = scalar_load(type, &bits);
            assert_null(scalar_store(type, &number, &back));
            if ((bits & 0x7fff) > infinity)
                assert_int_equal(back, 0x7fff);
            else
                assert_int_equal(back, bits);
        }
        for (uint16_t i = 0; i + 1 < infinity; i++) {
            uint16_t above = i + 1;
            double low = scalar_load(type, &i).real, high = scalar_load(type, &above).real;
            double middle = (low + high) / 2;
            struct host_number number = {.kind = NUMBER_REAL, .real = middle};
            scalar_store(type, &number, &back);
            assert_int_equal(back, i & 1 ? above : i);
            number.real = nextafter(middle, low);
            scalar_store(type, &number, &back);
            assert_int_equal(back, i);
            number.real = -nextafter(middle, high);
            scalar_store(type, &number, &back);
            assert_int_equal(back, above | 0x8000);
        }
    }
}

static void half_overflow(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint16_t f16, bf16;
    } rows[] = {
        {65504, 0x7bff, 0x4780},  {65519.99, 0x7bff, 0x4780},
        {65520, 0x7c00, 0x4780},  {1e300, 0x7c00, 0x7f80},
        {-1e300, 0xfc00, 0xff80}, {3.39e38, 0x7c00, 0x7f7f},
        {3.4e38, 0x7c00, 0x7f80}, {1e-300, 0, 0},
        {-0.0, 0x8000, 0x8000},   {0x1p-25, 0, 0x3300},
        {0x1.8p-25, 1, 0x3340},   {1, 0x3c00, 0x3f80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct host_number number = {.kind = NUMBER_REAL, .real = rows[i].value};
        uint16_t got;
        scalar_store(scalar_find("f16", 3), &number, &got);
        assert_int_equal(got, rows[i].f16);
        scalar_store(scalar_find("bf16", 4), &number, &got);
        assert_int_equal(got, rows[i].bf16);
    }
}

static void ranges(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int64_t min, max;
    } rows[] = {{"u8", 0, 255},         {"s8", -128, 127},      {"u16", 0, 65535},
                {"s16", -32768, 32767}, {"u32", 0, UINT32_MAX}, {"s32", INT32_MIN, INT32_MAX},
                {"b32", 0, UINT32_MAX}};
    uint64_t to;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct scalar *type = scalar_find(rows[i].type, strlen(rows[i].type));
        struct host_number number = {.kind = NUMBER_INTEGER, .integer = rows[i].min};
        assert_null(scalar_store(type, &number, &to));
        assert_int_equal(scalar_load(type, &to).integer, rows[i].min);
        number.integer--;
        assert_non_null(scalar_store(type, &number, &to));
        number.integer = rows[i].max;
        assert_null(scalar_store(type, &number, &to));
        assert_int_equal(scalar_load(type, &to).integer, rows[i].max);
        number.integer++;
        assert_non_null(scalar_store(type, &number, &to));
        number = (struct host_number){.kind = NUMBER_REAL, .real = 1.5};
        assert_string_equal(scalar_store(type, &number, &to), "it is not an integer");
    }
}

// Expressions

static void expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"7 / 2", 3},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"10 - 4 - 3", 3},
        {"1 << 10", 1024},
        {"-8 >> 1", -4},
        {"1 << 64", 0},
        {"0x10 + 010", 26},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"3 == 3", 1},
        {"3 != 3", 0},
        {"!5", 0},
        {"!0 + 1", 2},
        {"1 && 0 || 1", 1},
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"min(3, 2)", 2},
        {"max(3, -2)", 3},
        {"2 > 1 ? 10 : 1 / 0", 10},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1.5 > 1", 1},
        {"--3", 3},
        {"2 * -3", -6},
        {"1 + 2 << 3", 24},
        {"18446744073709551615", -1},
        {"(9223372036854775807 + 1) / -1", INT64_MIN},
        {" 4 ", 4},
        {"n + n", 84},
        {"data[1] + 1", 21},
        {"data[data[0] - 9]", 20},
        {"n/2", 21},
        {"1 ? n : 0", 42},
    };
    begin("");
    static uint32_t values[3] = {10, 20, 30};
    struct run_text n = text_of("n"), data = text_of("data");
    uint32_t made = run_new_name(&f.run, &n, NAME_VALUE);
    f.run.names.v[made].number.integer = 42;
    struct run_buffer buffer = {.name = "data",
                                .type = scalar_find("u32", 3),
                                .elements = 3,
                                .address = 0x1000,
                                .data = (uint8_t *)values};
    vec_push(&f.arena, &f.run.buffers, buffer);
    run_new_name(&f.run, &data, NAME_BUFFER);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_text at = text_of(rows[i].text);
        struct run_expr expr;
        struct host_number number;
        if (!run_expression(&f.run, &at, &expr) || !run_value(&f.run, &expr, &number))
            fail_msg("%s: %s", rows[i].text, f.diags.list.v[0].message);
        assert_int_equal(number.kind, NUMBER_INTEGER);
        if (number.integer != rows[i].value)
            fail_msg("%s is %lld", rows[i].text, (long long)number.integer);
    }
    struct run_text at = text_of("&data[2]");
    struct run_expr expr;
    struct host_number number;
    assert_true(run_expression(&f.run, &at, &expr) && run_value(&f.run, &expr, &number));
    assert_int_equal(number.kind, NUMBER_ADDRESS);
    assert_int_equal(number.integer, 0x1008);
    end();
}

static void real_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1 / 2.0", 0.5}, {"1e3", 1000},        {".5 + .25", 0.75}, {"-1.5e-3", -0.0015},
        {"7.5 % 2", 1.5}, {"max(1, 2.5)", 2.5}, {"3. * 2", 6},      {"1e+2", 100},
    };
    begin("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_text at = text_of(rows[i].text);
        struct run_expr expr;
        struct host_number number;
        assert_true(run_expression(&f.run, &at, &expr) && run_value(&f.run, &expr, &number));
        assert_int_equal(number.kind, NUMBER_REAL);
        assert_true(number.real == rows[i].value);
    }
    end();
}

static void bad_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "a value is missing here"},
        {"1 +", "a value is missing here"},
        {"(1", "')' is missing here"},
        {"1 2", "unexpected text after the expression"},
        {"x", "unknown name 'x'"},
        {"min(1)", "',' is missing here"},
        {"1 ? 2", "':' is missing here"},
        {"#", "this is not a value"},
        {"18446744073709551616", "the number has more than 64 bits"},
        {"1 / 0", "division by zero"},
        {"1 % 0", "division by zero"},
        {"1.0 << 2", "only integers can be shifted"},
        {"&", "the name of a buffer is missing here"},
        {"data[3]", "'data' has 3 elements and no element number 3"},
        {"data[-1]", "'data' has 3 elements and no element number -1"},
        {"data[0.5]", "the index is not an integer"},
        {"data + 1", "a buffer's name alone is its address: write buffer[0] for its element"},
    };
    static uint32_t values[3];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin("");
        struct run_text at = text_of(rows[i].text), data = text_of("data");
        struct run_expr expr;
        struct host_number number;
        struct run_buffer buffer = {.name = "data",
                                    .type = scalar_find("u32", 3),
                                    .elements = 3,
                                    .data = (uint8_t *)values};
        vec_push(&f.arena, &f.run.buffers, buffer);
        run_new_name(&f.run, &data, NAME_BUFFER);
        assert_false(run_expression(&f.run, &at, &expr) && run_value(&f.run, &expr, &number));
        assert_int_equal(f.diags.errors, 1);
        assert_string_equal(f.diags.list.v[0].message, rows[i].error);
        end();
    }
}

static void deep_expressions(void **state)
{
    (void)state;
    char text[2001];
    for (int i = 0; i < 2000; i++)
        text[i] = "(-!"[i % 3];
    text[2000] = 0;
    begin("");
    struct run_text at = text_of(text);
    struct run_expr expr;
    assert_false(run_expression(&f.run, &at, &expr));
    assert_string_equal(f.diags.list.v[0].message, "the expression is nested too deeply");
    end();
}

// Fills

// The generator's published test values for seed 1234567.
static void generator(void **state)
{
    (void)state;
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
        UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
    uint64_t seed = 1234567;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(splitmix64(&seed), expected[i]);
}

// Fills four elements. Returns the fault, or NULL.
static const char *fill_four(const char *words, const char *type, void *to)
{
    struct run_text at = text_of(words);
    struct run_buffer buffer = {.type = scalar_find(type, strlen(type)), .elements = 4};
    if (run_fill(&f.run, &at, &buffer.fill) && fill_do(&f.run, &buffer.fill, &buffer, to))
        return NULL;
    return f.diags.list.v[0].message;
}

static void fills(void **state)
{
    (void)state;
    begin("");
    float single[4];
    double wide[4];
    uint32_t words[4];
    int8_t bytes[4];
    assert_null(fill_four("uniform:1234567", "f32", single));
    assert_true(single[0] == (float)(UINT64_C(6457827717110365317) >> 40) * 0x1p-24f);
    assert_true(single[3] == (float)(UINT64_C(4593380528125082431) >> 40) * 0x1p-24f);
    assert_null(fill_four("uniform:1234567", "f64", wide));
    assert_true(wide[1] == (double)(UINT64_C(3203168211198807973) >> 11) * 0x1p-53);
    assert_null(fill_four("uniform:1234567", "u32", words));
    assert_int_equal(words[2], UINT64_C(9817491932198370423) >> 32);
    assert_null(fill_four("range:-10:90:1234567", "s8", bytes));
    assert_int_equal(bytes[0], -10 + 35); // 0.3500… of 100
    assert_int_equal(bytes[2], -10 + 53);
    assert_null(fill_four("range:-128:128", "s8", bytes));
    assert_null(fill_four("iota", "f32", single));
    assert_true(single[0] == 0 && single[3] == 3);
    assert_null(fill_four("= i * i - 1", "s8", bytes));
    assert_int_equal(bytes[0], -1);
    assert_int_equal(bytes[3], 8);
    assert_null(fill_four("const:-1", "u32", words));
    assert_int_equal(words[3], UINT32_MAX);
    assert_null(fill_four("zero", "u32", words));
    assert_int_equal(words[3], 0);
    end();
}

static void bad_fills(void **state)
{
    (void)state;
    static const struct {
        const char *words, *type, *error;
    } rows[] = {
        {"unifrom", "f32", "unknown fill 'unifrom'; did you mean 'uniform'?"},
        {"uniform:x", "f32", "'x' is not a seed: expected a number of 64 bits"},
        {"uniform:1:2", "f32", "expected 'uniform or uniform:SEED'"},
        {"iota:1", "f32", "expected 'iota'"},
        {"range:1", "f32", "expected 'range:LOW:HIGH or range:LOW:HIGH:SEED'"},
        {"range:5:5", "u32", "the range is empty: its upper end is exclusive"},
        {"range:-1:5", "u32", "this is not a value of type u32: it is out of range"},
        {"range:0:1.5", "u32", "this is not a value of type u32: it is not an integer"},
        {"range:0:257", "u8", "there is no value of type u8 just below this: it is out of range"},
        {"range:0:129", "s8", "there is no value of type s8 just below this: it is out of range"},
        {"= 300 - i", "u8", "element 0 is not of type u8: it is out of range"},
        {"none.npy", "u8", "cannot read 'none.npy': No such file or directory"},
        {"raw:none", "u8", "cannot read 'none': No such file or directory"},
    };
    uint32_t to[4];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin("");
        const char *error = fill_four(rows[i].words, rows[i].type, to);
        assert_non_null(error);
        assert_string_equal(error, rows[i].error);
        end();
    }
}

// Files

static void whole_file(void **state)
{
    (void)state;
    begin("program: a.ptx\n"
          "values: {n: 8, m: n * 2}\n"
          "buffers:\n"
          "  x: {type: f32, count: m, fill: uniform, save: x.npy}\n"
          "  again: {type: s32, count: 1}\n"
          "launches:\n"
          "  - {kernel: k, grid: n, block: [m, 2], shared: 64, args: [x, 's32:-1', n + 1]}\n"
          "  - repeat:\n"
          "      while: again[0] != 0\n"
          "      reset: [again]\n"
          "      index: t\n"
          "      launches:\n"
          "        - {kernel: k, grid: '1,2,3', block: 1, args: {p: t, q: ['u8:1', 'f64:2.5']}}\n"
          "expect:\n"
          "  - {buffer: x, reference: x, rtol: 1e-6}\n");
    assert_true(run_read(&f.run, &f.arena));
    assert_string_equal(f.run.folder, "folder/");
    assert_string_equal(run_path(&f.run, f.run.program.text), "folder/a.ptx");
    assert_int_equal(f.run.buffers.n, 2);
    assert_string_equal(f.run.buffers.v[0].save.text, "x.npy");
    assert_int_equal(f.run.steps.list.n, 2);
    const struct run_launch *first = f.run.steps.list.v[0].launch;
    assert_int_equal(first->args.n, 3);
    assert_ptr_equal(first->args.v[1].type, scalar_find("s32", 3));
    assert_non_null(first->block[1].expr);
    assert_null(first->block[2].expr);
    int64_t value;
    assert_true(run_integer(&f.run, &first->block[0], 0, 100, "the block", &value));
    assert_int_equal(value, 16);
    const struct run_repeat *loop = f.run.steps.list.v[1].repeat;
    assert_int_equal(loop->resets.n, 1);
    assert_int_equal(loop->resets.v[0], 1);
    const struct run_launch *inner = loop->steps.list.v[0].launch;
    assert_true(inner->by_name);
    assert_int_equal(inner->args.v[1].part_count, 2);
    assert_non_null(inner->grid[2].expr);
    assert_int_equal(f.run.checks.n, 1);
    // The loop's index means nothing outside of it.
    struct run_text t = text_of("t");
    struct run_expr expr;
    assert_false(run_expression(&f.run, &t, &expr));
    end();
}

// Aliases can make an endless document.
static void endless(void **state)
{
    (void)state;
    begin("program: a\nlaunches: &l\n  - repeat: {times: 2, launches: *l}\n");
    assert_false(run_read(&f.run, &f.arena));
    assert_string_equal(f.diags.list.v[0].message, "repeats are nested more than 16 levels deep");
    end();
    begin("program: a\nlaunches: &l\n"
          "  - repeat: {times: 2, launches: *l}\n  - repeat: {times: 2, launches: *l}\n"
          "  - repeat: {times: 2, launches: *l}\n  - repeat: {times: 2, launches: *l}\n");
    assert_false(run_read(&f.run, &f.arena));
    assert_true(f.diags.errors > 0);
    end();
}

// Excessive sizes and depths are reported.
static void huge(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *part, *end, *error;
    } rows[] = {
        {"program: a\nlaunches: []\nvalues: {n: '1", " + 1", "'}\n",
         "the expression has more than 1000 parts"},
        {"program: a\nlaunches: []\nvalues: {n: '", "1 ? 1 : ", "1'}\n",
         "the expression has more than 1000 parts"},
        {"program: a\nlaunches: []\nvalues: {n: '", "1 ? ", "1'}\n",
         "the expression has more than 1000 parts"},
        {"", "[", "", "lists and keys are nested more than 100 deep"},
        {"program: a\nlaunches: ", "{launches: ", "",
         "lists and keys are nested more than 100 deep"},
        {"program: \"a\\0b\"\nlaunches: [] #", "-", "\n", "a value contains a NUL byte"},
    };
    enum { PARTS = IS_SANITIZED ? 30000 : 300000 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t part = strlen(rows[i].part);
        char *text = malloc(strlen(rows[i].begin) + PARTS * part + strlen(rows[i].end) + 1);
        char *at = stpcpy(text, rows[i].begin);
        for (int n = 0; n < PARTS; n++)
            at = stpcpy(at, rows[i].part);
        stpcpy(at, rows[i].end);
        begin(text);
        assert_false(run_read(&f.run, &f.arena));
        assert_string_equal(f.diags.list.v[0].message, rows[i].error);
        end();
        free(text);
    }
}

// A result that wraps modulo 2^64 is not a valid count.
static void wrapped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"4611686018427387904 * 4 + 64", false},
        {"9223372036854775807 + 9", false},
        {"8 - (0 - 9223372036854775807 - 1)", false},
        {"(3 << 63) + 8", false},
        {"(1 << 64) + 8", false},
        {"n * n * 0", false},
        {"4611686018427387904 / 4611686018427387904", true},
        {"(1 << 62 >> 62) + 8", true},
        {"n > 0 ? 8 : n * n", true},
    };
    begin("");
    struct run_text n = text_of("n");
    uint32_t made = run_new_name(&f.run, &n, NAME_VALUE);
    f.run.names.v[made].number.integer = INT64_MAX;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_text at = text_of(rows[i].text);
        struct run_expr expr;
        int64_t value;
        assert_true(run_expression(&f.run, &at, &expr));
        if (run_integer(&f.run, &expr, 0, 1000, "the count", &value) != rows[i].good)
            fail_msg("%s", rows[i].text);
        if (!rows[i].good)
            assert_string_equal(f.diags.list.v[f.diags.list.n - 1].message,
                                "the count has more than 64 bits");
    }
    end();
}

// Places count bytes, also after characters of several bytes, quotes and byte order marks.
static void places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *at;
    } rows[] = {
        {"# \xc3\xa4\xc3\xb6\nprogram: a\nlaunches: []\nwrong: 1\n", "wrong"},
        {"{program: \"\xc3\xa4\", launches: [], wrong: 1}", "wrong"},
        {"\xef\xbb\xbf{program: a, launches: [], wrong: 1}", "wrong"},
        {"program: a\nlaunches: []\nvalues: {n: '1 + wrong'}\n", "wrong"},
        {"program: a\r\nlaunches: []\r\nvalues: {n: \"1 + wrong\"}\r\n", "wrong"},
        {"program: a\nlaunches: []\nvalues: {n: \"1 \\x2b wrong\"}\n", "\"1 "},
        {"program: a\nlaunches: []\nvalues:\n  n: >\n    wrong\n", ">"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(rows[i].text);
        assert_false(run_read(&f.run, &f.arena));
        assert_int_equal(f.diags.errors, 1);
        assert_int_equal(f.diags.list.v[0].begin, strstr(rows[i].text, rows[i].at) - rows[i].text);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(huge),
        cmocka_unit_test(wrapped),
        cmocka_unit_test(half_overflow),
        cmocka_unit_test(ranges),
        cmocka_unit_test(expressions),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(bad_expressions),
        cmocka_unit_test(deep_expressions),
        cmocka_unit_test(generator),
        cmocka_unit_test(fills),
        cmocka_unit_test(bad_fills),
        cmocka_unit_test(whole_file),
        cmocka_unit_test(endless),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
