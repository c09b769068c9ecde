// Clock domains.
#include "runtime-sim/base/clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct memory memory;
    struct arena arena;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
}

// Periods are whole numbers of one unit, so that no domain drifts: each has as many periods per
// second as its frequency.
static void exact_ratios(void **state)
{
    (void)state;
    static const uint64_t hertz[] = {1126, 1000, 1750, 625};
    static const uint64_t unit = 1126 / 2 * UINT64_C(7000) * 5; // the least common multiple
    struct fixture f;
    struct clocks clocks;
    begin(&f);
    assert_true(clocks_init(&clocks, &f.arena, hertz, 4));
    assert_int_equal(clocks.count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(clocks.domain[i].period * hertz[i], unit);
    arena_free(&f.arena);
}

static void no_common_unit(void **state)
{
    (void)state;
    static const uint64_t primes[] = {1000000007, 1000000009, 1000000021};
    struct fixture f;
    struct clocks clocks;
    begin(&f);
    assert_false(clocks_init(&clocks, &f.arena, primes, 3));
    assert_true(clocks_init(&clocks, &f.arena, primes, 1));
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_ratios),
        cmocka_unit_test(no_common_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
