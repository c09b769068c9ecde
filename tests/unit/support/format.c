// Formatted text, compared with the C library's.
#include "support/number.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROOM = 400 };

__attribute__((format(printf, 2, 3))) static void expect(size_t room, const char *format, ...)
{
    char text[ROOM], expected[ROOM];
    va_list args, again;
    memset(text, '~', sizeof text);
    memset(expected, '~', sizeof expected);
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(expected, room, format, args);
    assert_int_equal(format_text(text, room, format, again), length);
    va_end(again);
    va_end(args);
    assert_memory_equal(text, expected, sizeof text);
}

static void test_words(void **state)
{
    (void)state;
    expect(ROOM, "%s", "");
    expect(ROOM, "no argument");
    expect(ROOM, "the %s, which line %u defines%s", "%r5", 12, "");
    expect(ROOM, "%.3s|%.0s|%.9s", "abcdef", "abc", "abc");
    expect(ROOM, "%.*s|%.*s|%.*s|%.*g", 3, "abcdef", 0, "abc", -1, "abc", 3, 2.5);
    expect(ROOM, "100 %%, %5u, %-6s|%c %x %*d", 7u, "ab", 'c', 255u, 4, 2);
}

static void test_integers(void **state)
{
    (void)state;
    expect(ROOM, "%d %d %d %d", 0, -1, INT32_MAX, INT32_MIN);
    expect(ROOM, "%u %u", 0u, UINT32_MAX);
    expect(ROOM, "%ld %lu %ld", -5L, (unsigned long)UINT32_MAX, (long)INT32_MIN);
    expect(ROOM, "%lld %llu %lld", (long long)INT64_MIN, (unsigned long long)UINT64_MAX, -7LL);
    expect(ROOM, "%zu %zd", SIZE_MAX, (ssize_t)-9);
    expect(ROOM, "%+d %.3u", 5, 7u);
}

static void expect_number(double value)
{
    expect(ROOM, "%g", value);
    expect(ROOM, "BW %+.10g, sum %+.10g, %u", value, -value, 3u);
    expect(ROOM, "%.4g expected", value);
    expect(ROOM, "%.15g %.17g %.1g %.0g", value, value, value, value);
    expect(ROOM, "%.2f", value);
}

static void test_numbers(void **state)
{
    (void)state;
    static const double values[] = {0,      1,      0.5,       1e-4,      9e-5,     1e-5,
                                    9999.5, 123456, 9999999,   999999.5,  1e9,      1e10,
                                    1e15,   1e16,   1.0 / 3,   0.1 + 0.2, 1200000,  0.00012,
                                    1e300,  5e-324, 12.345678, 1e9 - 0.5, INFINITY, NAN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_number(values[i]);
        expect_number(-values[i]);
    }
}

static void test_many_numbers(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t number = (uint32_t)(random >> 33);
        expect_number(number / 1000.0);
        expect_number(number % 4096 / 32.0);
        expect_number(number * pow(10, (int)(random >> 28 & 31) - 20));
        expect_number(nextafter(number / 100.0, 0));
    }
}

// Text that does not fit is left out, but counted.
static void test_room(void **state)
{
    (void)state;
    for (size_t room = 1; room < 20; room++) {
        expect(room, "%s %u %s", "abc", 12345u, "defg");
        expect(room, "abc %g%x", 0.25, 1u);
    }
    expect(0, "%s %u", "abc", 12u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),   cmocka_unit_test(test_integers),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_many_numbers),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
