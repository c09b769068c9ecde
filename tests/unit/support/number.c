// Numbers as text, compared with the C library's.
#include "support/number.h"
#include "tests/lib/sanitized.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// Checks for the fewest digits of %g that read back as the value.
static void expect_shortest(double value)
{
    char text[NUMBER_TEXT], expected[NUMBER_TEXT] = "";
    number_shortest(text, value);
    if (fabs(value) < 1e15 && value == trunc(value)) {
        snprintf(expected, sizeof expected, "%.0f", value + 0.0);
        assert_string_equal(text, expected);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        if (strtod(expected, NULL) == value)
            break;
    }
    assert_string_equal(text, expected);
}

static void test_shortest(void **state)
{
    (void)state;
    static const double values[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    0.1,
                                    0.05,
                                    1e-4,
                                    9e-5,
                                    1.5e300,
                                    1e15,
                                    999999999999999.0,
                                    1e9 + 0.5,
                                    123456789.123456,
                                    0.000001,
                                    12.000001,
                                    1.0 / 3,
                                    -2.0 / 3,
                                    0.1 + 0.2,
                                    4503599627370497.5,
                                    1.0 / 4096,
                                    999.0 + 1.0 / 4096,
                                    1000.0 + 1.0 / 4096,
                                    1e-4 + 1.0 / 8192,
                                    5e-324,
                                    1.7976931348623157e308};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_shortest(values[i]);
        expect_shortest(-values[i]);
    }
}

static void test_shortest_many(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < (IS_SANITIZED ? 50000 : 200000); i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t number = (uint32_t)(random >> 33);
        expect_shortest(number / 1000.0);
        expect_shortest(number / 7.0);
        expect_shortest(number * pow(10, (int)(random >> 28 & 31) - 16));
        expect_shortest(nextafter(number / 100.0, 0));
        expect_shortest(ldexp(number >> (random & 31), -(int)(random >> 28 & 15)));
    }
}

static void test_uint(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 9, 10, 99, 100, 4294967295u, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[NUMBER_TEXT], expected[NUMBER_TEXT];
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
        assert_int_equal(number_uint(text, values[i]), strlen(expected));
        assert_memory_equal(text, expected, strlen(expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_shortest_many),
        cmocka_unit_test(test_uint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
