// Chrome trace events as text: windows, times, order.
#include "runtime-sim/base/trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#define HEAD "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"microsecond\":\"a clock\","

struct file {
    struct memory memory;
    struct arena arena;
    struct trace trace;
    char *text;
    size_t length;
    FILE *to;
};

static void begin(struct file *f, bool collects, uint64_t from, uint64_t until)
{
    *f = (struct file){0};
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->to = open_memstream(&f->text, &f->length);
    trace_begin(&f->trace, collects ? &f->arena : NULL, f->to, "a clock", from, until);
}

static void end(struct file *f, const char *expected)
{
    trace_end(&f->trace);
    fclose(f->to);
    assert_string_equal(f->text, expected);
    free(f->text);
    arena_free(&f->arena);
}

static void test_window_cuts_spans(void **state)
{
    (void)state;
    struct file f;
    const struct trace_row row = {1, 2};
    begin(&f, false, 2000, 5500);
    trace_span(&f.trace, row, 0, 2000, NULL, "before", NULL);
    trace_span(&f.trace, row, 1000, 2001, "c", "a", NULL);
    trace_span(&f.trace, row, 2001, 6000, NULL, "b", "\"n\":1");
    trace_span(&f.trace, row, 3000, 3000, NULL, "empty", NULL);
    trace_span(&f.trace, row, 5500, 9000, NULL, "behind", NULL);
    f.trace.origin = 4000;
    trace_span(&f.trace, row, 0, 1000, NULL, "later", NULL);
    trace_async(&f.trace, 3, true, 0, 255, "c", "pair", NULL);
    trace_async(&f.trace, 3, false, 9000, 255, "c", "pair", NULL);
    end(&f, HEAD "\"from\":\"2\",\"to\":\"5.500\"},\"traceEvents\":[\n"
                 "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":0.001,\"cat\":\"c\","
                 "\"name\":\"a\"},\n"
                 "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2.001,\"dur\":3.499,\"name\":\"b\","
                 "\"args\":{\"n\":1}},\n"
                 "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":4,\"dur\":1,\"name\":\"later\"},\n"
                 "{\"ph\":\"b\",\"pid\":3,\"tid\":3,\"ts\":4,\"id\":\"0xff\",\"cat\":\"c\","
                 "\"name\":\"pair\"},\n"
                 "{\"ph\":\"e\",\"pid\":3,\"tid\":3,\"ts\":5.500,\"id\":\"0xff\",\"cat\":\"c\","
                 "\"name\":\"pair\"}\n]}\n");
}

static void test_order_is_that_of_the_text(void **state)
{
    (void)state;
    char *texts[2];
    for (int turn = 0; turn < 2; turn++) {
        struct file f;
        begin(&f, true, 0, UINT64_MAX);
        for (uint32_t i = 0; i < 40; i++)
            trace_span(&f.trace, (struct trace_row){1, turn ? 39 - i : i}, 1000, 2000, NULL, "a",
                       NULL);
        trace_settle(&f.trace);
        trace_span(&f.trace, (struct trace_row){1, 0}, 2000, 3000, NULL, "a", NULL);
        trace_end(&f.trace);
        fclose(f.to);
        texts[turn] = f.text;
        arena_free(&f.arena);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_non_null(strstr(texts[0], "\"tid\":39,\"ts\":1"));
    // What was settled stays in front.
    assert_true(strstr(texts[0], "\"tid\":9,\"ts\":1") < strstr(texts[0], "\"tid\":0,\"ts\":2"));
    free(texts[0]);
    free(texts[1]);
}

static void test_clocks_do_not_drift(void **state)
{
    (void)state;
    const struct trace_clock clock = {1400 * TRACE_MICROSECOND, 933};
    assert_int_equal(trace_time(clock, 0), 0);
    assert_int_equal(trace_time(clock, 1), 1500);
    assert_int_equal(trace_time(clock, 2), 3001);
    assert_int_equal(trace_time(clock, 933), 1400 * TRACE_MICROSECOND);
    assert_int_equal(trace_time(clock, UINT64_C(933000000000)),
                     UINT64_C(1400000000000) * TRACE_MICROSECOND);
    assert_true(trace_microseconds(UINT64_MAX) == UINT64_MAX);
    assert_true(trace_microseconds(UINT64_MAX / 2) == UINT64_MAX);
    assert_true(trace_microseconds(7) == 7000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window_cuts_spans),
        cmocka_unit_test(test_order_is_that_of_the_text),
        cmocka_unit_test(test_clocks_do_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
