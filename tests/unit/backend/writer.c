// Edits of a text: their results, rejected edits, and the places of all bytes afterwards.
#include "backend/emit/writer.h"
#include "tests/unit/program.h"

struct text_case {
    const char *source, *expected;
    struct edit edits[6]; // up to one without a range and a text
};

static struct memory memory;

static const char *apply(struct arena *arena, const char *text, const struct edit *edits,
                         uint32_t count, struct written *written)
{
    struct source source;
    struct edits list = {0};
    arena_init(arena, &memory);
    source_init(&source, arena, "t", text, (uint32_t)strlen(text));
    for (uint32_t i = 0; i < count; i++)
        vec_push(arena, &list.list, edits[i]);
    return writer_apply(arena, &source, &list, written);
}

#define INSERT(AT, TEXT, ORDER)                                                                    \
    {                                                                                              \
        EDIT_INSERT, AT, 0, 0, TEXT, ORDER                                                         \
    }
#define REPLACE(BEGIN, END, TEXT)                                                                  \
    {                                                                                              \
        EDIT_REPLACE, BEGIN, END, 0, TEXT, 0                                                       \
    }
#define MOVE(BEGIN, END, TO, ORDER)                                                                \
    {                                                                                              \
        EDIT_MOVE, BEGIN, END, TO, NULL, ORDER                                                     \
    }

static uint32_t count_edits(const struct edit *edits)
{
    uint32_t count = 0;
    while (count < 6 && (edits[count].text || edits[count].end))
        count++;
    return count;
}

