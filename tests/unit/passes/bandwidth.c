// Equations (3) and (4) with the numbers of the paper's example [002 §3.1.5].
#include "passes/analysis/cost/transfer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_sums(const struct bandwidth *bw, double iterations, double tx, double rx)
{
    assert_true(bandwidth_tx(bw, iterations) == tx);
    assert_true(bandwidth_rx(bw, iterations) == rx);
}

// The LIBOR loops: five live-ins, no live-outs, one load and one store.
static void test_libor(void **unused)
{
    (void)unused;
    struct bandwidth bw = bandwidth_of(5, 0, 0, 0, 1, 1);
    assert_sums(&bw, 1, 126.5, -16.25);
    assert_sums(&bw, 3, 59.5, -48.75);
    assert_sums(&bw, 4, 26, -65);
    assert_int_equal(bandwidth_threshold(bw.in + bw.out, bw.saved_tx + bw.saved_rx), 4);
    assert_int_equal(bandwidth_threshold(bw.in, bw.saved_tx), 5);
    assert_int_equal(bandwidth_threshold(bw.out, bw.saved_rx), 1);
}

// A predicate has one bit per lane: 1/32 of a register.
static void test_predicates(void **unused)
{
    (void)unused;
    struct bandwidth bw = bandwidth_of(1, 2, 0, 3, 0, 0);
    assert_sums(&bw, 1, 34, 3);
    assert_int_equal(bandwidth_threshold(bw.in, bw.saved_tx), 0);
}

// A change of exactly zero does not save.
static void test_threshold(void **unused)
{
    (void)unused;
    assert_int_equal(bandwidth_threshold(0, 1), 1);
    assert_int_equal(bandwidth_threshold(8, 4), 3);
    assert_int_equal(bandwidth_threshold(7, 4), 2);
    assert_int_equal(bandwidth_threshold(0, 0), 0);
    assert_int_equal(bandwidth_threshold(5, 0), 0);
}

static void test_huge(void **unused)
{
    (void)unused;
    struct bandwidth bw = bandwidth_of(UINT32_MAX, 0, UINT32_MAX, 0, UINT64_MAX, UINT64_MAX);
    assert_true(bw.saved_tx > 0 && bw.saved_rx > 0);
    assert_true(bw.in + bw.out > 0 && bw.saved_tx + bw.saved_rx > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libor),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_huge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
