// Collected diagnostics, as the documents are written from them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "backend/diagnostics/diagnostics.h"
#include <string.h>

struct given {
    struct memory memory;
    struct arena arena;
    struct findings findings;
    struct source source;
};

static void begin(struct given *g, const char *text, size_t length)
{
    memset(g, 0, sizeof *g);
    arena_init(&g->arena, &g->memory);
    findings_init(&g->findings, &g->arena);
    source_init(&g->source, &g->arena, "x.ptx", text, (uint32_t)length);
    findings_about(&g->findings, &g->source);
}

static const struct finding *add(struct given *g, uint32_t from, uint32_t to)
{
    struct diag diag = {
        .severity = DIAG_ERROR, .id = "syntax", .message = "bad", .begin = from, .end = to};
    findings_add(&g->findings, &diag);
    return &g->findings.list.v[g->findings.list.n - 1];
}

static void expect_place(struct text_position place, uint32_t line, uint32_t column, uint32_t utf16)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
    assert_int_equal(place.utf16, utf16);
}

// Places with characters of one to four bytes and invalid bytes, requested in any order.
static void places(void **state)
{
    (void)state;
    static const char text[] = "a\303\244\346\274\242\360\237\230\200b\377c\n\360\237\230\200d";
    struct given g;
    begin(&g, text, sizeof text - 1);
    for (int round = 0; round < 2; round++) {
        expect_place(add(&g, 0, 1)->begin, 1, 1, 1);
        expect_place(add(&g, 1, 3)->begin, 1, 2, 2);
        expect_place(add(&g, 3, 6)->begin, 1, 4, 3);
        expect_place(add(&g, 6, 10)->begin, 1, 7, 4);
        expect_place(add(&g, 6, 10)->end, 1, 11, 6);
        expect_place(add(&g, 11, 12)->end, 1, 13, 8);
        expect_place(add(&g, 0, 18)->end, 2, 5, 3);
        expect_place(add(&g, 14, 19)->end, 2, 6, 4);
    }
    memory_free(&g.memory);
}

static void nowhere(void **state)
{
    (void)state;
    struct given g;
    begin(&g, "a", 1);
    const struct finding *finding = add(&g, NO_OFFSET, NO_OFFSET);
    assert_false(finding->placed);
    assert_string_equal(g.findings.artifacts.v[finding->artifact].name, "x.ptx");
    findings_about(&g.findings, NULL);
    finding = add(&g, 0, 1);
    assert_false(finding->placed);
    assert_int_equal(finding->artifact, -1);
    memory_free(&g.memory);
}

// No text is accessed after it is freed, not even if a new one has the same address.
static void texts_go(void **state)
{
    (void)state;
    struct given g;
    char text[] = "\303\244x", name[] = "x.ptx";
    begin(&g, text, 3);
    expect_place(add(&g, 2, 3)->begin, 1, 3, 2);
    memcpy(text, "abx", 3);
    memcpy(name, "y.ptx", 5);
    g.source.name = name;
    findings_about(&g.findings, &g.source);
    expect_place(add(&g, 2, 3)->begin, 1, 3, 3);
    memcpy(name, "?????", 5);
    assert_string_equal(g.findings.artifacts.v[0].name, "x.ptx");
    assert_string_equal(g.findings.artifacts.v[1].name, "y.ptx");
    memory_free(&g.memory);
}

// A long line with many findings: counting its characters for each finding would take hours.
static void long_line(void **state)
{
    (void)state;
    enum { LENGTH = 4 << 20 };
    struct given g;
    static char text[LENGTH];
    memset(text, 'x', LENGTH);
    begin(&g, text, LENGTH);
    for (uint32_t at = 0; at < LENGTH; at += 4)
        expect_place(add(&g, at, at + 2)->begin, 1, at + 1, at + 1);
    memory_free(&g.memory);
}

static void last_takes_no_memory(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 40; count++) {
        struct given g;
        begin(&g, "a", 1);
        for (uint32_t i = 0; i < count; i++)
            add(&g, 0, 1);
        g.memory.fail_in = 1;
        g.arena.at = g.arena.end;
        if (setjmp(g.memory.on_failure))
            fail_msg("memory was asked for");
        findings_add_last(&g.findings, "memory", "out of memory");
        assert_int_equal(g.findings.list.n, count + 1);
        assert_string_equal(g.findings.list.v[count].id, "memory");
        memory_free(&g.memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(nowhere),
        cmocka_unit_test(texts_go),
        cmocka_unit_test(long_line),
        cmocka_unit_test(last_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