static void test_edits(void **state)
{
    (void)state;
    static const struct text_case cases[] = {
        {"abcdef", "abcdef", {{0}}},
        {"", "x", {INSERT(0, "x", 0)}},
        {"ab", "xab", {INSERT(0, "x", 0)}},
        {"ab", "abx", {INSERT(2, "x", 0)}},
        {"ab", "axyb", {INSERT(1, "y", 2), INSERT(1, "x", 1)}},
        {"ab", "axyb", {INSERT(1, "x", 1), INSERT(1, "y", 1)}},
        {"abc", "aXYZc", {REPLACE(1, 2, "XYZ")}},
        {"abc", "", {REPLACE(0, 3, "")}},
        {"abc", "a-Xc", {REPLACE(1, 2, "X"), INSERT(1, "-", 0)}},
        {"abc", "aX-c", {REPLACE(1, 2, "X"), INSERT(2, "-", 0)}},
        {"abcdef", "acdbef", {MOVE(1, 2, 4, 0)}},
        {"abcdef", "aebcdf", {MOVE(4, 5, 1, 0)}},
        {"abcdef", "bcdefa", {MOVE(0, 1, 6, 0)}},
        {"abcdef", "fabcde", {MOVE(5, 6, 0, 0)}},
        {"abc", "abc", {MOVE(0, 1, 0, 0)}},
        {"abc", "abc", {MOVE(0, 1, 1, 0)}},
        // by order, whatever the list's
        {"abcdef", "cdbaef", {MOVE(0, 1, 4, 2), MOVE(1, 2, 4, 1)}},
        // what is put in front of a moved range takes its old place; insertions go along
        {"abcd", "adbc", {MOVE(1, 2, 4, 0), MOVE(3, 4, 1, 0), MOVE(2, 3, 4, 1)}},
        {"abcd", "acd-b", {MOVE(1, 2, 4, 0), INSERT(1, "-", 0)}},
        {"abcd", "a-cdb", {MOVE(1, 2, 4, 0), INSERT(2, "-", 0)}},
        {"abcdef", "aefb-cd", {MOVE(1, 4, 6, 0), INSERT(2, "-", 0)}},
        {"abcdef", "aefbXYd", {MOVE(1, 4, 6, 0), REPLACE(2, 3, "XY")}},
        {"abcdef", "aefXcd", {MOVE(1, 4, 6, 0), REPLACE(1, 2, "X")}},
        {"abcdef", "aefX", {MOVE(1, 4, 6, 0), REPLACE(1, 4, "X")}},
        // moves in front of insertions; the move's text behind its range
        {"abcd", "ad+-bc", {INSERT(1, "-", 0), {EDIT_MOVE, 3, 4, 1, "+", 9}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct written written;
        const char *wrong =
            apply(&arena, cases[i].source, cases[i].edits, count_edits(cases[i].edits), &written);
        if (wrong)
            fail_msg("case %zu: %s", i, wrong);
        assert_string_equal(written.text, cases[i].expected);
        assert_int_equal(written.length, strlen(cases[i].expected));
        arena_free(&arena);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct text_case cases[] = {
        {"abcdef", "is after the source's end", {INSERT(7, "x", 0)}},
        {"abcdef", "empty or ends after", {REPLACE(2, 2, "x")}},
        {"abcdef", "empty or ends after", {REPLACE(3, 2, "x")}},
        {"abcdef", "empty or ends after", {REPLACE(3, 7, "x")}},
        {"abcdef", "is after the source's end", {MOVE(1, 2, 7, 0)}},
        {"abcdef", "has no text", {{EDIT_REPLACE, 1, 2, 0, NULL, 0}}},
        {"abcdef", "overlaps another one", {REPLACE(1, 3, "x"), REPLACE(2, 4, "y")}},
        {"abcdef", "overlaps another one", {MOVE(1, 3, 6, 0), MOVE(2, 4, 0, 0)}},
        {"abcdef", "overlaps another one", {MOVE(1, 5, 6, 0), MOVE(2, 4, 0, 0)}},
        {"abcdef", "overlaps a range that is moved", {MOVE(1, 3, 6, 0), REPLACE(2, 4, "y")}},
        {"abcdef", "overlaps a range that is moved", {MOVE(2, 4, 6, 0), REPLACE(1, 3, "y")}},
        {"abcdef", "overlaps a range that is moved", {MOVE(2, 4, 6, 0), REPLACE(1, 5, "y")}},
        {"abcdef",
         "inserts into a range that is replaced",
         {REPLACE(1, 4, "x"), INSERT(2, "-", 0)}},
        {"abcdef", "inserts into a range that is replaced", {REPLACE(1, 4, "x"), MOVE(5, 6, 3, 0)}},
        {"abcdef", "inserts into a range that is moved", {MOVE(1, 4, 6, 0), MOVE(5, 6, 2, 0)}},
        {"abcdef", "inserts into a range that is moved", {MOVE(1, 4, 2, 0)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct written written;
        const char *wrong =
            apply(&arena, cases[i].source, cases[i].edits, count_edits(cases[i].edits), &written);
        if (!wrong || !strstr(wrong, cases[i].expected))
            fail_msg("case %zu: %s", i, wrong ? wrong : "taken");
        arena_free(&arena);
    }
}

static void test_offsets(void **state)
{
    (void)state;
    // a[bc]de(f)g: bc goes to the end, f becomes XY, + in front of e
    const struct edit edits[] = {MOVE(1, 3, 7, 0), REPLACE(5, 6, "XY"), INSERT(4, "+", 0)};
    struct arena arena;
    struct written written;
    assert_null(apply(&arena, "abcdefg", edits, 3, &written));
    assert_string_equal(written.text, "ad+eXYgbc");
    const uint32_t expected[] = {0, 7, 8, 1, 3, 4, 6, 9};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(writer_offset(&written, i), expected[i]);
    uint32_t to, end;
    writer_range(&written, 1, 3, &to, &end);
    assert_int_equal(to, 7);
    assert_int_equal(end, 9);
    writer_range(&written, 5, 6, &to, &end);
    assert_int_equal(to, 4);
    assert_int_equal(end, 6);
    arena_free(&arena);
}

// Applies edits as in ir/edit.h byte by byte, and checks the place of every byte that is not
// replaced.
static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char text[41];
        struct edit edits[40];
        uint32_t count = 0;
        for (int i = 0; i < 40; i++)
            text[i] = (char)('a' + (i % 26));
        text[40] = 0;
        for (uint32_t at = 0; at < 38; at += 4) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint32_t r = (uint32_t)(seed >> 33);
            if (r % 4 == 0)
                edits[count++] = (struct edit){EDIT_MOVE,       at,   at + 1 + r / 4 % 4,
                                               r / 16 % 11 * 4, NULL, r / 256 % 9};
            if (r % 4 == 1)
                edits[count++] = (struct edit){EDIT_REPLACE, at, at + 1 + r / 4 % 4, 0, "<>", 0};
            if (r % 3 == 1)
                edits[count++] = (struct edit){EDIT_INSERT, at, 0, 0, "|", r / 16 % 3};
        }
        struct arena arena;
        struct written written;
        const char *wrong = apply(&arena, text, edits, count, &written);
        if (wrong)
            fail_msg("round %d: %s", round, wrong);
        uint32_t length = 40;
        for (uint32_t i = 0; i < count; i++)
            length += edits[i].kind == EDIT_INSERT    ? 1
                      : edits[i].kind == EDIT_REPLACE ? 2 - (edits[i].end - edits[i].begin)
                                                      : 0;
        assert_int_equal(written.length, length);
        for (uint32_t i = 0; i < 40; i++) {
            bool replaced = false;
            for (uint32_t j = 0; j < count; j++)
                replaced |=
                    edits[j].kind == EDIT_REPLACE && i >= edits[j].begin && i < edits[j].end;
            assert_int_equal(written.text[writer_offset(&written, i)], replaced ? '<' : text[i]);
        }
        arena_free(&arena);
    }
}

int main(void)
{
    if (setjmp(memory.on_failure))
        abort();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
