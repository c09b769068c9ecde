// Estimates of sampling, compared with known answers.
#include "runtime-sim/device/sample.h"
#include "tests/unit/program.h"
#include <math.h>

static void test_plan(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    struct sample_plan plan = {0};
    arena_init(&arena, &memory);
    assert_true(sample_includes(&plan, 5) && !sample_measures(&plan, 5));
    assert_null(sample_read(&plan, &arena, "10:3:2"));
    for (uint64_t launch = 0; launch < 40; launch++) {
        assert_int_equal(sample_includes(&plan, launch), launch % 10 < 5);
        assert_int_equal(sample_measures(&plan, launch), launch % 10 >= 2 && launch % 10 < 5);
    }
    arena_free(&arena);
}

// Cycles proportional to the instructions are estimated exactly.
static void test_proportional(void **state)
{
    (void)state;
    struct sample_counts counts = {0};
    for (uint64_t n = 1; n <= 4; n++)
        sample_add(&counts, true, (double)(30 * n), 10 * n);
    sample_add(&counts, false, 1e9, 1);
    struct sample_estimate rest = sample_untimed(&counts, 7, 700);
    assert_float_equal(rest.cycles, 2100, 1e-6);
    assert_float_equal(rest.error, 0, 1e-6);
}

// Means of 10 and 20 cycles per instruction: the residuals are 5 times 10 instructions; for three
// more launches the error is 2 * sqrt(2 * 50^2 * (3^2 / 2 + 3)).
static void test_error(void **state)
{
    (void)state;
    struct sample_counts counts = {0};
    sample_add(&counts, true, 100, 10);
    sample_add(&counts, true, 200, 10);
    struct sample_estimate rest = sample_untimed(&counts, 3, 30);
    assert_float_equal(rest.cycles, 450, 1e-6);
    assert_float_equal(rest.error, 2 * sqrt(2 * 50 * 50 * 7.5), 1e-6);
    counts.measured = (struct sample_sums){0};
    assert_true(sample_untimed(&counts, 3, 30).error < 0);
    assert_float_equal(sample_untimed(&counts, 0, 0).error, 0, 0);
    sample_add(&counts, false, 70, 10); // the only one: it serves, with an unknown error
    assert_float_equal(sample_untimed(&counts, 1, 10).cycles, 70, 1e-6);
    assert_true(sample_untimed(&counts, 1, 10).error < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_proportional),
        cmocka_unit_test(test_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
