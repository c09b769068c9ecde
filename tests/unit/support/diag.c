// Diagnostics: the table of rules, order, and the excerpt of a place.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/diag.h"
#include <stdlib.h>
#include <string.h>

struct given {
    struct memory memory;
    struct arena arena;
    struct diags diags;
    struct source source;
};

static void begin(struct given *g, const char *text)
{
    memset(g, 0, sizeof *g);
    arena_init(&g->arena, &g->memory);
    diags_init(&g->diags, &g->arena);
    source_init(&g->source, &g->arena, "x.ptx", text, (uint32_t)strlen(text));
}

// Returns the excerpt of the first diagnostic: the lines below its own.
static char *excerpt(struct given *g)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    diag_print(&g->diags.list.v[0], &g->source, to, false);
    fclose(to);
    char *copy = arena_strndup(&g->arena, text, size);
    free(text);
    return copy;
}

static void expect_excerpt(const char *source, uint32_t from, uint32_t to, const char *lines)
{
    struct given g;
    begin(&g, source);
    diag_add(&g.diags, DIAG_ERROR, "syntax", from, to, "bad");
    char *text = excerpt(&g), *below = strchr(text, '\n');
    assert_non_null(below);
    assert_string_equal(below + 1, lines);
    memory_free(&g.memory);
}

static void rules_are_sound(void **state)
{
    (void)state;
    for (int i = 0; i < DIAG_RULES; i++) {
        const struct diag_rule *rule = &diag_rules[i];
        assert_int_equal(diag_rule_find(rule->id, strlen(rule->id)), i);
        assert_int_equal(strspn(rule->id, "abcdefghijklmnopqrstuvwxyz-"), strlen(rule->id));
        // `-Wno-x` and `-Werror=x` must not be ids themselves.
        assert_true(strncmp(rule->id, "no-", 3) || rule->min == DIAG_ERROR);
        assert_string_not_equal(rule->id, "error");
        assert_true(rule->min <= rule->severity && rule->min != DIAG_NOTE);
        assert_true(strlen(rule->text) > 10 && rule->text[strlen(rule->text) - 1] != '.');
    }
    assert_int_equal(diag_rule_find("syntax-", 7), -1);
}

static void nearest_rules(void **state)
{
    (void)state;
    assert_string_equal(diag_rule_nearest("unknown-opcod", 13, true), "unknown-opcode");
    assert_string_equal(diag_rule_nearest("sintax", 6, false), "syntax");
    assert_null(diag_rule_nearest("sintax", 6, true));
    assert_null(diag_rule_nearest("zzz", 3, false));
}

static void sorted(void **state)
{
    (void)state;
    struct given g;
    begin(&g, "0123456789");
    diag_add(&g.diags, DIAG_ERROR, "syntax", 5, 6, "c");
    diag_add(&g.diags, DIAG_NOTE, "syntax", 1, 2, "c note");
    diag_add(&g.diags, DIAG_NOTE, "syntax", 0, 2, "c second note");
    diag_add(&g.diags, DIAG_WARNING, "undeclared", 3, 4, "a");
    diag_add(&g.diags, DIAG_ERROR, "operand-type", 5, 6, "d");
    diag_add(&g.diags, DIAG_ERROR, "label", 3, 9, "b");
    diag_add(&g.diags, DIAG_ERROR, "tags", NO_OFFSET, NO_OFFSET, "whole");
    diags_sort(&g.diags);
    static const char *const order[] = {"whole", "a", "b", "c", "c note", "c second note", "d"};
    assert_int_equal(g.diags.list.n, 7);
    for (uint32_t i = 0; i < g.diags.list.n; i++)
        assert_string_equal(g.diags.list.v[i].message, order[i]);
    // What is added afterwards has its place behind the sorted ones.
    diag_add(&g.diags, DIAG_ERROR, "operand-type", 2, 6, "late");
    assert_string_equal(g.diags.list.v[7].message, "late");
    memory_free(&g.memory);
}

