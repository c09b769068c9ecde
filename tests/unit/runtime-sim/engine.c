// Clock domains and links.
#include "runtime-sim/base/clock.h"
#include "runtime-sim/base/link.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

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

// After a second every domain has ticked as often as its frequency says, and ticks come in the
// order of their exact times.
static void exact_ratios(void **state)
{
    (void)state;
    static const uint64_t hertz[] = {1126, 1000, 1750, 625};
    struct fixture f;
    struct clocks clocks;
    uint64_t ticks[4] = {0}, last = 0;
    begin(&f);
    assert_true(clocks_init(&clocks, &f.arena, hertz, 4));
    while (clocks.domain[0].next < clocks.unit || clocks.domain[1].next < clocks.unit ||
           clocks.domain[2].next < clocks.unit || clocks.domain[3].next < clocks.unit) {
        uint64_t due = clocks_advance(&clocks);
        assert_true(due != 0 && (clocks.now > last || !last));
        last = clocks.now;
        for (int i = 0; i < 4; i++)
            if (due >> i & 1) {
                assert_int_equal(clocks.now * hertz[i], ticks[i] * clocks.unit);
                ticks[i]++;
            }
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(ticks[i], hertz[i]);
    arena_free(&f.arena);
}

static void skipping(void **state)
{
    (void)state;
    static const uint64_t hertz[] = {3, 2};
    struct fixture f;
    struct clocks clocks;
    begin(&f);
    assert_true(clocks_init(&clocks, &f.arena, hertz, 2));
    assert_int_equal(clocks_advance(&clocks), 3);
    clocks_skip_to(&clocks, 0, 30); // the tick at 10 seconds
    clocks_skip_to(&clocks, 0, 5);  // too late for that
    assert_int_equal(clocks_advance(&clocks), 2);
    clocks_skip_to(&clocks, 1, 21);
    assert_int_equal(clocks_advance(&clocks), 1);
    assert_int_equal(clocks.now, 10 * clocks.unit);
    assert_int_equal(clocks_advance(&clocks), 1);
    assert_int_equal(clocks_advance(&clocks), 2);
    assert_int_equal(clocks.now * 2, 21 * clocks.unit);
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

static void latency_and_order(void **state)
{
    (void)state;
    struct fixture f;
    struct link link;
    begin(&f);
    link_init(&link, &f.arena, sizeof(uint32_t), 3, 2);
    assert_true(link_next(&link) == UINT64_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(link_can_send(&link, i));
        link_send(&link, i, &i);
    }
    assert_false(link_can_send(&link, 2));
    assert_null(link_peek(&link, 1));
    assert_int_equal(link_next(&link), 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(*(const uint32_t *)link_peek(&link, 2 + i), i);
        link_pop(&link, 2 + i);
    }
    assert_null(link_peek(&link, 100));
    arena_free(&f.arena);
}

// A sender and a receiver give the same whichever goes first in a cycle, at any capacity; at a
// capacity of latency + 1 an entry passes in each cycle.
static void order_of_evaluation(void **state)
{
    (void)state;
    enum { CYCLES = 200 };
    for (uint32_t latency = 1; latency < 5; latency++)
        for (uint32_t capacity = 1; capacity < 8; capacity++) {
            uint32_t passed[2] = {0}, at[2][CYCLES] = {{0}};
            for (int first = 0; first < 2; first++) {
                struct fixture f;
                struct link link;
                begin(&f);
                link_init(&link, &f.arena, sizeof(uint32_t), capacity, latency);
                for (uint32_t now = 0, sent = 0; now < CYCLES; now++)
                    for (int part = 0; part < 2; part++) {
                        bool ready = now % 7 != 3; // the receiver is busy now and then
                        if ((part == first) && link_can_send(&link, now)) {
                            link_send(&link, now, &sent);
                            sent++;
                        } else if (part != first && ready && link_peek(&link, now)) {
                            at[first][passed[first]++] = now;
                            link_pop(&link, now);
                        }
                    }
                arena_free(&f.arena);
            }
            assert_int_equal(passed[0], passed[1]);
            assert_memory_equal(at[0], at[1], sizeof at[0]);
            if (capacity > latency)
                assert_true(passed[0] >= (CYCLES - latency) * 6 / 7 - 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_ratios),        cmocka_unit_test(skipping),
        cmocka_unit_test(no_common_unit),      cmocka_unit_test(latency_and_order),
        cmocka_unit_test(order_of_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
