// The digest of tokens is the same for all layouts of a text, and differs for any other text.
#include "backend/tags/token_digest.h"
#include "backend/tags/tag_text.h"
#include "tests/lib/sanitized.h"
#include "tests/unit/backend/made.h"
#include "tests/unit/backend/repack.h"
#include <glob.h>

static void digest_pieces(const char *text, size_t length, size_t cut, char digits[SHA256_HEX + 1])
{
    struct token_digest digest;
    token_digest_init(&digest);
    token_digest_add(&digest, text, (uint32_t)cut);
    token_digest_add(&digest, text + cut, (uint32_t)(length - cut));
    token_digest_end(&digest, digits);
}

static bool same(const char *a, const char *b)
{
    char of_a[SHA256_HEX + 1], of_b[SHA256_HEX + 1];
    digest_pieces(a, strlen(a), 0, of_a);
    digest_pieces(b, strlen(b), 0, of_b);
    return !strcmp(of_a, of_b);
}

static void test_equal(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"add.f32 a, b, c;", "add.f32\ta ,b,\n c ;\n"},
        {"ld.global.f32 a, [b+4];", "ld .global .f32 a,[ b + 4 ];"},
        {"add.f32 a, b, c;", "// f(\"\n/* ' */add.f32/**/a, b,//\nc;"},
        {"ret;", "\n# 1 \"a.cu\"\n  # 2\nret;\r\n\x1a"},
        {"setp.lt.s32 p|q, a, b;", "setp.lt.s32 p | q, a, b;"},
        {"mov.u32 a, 1+(2<<3);", "mov.u32 a, 1 + ( 2 << 3 );"},
        {"@@DWARF .byte 0x1\nret;", "\n\n@@DWARF .byte 0x1\n\nret;"},
        {"@!p bra L;", "@ !p bra\nL;"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!same(texts[i][0], texts[i][1]))
            fail_msg("'%s' and '%s' differ", texts[i][0], texts[i][1]);
}

static void test_different(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"mov.u32 a, b;", "mov.u32 ab;"},
        {"mov.u32 a, b;", "mov.u32a, b;"},
        {"mov.u32 a, b % r;", "mov.u32 a, b %r;"},
        {"a < < b", "a << b"},
        {"a < = b", "a <= b"},
        {"a ! = b", "a != b"},
        {"a & & b", "a && b"},
        {"a / * b */", "a"},
        {"a / / b", "a"},
        {".file 1 \"a b\"", ".file 1 \"a  b\""},
        {".file 1 \"a//b\"", ".file 1 \"a//c\""},
        {".file 1 \"\\\" a", ".file 1 \"\\\" b"},
        {"a # 1", "a"},
        {"@@DWARF 1", "@@DWARF  1"},
        {"@@DWARF 1\na", "@@DWARF 1 a"},
        {"1. e5", "1.e5"},
        {"a", "a a"},
        {"ret;", "ret;;"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (same(texts[i][0], texts[i][1]))
            fail_msg("'%s' and '%s' are equal", texts[i][0], texts[i][1]);
}

// A repacked sample has the digest of the sample, in pieces of any size; changing a byte changes
// it.
static void check_sample(const char *text, size_t length, uint64_t seed)
{
    struct made made = {.seed = seed};
    char expected[SHA256_HEX + 1], digits[SHA256_HEX + 1];
    program_parse(&made.program, text, length);
    digest_pieces(text, length, 0, expected);
    for (int round = 0; round < (IS_SANITIZED ? 3 : 20); round++) {
        uint32_t new_length;
        char *packed = repack(&made, text, length, !round, &new_length);
        size_t cut = (size_t)(strchr(packed, '{') - packed) + 1;
        digest_pieces(packed, new_length, cut, digits);
        assert_string_equal(digits, expected);
        if (round)
            continue; // comments have bytes without meaning
        uint32_t at = made_random(&made, new_length);
        while (packed[at] <= ' ')
            at = made_random(&made, new_length);
        packed[at] ^= 1;
        digest_pieces(packed, new_length, 0, digits);
        assert_string_not_equal(digits, expected);
    }
    program_free(&made.program);
}

static void test_samples(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t length;
        char *text = made_load(found.gl_pathv[i], &length);
        check_sample(text, length, i + 1);
        free(text);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_different),
        cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