static void heads(void **state)
{
    (void)state;
    static const struct {
        enum severity severity;
        bool raised;
        const char *head;
    } cases[] = {
        {DIAG_ERROR, false, "x.ptx:2:3: error: bad [label]\n"},
        {DIAG_ERROR, true, "x.ptx:2:3: error: bad [-Werror=label]\n"},
        {DIAG_WARNING, false, "x.ptx:2:3: warning: bad [label]\n"},
        {DIAG_NOTE, false, "x.ptx:2:3: note: bad\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct given g;
        begin(&g, "ab\ncdef\n");
        diag_add(&g.diags, cases[i].severity, "label", 5, 6, "bad");
        g.diags.list.v[0].raised = cases[i].raised;
        char *text = excerpt(&g);
        assert_memory_equal(text, cases[i].head, strlen(cases[i].head));
        assert_string_equal(text + strlen(cases[i].head), "     2 | cdef\n       |   ^\n");
        memory_free(&g.memory);
    }
}

static void whole_file(void **state)
{
    (void)state;
    struct given g;
    begin(&g, "ab\n");
    diag_add(&g.diags, DIAG_ERROR, "tags", NO_OFFSET, NO_OFFSET, "bad");
    char *text = excerpt(&g);
    assert_string_equal(text, "x.ptx: error: bad [tags]\n");
    memory_free(&g.memory);
}

static void excerpts(void **state)
{
    (void)state;
    expect_excerpt("abc def\n", 4, 7, "     1 | abc def\n       |     ^~~\n");
    // Tabs before the range are repeated; one inside it is as wide as on the screen: 9 + 3 to 16.
    expect_excerpt("\ta\tb", 1, 4, "     1 | \ta\tb\n       | \t^~~~~~~~~\n");
    // A range ends with its line; one that begins at the line's end is one column wide.
    expect_excerpt("ab\r\ncd", 1, 6, "     1 | ab\n       |  ^\n");
    expect_excerpt("ab\ncd", 2, 2, "     1 | ab\n       |   ^\n");
    expect_excerpt("ab", 2, 2, "     1 | ab\n       |   ^\n");
    expect_excerpt("", 0, 0, "     1 | \n       | ^\n");
    // Letters of several bytes, of two columns, of none.
    expect_excerpt("\303\244x", 2, 3, "     1 | \303\244x\n       |  ^\n");
    expect_excerpt("\346\274\242x", 0, 3, "     1 | \346\274\242x\n       | ^~\n");
    expect_excerpt("e\314\201x", 3, 4, "     1 | e\314\201x\n       |  ^\n");
    // What a terminal must not be sent.
    expect_excerpt("\033[0mx", 4, 5, "     1 | <1b>[0mx\n       |        ^\n");
    expect_excerpt("\377x", 0, 1, "     1 | <ff>x\n       | ^~~~\n");
    expect_excerpt("\342\200\256x", 3, 4, "     1 | <U+202E>x\n       |         ^\n");
}

// Wherever the range is in a long line, it is shown and marked.
static void long_lines(void **state)
{
    (void)state;
    enum { LENGTH = 5000, SHOWN = 9 + 160 + 6 };
    static char line[LENGTH + 1];
    for (uint32_t at = 0; at + 3 <= LENGTH; at += 41) {
        memset(line, '-', LENGTH);
        memcpy(line + at, "XYZ", 3);
        struct given g;
        begin(&g, line);
        diag_add(&g.diags, DIAG_ERROR, "syntax", at, at + 3, "bad");
        char *text = excerpt(&g), *first = strchr(text, '\n') + 1,
             *second = strchr(first, '\n') + 1;
        assert_true(second - first <= SHOWN + 1);
        assert_int_equal(strstr(first, "XYZ") - first, strstr(second, "^~~") - second);
        assert_int_equal(!strncmp(first + 9, "...", 3), strstr(first, "XYZ") - first != at + 9);
        memory_free(&g.memory);
    }
}

// A line number of seven digits indents line and mark alike.
static void high_lines(void **state)
{
    (void)state;
    enum { LINES = 1234566 };
    char *text = malloc(LINES + 3);
    memset(text, '\n', LINES);
    memcpy(text + LINES, "ab", 3);
    expect_excerpt(text, LINES + 1, LINES + 2, "1234567 | ab\n        |  ^\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_sound), cmocka_unit_test(nearest_rules),
        cmocka_unit_test(sorted),          cmocka_unit_test(heads),
        cmocka_unit_test(whole_file),      cmocka_unit_test(excerpts),
        cmocka_unit_test(long_lines),      cmocka_unit_test(high_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
