// Compares the selection among overlapping candidates with trying all sets.
#include "passes/blocks/select.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MAX_SPANS = 10, ROUNDS = 3000 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static bool overlap(const struct block_span *a, const struct block_span *b)
{
    return a->begin < b->end && b->begin < a->end;
}

static bool within(const struct block_span *a, const struct block_span *b)
{
    return a->begin >= b->begin && a->end <= b->end;
}

static uint32_t random_spans(uint64_t *state, struct block_span *spans)
{
    uint32_t count = 0;
    for (uint32_t tries = 0; tries < 40 && count < MAX_SPANS; tries++) {
        uint32_t begin = draw(state, 12), end = begin + 1 + draw(state, 12 - begin);
        struct block_span span = {begin,           end,   (double)draw(state, 9) - 2,
                                  !draw(state, 3), false, 0};
        bool fits = true;
        for (uint32_t i = 0; i < count; i++)
            fits &=
                !overlap(&span, &spans[i]) || within(&span, &spans[i]) || within(&spans[i], &span);
        if (fits)
            spans[count++] = span;
    }
    return count;
}

// Returns true if span i is within span k. Of equal spans, the later one is within the earlier one.
static bool inside(const struct block_span *spans, uint32_t i, uint32_t k)
{
    return i != k && within(&spans[i], &spans[k]) && (i > k || !within(&spans[k], &spans[i]));
}

static double best_sum(const struct block_span *spans, uint32_t count, const bool *counts)
{
    double best = 0;
    for (uint32_t set = 0; set < 1u << count; set++) {
        double sum = 0;
        bool apart = true;
        for (uint32_t i = 0; i < count; i++) {
            if (!(set >> i & 1))
                continue;
            apart &= counts[i];
            sum += spans[i].weight;
            for (uint32_t k = 0; k < i; k++)
                apart &= !(set >> k & 1) || !overlap(&spans[i], &spans[k]);
        }
        best = apart && sum > best ? sum : best;
    }
    return best;
}

// Returns the innermost chosen span around span i, or UINT32_MAX.
static uint32_t around(const struct block_span *spans, uint32_t count, uint32_t i)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < count; k++)
        if (spans[k].chosen && inside(spans, i, k) &&
            (found == UINT32_MAX || inside(spans, k, found)))
            found = k;
    return found;
}

// Checks the set that is chosen directly within span `in`, or outside all (UINT32_MAX).
static void check_level(const struct block_span *spans, uint32_t count, uint32_t in)
{
    bool counts[MAX_SPANS];
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        counts[i] = in == UINT32_MAX || inside(spans, i, in);
        sum += spans[i].chosen && around(spans, count, i) == in ? spans[i].weight : 0;
    }
    assert_true(sum == best_sum(spans, count, counts));
}

static void check(const struct block_span *spans, uint32_t count)
{
    check_level(spans, count, UINT32_MAX);
    for (uint32_t i = 0; i < count; i++) {
        bool meets = false;
        assert_true(!spans[i].chosen || spans[i].weight > 0);
        if (spans[i].chosen && spans[i].conditional)
            check_level(spans, count, i);
        for (uint32_t k = 0; k < count; k++) {
            bool chosen = k != i && spans[k].chosen && overlap(&spans[i], &spans[k]);
            uint32_t outer = inside(spans, i, k) ? k : i;
            assert_false(spans[i].chosen && chosen && !spans[outer].conditional);
            meets |= chosen;
        }
        assert_int_equal(!spans[i].chosen && meets, spans[i].rival != UINT32_MAX);
        if (spans[i].rival != UINT32_MAX) {
            assert_true(spans[spans[i].rival].chosen);
            assert_true(overlap(&spans[i], &spans[spans[i].rival]));
        }
    }
}

static void test_random(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int round = 0; round < ROUNDS; round++) {
        struct memory memory = {.fail_in = 0};
        struct arena arena;
        struct block_span spans[MAX_SPANS];
        uint32_t count = random_spans(&state, spans);
        arena_init(&arena, &memory);
        select_best(&arena, spans, count);
        check(spans, count);
        arena_free(&arena);
    }
}

static void test_wider_wins_ties(void **unused)
{
    (void)unused;
    struct memory memory = {.fail_in = 0};
    struct arena arena;
    struct block_span spans[] = {{.begin = 2, .end = 4, .weight = 3},
                                 {.begin = 0, .end = 9, .weight = 5},
                                 {.begin = 5, .end = 6, .weight = 2}};
    arena_init(&arena, &memory);
    select_best(&arena, spans, 3);
    assert_true(spans[1].chosen);
    assert_int_equal(spans[0].rival, 1);
    assert_int_equal(spans[2].rival, 1);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_wider_wins_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
